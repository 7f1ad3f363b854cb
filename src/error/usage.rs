//! Mistakes on the command line, in the environment, and in configs.

use std::io;

use super::Excerpt;
use super::schema::alternatives;

/// A mistake on the command line, in a variable of the environment, or in a config.
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
    /// A word in a config or a variable that is none of those that can be there.
    #[error("`{value}` is no good value for {what}: it is {}", alternatives(known))]
    NotAmong {
        /// What, as it is written.
        what: String,
        /// As it was given.
        value: String,
        /// The words that can be there.
        known: Vec<String>,
    },
    /// A time that is a bare number.
    #[error("`{value}` is no good value for {what}: a time has a unit, such as 300ms, 1.5s or 1m30s")]
    NoUnit {
        /// What, as it is written.
        what: &'static str,
        /// As it was given.
        value: String,
    },
    /// A run without calls.
    #[error("`0` is no good value for --total: a run makes at least one call")]
    NoCalls,
    /// More connections than calls that could be in flight on them.
    #[error("{connections} connections are more than {in_flight} calls in flight can use")]
    TooManyConnections {
        /// `--connections`.
        connections: u32,
        /// `--concurrency`.
        in_flight: u32,
    },
    /// A word in the place of the target that is close to a command.
    #[error("`{word}` is no command, and no target either: a target is host:port")]
    NoSuchCommand {
        /// The word.
        word: String,
        /// The command.
        near: &'static str,
    },
    /// Two things that cannot both be meant.
    #[error("{one} and {other} contradict each other: {because}")]
    Conflict {
        /// The one, as it was given.
        one: String,
        /// The other, as it was given.
        other: String,
        /// Why.
        because: &'static str,
    },
    /// A file, or standard input, that cannot be read.
    #[error("cannot read {from} for {what}")]
    Unreadable {
        /// For what, as it is written.
        what: &'static str,
        /// From where: a file's name in backticks, or standard input.
        from: String,
        /// Why.
        source: io::Error,
    },
    /// A config that breaks the rules of its format.
    #[error("`{config}` is not {format}: {problem}")]
    NotAConfig {
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
    /// A wait for replies that do not match messages.
    #[error("--stream-ping-pong needs a bidirectional streaming method, and `{path}` is {kind}")]
    NoPingPong {
        /// The path of the method.
        path: String,
        /// What it is.
        kind: String,
    },
    /// The server that `serve` and `demo` start cannot listen.
    #[error("cannot listen on {address}")]
    CannotListen {
        /// Where.
        address: String,
        /// Why.
        source: io::Error,
    },
}

impl UsageError {
    pub(super) fn hint(&self) -> Option<String> {
        let hint = match self {
            UsageError::Missing { example, .. } => (*example).to_owned(),
            UsageError::NoUnit { value, .. } => format!("for seconds write {value}s"),
            UsageError::NoCalls => "to run for a time instead of a number of calls, give -z".to_owned(),
            UsageError::TooManyConnections { connections, in_flight } => {
                format!("raise -c to {connections}, or use --connections {in_flight}")
            }
            UsageError::NoSuchCommand { near, .. } => format!("did you mean `grpcbench {near}`?"),
            UsageError::Conflict { .. } => "leave out one of them".to_owned(),
            UsageError::CannotListen { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                "stop what listens there, or use port 0 for a free one".to_owned()
            }
            UsageError::NotAConfig { excerpt: None, .. } => {
                "call it .json, .toml or .yaml to be told where the mistake is".to_owned()
            }
            UsageError::UnknownKey { near, .. } if !near.is_empty() => format!("did you mean {}?", alternatives(near)),
            UsageError::UnknownKey { .. } => {
                "leave it out, or pass over what is unknown with --config-lenient".to_owned()
            }
            UsageError::KeyTwice { .. } => "leave one of them out; upper and lower case are the same".to_owned(),
            UsageError::NotAConfig { .. }
            | UsageError::KeyValue { .. }
            | UsageError::Invalid { .. }
            | UsageError::NotAmong { .. }
            | UsageError::Unreadable { .. }
            | UsageError::NoPingPong { .. }
            | UsageError::CannotListen { .. } => return None,
        };
        Some(hint)
    }

    pub(super) fn excerpt(&self) -> Option<&Excerpt> {
        match self {
            UsageError::NotAConfig { excerpt, .. } => excerpt.as_ref(),
            UsageError::UnknownKey { excerpt, .. }
            | UsageError::KeyTwice { excerpt, .. }
            | UsageError::KeyValue { excerpt, .. } => Some(excerpt),
            _ => None,
        }
    }

    /// The flag whose value is wrong, if it is one flag: `--timeout`.
    pub fn flag(&self) -> Option<&'static str> {
        match self {
            UsageError::Invalid { what, .. }
            | UsageError::NoUnit { what, .. }
            | UsageError::Unreadable { what, .. } => Some(what),
            UsageError::NoCalls => Some("--total"),
            UsageError::TooManyConnections { .. } => Some("--connections"),
            UsageError::NoSuchCommand { .. } => Some("the target"),
            _ => None,
        }
    }
}
