//! Folders that a sweep cannot use.

use super::StoredError;

/// The folder of a sweep cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// It was begun with other flags.
    #[error("`{folder}` holds another sweep: {}", differences.join("; "))]
    OtherPlan {
        /// The folder.
        folder: String,
        /// What is different, each in a few words.
        differences: Vec<String>,
    },
    /// It has files, and nothing says that they are of a sweep.
    #[error("`{folder}` is not empty, and holds no sweep")]
    NoSweep {
        /// The folder.
        folder: String,
    },
    /// The file that says what it holds cannot be understood.
    #[error("`{file}` does not say what the sweep in its folder is: {problem}")]
    Unreadable {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The report of a cell cannot be understood.
    #[error(transparent)]
    NoReport(StoredError),
}

impl SweepError {
    pub(super) fn hint(&self) -> String {
        match self {
            SweepError::NoReport(_) => "remove the file, and its cell is run again".to_owned(),
            SweepError::OtherPlan { .. } => {
                "give another folder to --dir, or the flags with which this one was begun".to_owned()
            }
            SweepError::NoSweep { .. } | SweepError::Unreadable { .. } => {
                "give a new or an empty folder to --dir".to_owned()
            }
        }
    }
}
