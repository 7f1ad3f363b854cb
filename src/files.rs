//! What is read whole before a run: files and standard input, as far as they are no larger than anybody means.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The most bytes of a file or of standard input: far more than data, schemas, configs and reports have, and little enough
/// that a device or a pipe without an end does not take all memory.
pub(crate) const BYTES_MAX: u64 = 1 << 30;

/// All bytes of a file, or of what goes by the name of one.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_file() && about.len() > BYTES_MAX {
        return Err(too_large());
    }
    whole(file)
}

/// A file that is text.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    text(read(path)?)
}

/// All bytes of standard input.
pub(crate) fn stdin() -> io::Result<Vec<u8>> {
    whole(io::stdin().lock())
}

/// Standard input, as text.
pub(crate) fn stdin_text() -> io::Result<String> {
    text(stdin()?)
}

fn whole(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX { Err(too_large()) } else { Ok(bytes) }
}

fn too_large() -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, "it has more than 1 GiB, which is the most that is read")
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}
