//! Mistakes on the command line.

/// A mistake on the command line.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// Something that has no default was left out.
    #[error("{what} is missing")]
    Missing {
        /// What, as it is written: `--call`.
        what: &'static str,
        /// How to give it.
        example: &'static str,
    },
    /// A value that breaks its rule.
    #[error("`{value}` is no good value for {what}: {rule}")]
    Invalid {
        /// What, as it is written.
        what: &'static str,
        /// As it was given.
        value: String,
        /// The rule.
        rule: String,
    },
}

impl UsageError {
    pub(super) fn hint(&self) -> Option<String> {
        match self {
            UsageError::Missing { example, .. } => Some((*example).to_owned()),
            UsageError::Invalid { .. } => None,
        }
    }
}
