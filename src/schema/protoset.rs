//! Descriptor sets from files: what `protoc --descriptor_set_out` and `buf build` write.

use std::path::{Path, PathBuf};

use prost::Message as _;
use prost::bytes::Bytes;

use crate::error::{Origin, Problems, SchemaError};
use crate::files;

use super::head::RawSet;
use super::library::Library;

/// Reads the sets at `paths` into one library.
pub(super) fn read(paths: &[PathBuf]) -> Result<Library, Problems> {
    let mut library = Library::default();
    let mut problems = Problems::new();
    for path in paths {
        let Some(files) = problems.keep(files_of(path)) else { continue };
        let origin = Origin::Protoset(path.clone());
        for file in files {
            problems.keep(library.add(file, &origin));
        }
    }
    problems.into_result()?;
    library.complete();
    Ok(library)
}

/// The files of the set at `path`, as they are.
fn files_of(path: &Path) -> Result<Vec<Bytes>, Problems> {
    let refused = |problem: &str| SchemaError::NoProtoset { path: path.to_owned(), problem: problem.to_owned() };
    if path.is_dir() {
        return Err(refused("it is a folder").into());
    }
    let bytes = files::read(path).map_err(|source| SchemaError::Unreadable { path: path.to_owned(), source })?;
    if let Some(problem) = taken_for(path, &bytes) {
        return Err(refused(problem).into());
    }
    let set = RawSet::decode(Bytes::from(bytes)).map_err(|_| refused("it is damaged, cut short, or something else"))?;
    if set.files.is_empty() {
        return Err(refused("there are no files in it").into());
    }
    Ok(set.files)
}

/// What was given in the place of a set, if that can be told.
fn taken_for(path: &Path, bytes: &[u8]) -> Option<&'static str> {
    /// A set starts with the key of its first file: field 1, of a length.
    const FIRST: u8 = 0x0a;
    match bytes {
        [] => Some("it is empty"),
        _ if path.extension().is_some_and(|extension| extension == "proto") => {
            Some("it is a .proto file; give it with --proto")
        }
        [FIRST, ..] => None,
        [0x1f, 0x8b, ..] => Some("it is compressed; unpack it with gunzip first"),
        [b'{', ..] => Some("it is JSON; the binary form is wanted"),
        _ => Some("it does not start as one"),
    }
}
