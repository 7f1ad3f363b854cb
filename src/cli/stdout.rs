//! Standard output, which may be full or closed.

use std::io::{self, BufWriter, Write};

use crate::error::OutputError;

/// Writes to standard output. A reader that has gone away (`| head`) has seen enough: no error.
pub(super) fn write(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), OutputError> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => Err(OutputError::NoStandardOutput { source }),
        _ => Ok(()),
    }
}
