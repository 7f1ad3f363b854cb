//! Runs that were stored as JSON reports.

use std::path::{Path, PathBuf};

use super::claims::repeated;
use crate::error::StoredError;
use crate::export::{self, ReadError};
use crate::files;
use crate::report::Run;

/// The run that is stored in the file `path`; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<Run, StoredError> {
    let from = if is_stdin(path) { "standard input".to_owned() } else { format!("`{}`", path.display()) };
    let document = if is_stdin(path) { files::stdin() } else { files::read(path) };
    let document = document.map_err(|source| StoredError::Unreadable { from: from.clone(), source })?;
    export::read(&document).map_err(|error| match error {
        ReadError::NoJson { what } => StoredError::NoJson { from, what },
        ReadError::Foreign { ghz } => StoredError::Foreign { from, ghz },
        ReadError::Newer { schema, known } => StoredError::Newer { from, schema, known },
        ReadError::Broken { place, what } => StoredError::Broken { from, place, what },
    })
}

/// Errors if a file is named twice.
pub(super) fn once(paths: &[PathBuf]) -> Result<(), StoredError> {
    match repeated(paths) {
        None => Ok(()),
        Some(path) => Err(StoredError::Repeated { path: path.display().to_string() }),
    }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}
