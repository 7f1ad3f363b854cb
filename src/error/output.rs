//! Reports and other texts that have nowhere to go.

use std::path::PathBuf;

/// A report has nowhere to go.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The file cannot be made or written.
    #[error("cannot write `{}`", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Standard output takes no more.
    #[error("cannot write to standard output")]
    NoStandardOutput {
        /// Why.
        source: std::io::Error,
    },
}

impl OutputError {
    pub(super) fn hint(&self) -> Option<String> {
        match self {
            OutputError::Unwritable { path, source } if source.kind() == std::io::ErrorKind::NotFound => {
                Some(format!("make the folder `{}` first", path.parent().unwrap_or(path).display()))
            }
            OutputError::Unwritable { .. } | OutputError::NoStandardOutput { .. } => None,
        }
    }
}
