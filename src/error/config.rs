//! Mistakes in configs.

use super::Excerpt;
use super::schema::alternatives;

/// A mistake in a config. What a flag does not take is a [`UsageError`](super::UsageError), also in a config.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A config that breaks the rules of its format.
    #[error("`{config}` is not {format}: {problem}")]
    Syntax {
        /// The file.
        config: String,
        /// What it should be, as in `JSON`.
        format: &'static str,
        /// What is wrong.
        problem: String,
        /// Where; `None` if it could be meant as one of several formats, and is none of them.
        excerpt: Option<Excerpt>,
    },
    /// A key of a config that is no flag.
    #[error("`{config}` sets `{key}`, and there is no flag of that name")]
    UnknownKey {
        /// The file.
        config: String,
        /// The key as it is written.
        key: String,
        /// Flags with a similar name, best first.
        near: Vec<String>,
        /// The key.
        excerpt: Excerpt,
    },
    /// A key of a config that is there twice, in one spelling or in two.
    #[error("`{config}` sets `{key}` twice")]
    KeyTwice {
        /// The file.
        config: String,
        /// The flag, without its dashes.
        key: String,
        /// The second time.
        excerpt: Excerpt,
    },
    /// There are more mistakes than are listed.
    #[error("`{config}` has {count} more mistakes")]
    More {
        /// The file.
        config: String,
        /// How many.
        count: usize,
    },
    /// A value in a config that is of another kind than its flag takes.
    #[error("`{key}` in `{config}` wants {wanted}, not {found}")]
    KeyValue {
        /// The file.
        config: String,
        /// The flag, without its dashes.
        key: String,
        /// What could be there.
        wanted: &'static str,
        /// What is there.
        found: &'static str,
        /// The value.
        excerpt: Excerpt,
    },
}

impl ConfigError {
    pub(super) fn hint(&self) -> Option<String> {
        let hint = match self {
            ConfigError::Syntax { excerpt: None, .. } => {
                "call it .json, .toml or .yaml to be told where the mistake is".to_owned()
            }
            ConfigError::UnknownKey { near, .. } if !near.is_empty() => format!("did you mean {}?", alternatives(near)),
            ConfigError::UnknownKey { .. } => {
                "leave it out, or pass over what is unknown with --config-lenient".to_owned()
            }
            ConfigError::KeyTwice { .. } => "leave one of them out; upper and lower case are the same".to_owned(),
            ConfigError::Syntax { .. } | ConfigError::KeyValue { .. } | ConfigError::More { .. } => return None,
        };
        Some(hint)
    }

    pub(super) fn excerpt(&self) -> Option<&Excerpt> {
        match self {
            ConfigError::Syntax { excerpt, .. } => excerpt.as_ref(),
            ConfigError::More { .. } => None,
            ConfigError::UnknownKey { excerpt, .. }
            | ConfigError::KeyTwice { excerpt, .. }
            | ConfigError::KeyValue { excerpt, .. } => Some(excerpt),
        }
    }
}
