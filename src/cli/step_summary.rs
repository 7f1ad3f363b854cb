//! The summary of a step that GitHub Actions shows: Markdown behind what the step has written to it so far.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

use super::diagnose;
use crate::error::OutputError;
use crate::export::TableFormat;
use crate::report::table::Table;

/// Where GitHub Actions takes it from.
const VARIABLE: &str = "GITHUB_STEP_SUMMARY";

/// An open summary.
#[derive(Debug)]
pub(super) struct StepSummary {
    path: PathBuf,
    file: File,
}

impl StepSummary {
    /// Opened where GitHub Actions asks for one. If that cannot be written, as in a container that does not see the folder, a
    /// note says so: nobody asked for it by hand.
    pub(super) fn open() -> Option<StepSummary> {
        let path: PathBuf = std::env::var_os(VARIABLE).filter(|path: &OsString| !path.is_empty())?.into();
        match OpenOptions::new().append(true).create(true).open(&path) {
            Ok(file) => Some(StepSummary { path, file }),
            Err(error) => {
                diagnose::note(&format!("no step summary: cannot write `{}` of {VARIABLE}: {error}", path.display()));
                None
            }
        }
    }

    /// Adds `tables`.
    pub(super) fn write(mut self, tables: &[Table]) -> Result<(), OutputError> {
        // What comes behind is a paragraph of its own.
        let written = TableFormat::Markdown.write(tables, &mut self.file).and_then(|()| self.file.write_all(b"\n"));
        written.map_err(|source| OutputError::Unwritable { path: self.path.clone(), source })
    }
}
