//! Reports that were stored as JSON.

use std::fs;
use std::path::Path;

use crate::error::{GateError, Problems, UsageError};
use crate::export;
use crate::report::Report;

/// The report in the file `path`.
pub(super) fn read(path: &Path) -> Result<Report, Problems> {
    let from = format!("`{}`", path.display());
    let document =
        fs::read(path).map_err(|source| UsageError::Unreadable { what: "compare", from: from.clone(), source })?;
    let run = export::read(&document).map_err(|why| GateError::NoReport { from, why: why.to_string() })?;
    Ok(run.report())
}
