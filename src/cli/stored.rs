//! Runs that were stored as JSON reports.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use crate::error::StoredError;
use crate::export::{self, ReadError};
use crate::report::Run;

/// The run that is stored in the file `path`; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<Run, StoredError> {
    let from = if is_stdin(path) { "standard input".to_owned() } else { format!("`{}`", path.display()) };
    let document = document(path).map_err(|source| StoredError::Unreadable { from: from.clone(), source })?;
    export::read(&document).map_err(|error| match error {
        ReadError::NoJson { what } => StoredError::NoJson { from, what },
        ReadError::Foreign { ghz } => StoredError::Foreign { from, ghz },
        ReadError::Newer { schema, known } => StoredError::Newer { from, schema, known },
        ReadError::Broken { place, what } => StoredError::Broken { from, place, what },
    })
}

fn document(path: &Path) -> io::Result<Vec<u8>> {
    if !is_stdin(path) {
        return fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}
