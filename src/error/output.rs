//! Reports that have nowhere to go.

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
}

impl OutputError {
    pub(super) fn hint(&self) -> Option<String> {
        let OutputError::Unwritable { path, source } = self;
        match source.kind() {
            std::io::ErrorKind::NotFound => {
                Some(format!("make the folder `{}` first", path.parent().unwrap_or(path).display()))
            }
            _ => None,
        }
    }
}
