//! Mistakes in `.proto` files and descriptors, and names that are not in them.

use super::Excerpt;

/// A mistake in a schema, or a name that is not in it.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The method to call is not written as one.
    #[error("`{call}` is no method name")]
    BadMethodName {
        /// As it was given.
        call: String,
    },
}

impl SchemaError {
    pub(super) fn hint(&self) -> Option<String> {
        match self {
            SchemaError::BadMethodName { .. } => {
                Some("write it as package.Service.Method or package.Service/Method".to_owned())
            }
        }
    }

    pub(super) fn excerpt(&self) -> Option<&Excerpt> {
        match self {
            SchemaError::BadMethodName { .. } => None,
        }
    }
}
