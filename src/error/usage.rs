//! Mistakes on the command line, and in what stands for it elsewhere.

use std::io;

use super::reading_hint;
use super::schema::alternatives;

/// A mistake on the command line, or in a variable or a config that stands for it.
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
    /// A message that is longer than it may be.
    #[error("message {number} of the data has {bytes} bytes, and --max-send-message-size allows {most}")]
    MessageTooLong {
        /// Its place, from 1.
        number: usize,
        /// As it would be sent.
        bytes: u32,
        /// `--max-send-message-size`, in bytes.
        most: u64,
    },
    /// More connections than calls that could be in flight on them.
    #[error("{connections} connections are more than {in_flight} calls in flight can use")]
    TooManyConnections {
        /// `--connections`.
        connections: u32,
        /// `--concurrency`.
        in_flight: u32,
    },
    /// More connections than files that this process may open.
    #[error("{connections} connections need {needed} open files, and the system allows this process {allowed}")]
    TooFewOpenFiles {
        /// `--connections`.
        connections: u32,
        /// How many files there will be, those that are not connections included.
        needed: u64,
        /// The limit.
        allowed: u64,
    },
    /// The system gives no more threads.
    #[error("the system gives no thread for worker {number} of {workers}")]
    NoThread {
        /// Its number, from 1.
        number: usize,
        /// `--cpus`, as far as there are connections for them.
        workers: usize,
        /// What the system said.
        source: io::Error,
    },
    /// A word in the place of the target that is close to a command.
    #[error("`{word}` is no command, and no target either: a target is host:port")]
    NoSuchCommand {
        /// The word.
        word: String,
        /// The command.
        near: &'static str,
    },
    /// A word behind the target.
    #[error("`{word}` is one word too many: there is a target already")]
    OneWordTooMany {
        /// The word.
        word: String,
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
    /// A file that would be replaced while something else needs it.
    #[error("`{path}` cannot be written for {what}: {other} {} it", if *written { "writes" } else { "reads" })]
    FileTaken {
        /// Its path.
        path: String,
        /// What would write it.
        what: &'static str,
        /// What else names it.
        other: &'static str,
        /// Whether that writes it too.
        written: bool,
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
            UsageError::Unreadable { source, .. } => return reading_hint(source),
            UsageError::NoCalls => "to run for a time instead of a number of calls, give -z".to_owned(),
            UsageError::TooManyConnections { connections, in_flight } => {
                format!("raise -c to {connections}, or use --connections {in_flight}")
            }
            UsageError::TooFewOpenFiles { needed, .. } => {
                format!("allow more, such as with `ulimit -n {needed}`, or use fewer --connections")
            }
            UsageError::NoThread { .. } => {
                "use fewer --cpus, or allow more processes, such as with `ulimit -u`".to_owned()
            }
            UsageError::MessageTooLong { .. } => "send less, or raise --max-send-message-size".to_owned(),
            UsageError::NoSuchCommand { near, .. } => format!("did you mean `grpcbench {near}`?"),
            UsageError::OneWordTooMany { .. } => {
                "quote a value that has spaces in it, such as -d '{\"name\": \"Ann\"}'; switches take no value"
                    .to_owned()
            }
            UsageError::Conflict { .. } => "leave out one of them".to_owned(),
            UsageError::FileTaken { what, .. } => format!("name another file for {what}"),
            UsageError::CannotListen { address, source } if source.kind() == io::ErrorKind::AddrInUse => {
                match address.strip_prefix("unix:") {
                    None => "stop what listens there, or use port 0 for a free one".to_owned(),
                    Some(_) => "stop what listens there, or use a path where no file is".to_owned(),
                }
            }
            UsageError::Invalid { .. }
            | UsageError::NotAmong { .. }
            | UsageError::NoPingPong { .. }
            | UsageError::CannotListen { .. } => return None,
        };
        Some(hint)
    }

    /// The flag whose value is wrong, if it is one flag: `--timeout`.
    pub fn flag(&self) -> Option<&'static str> {
        match self {
            UsageError::Invalid { what, .. }
            | UsageError::NoUnit { what, .. }
            | UsageError::Unreadable { what, .. }
            | UsageError::FileTaken { what, .. } => Some(what),
            UsageError::NoCalls => Some("--total"),
            UsageError::TooManyConnections { .. } | UsageError::TooFewOpenFiles { .. } => Some("--connections"),
            UsageError::NoThread { .. } => Some("--cpus"),
            UsageError::NoSuchCommand { .. } => Some("the target"),
            _ => None,
        }
    }
}
