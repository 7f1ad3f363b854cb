//! Mistakes in the data and metadata of calls.

use super::Excerpt;

/// A mistake in the data or metadata of the calls.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// There is an array of messages, and it is empty.
    #[error("{origin} is an empty list: there is nothing to send")]
    NothingToSend {
        /// Where the data comes from.
        origin: String,
    },
}

impl DataError {
    pub(super) fn hint(&self) -> Option<String> {
        match self {
            DataError::NothingToSend { .. } => Some("leave the data out to send the empty message".to_owned()),
        }
    }

    pub(super) fn excerpt(&self) -> Option<&Excerpt> {
        match self {
            DataError::NothingToSend { .. } => None,
        }
    }
}
