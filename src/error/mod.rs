//! What a user can put right: one [`Error`] with facts, a hint, and an exit code.
//!
//! Kinds carry facts (the thing, the value, the rule); sentences are made from them here and nowhere else. A call that
//! fails during a run is not an error but a result.

mod config;
mod connect;
mod data;
mod gate;
mod output;
mod schema;
mod stored;
mod sweep;
mod usage;

use std::fmt;
use std::io;

pub use config::ConfigError;
pub use connect::ConnectError;
pub use data::DataError;
pub use gate::GateError;
pub use output::OutputError;
pub use schema::{Origin, SchemaError};
pub use stored::StoredError;
pub use sweep::SweepError;
pub use usage::UsageError;

/// A mistake that kept a run from starting.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// On the command line, or in a value of a config or variable.
    #[error(transparent)]
    Usage(#[from] UsageError),
    /// In a config.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// In a `.proto` file or descriptor, or a name that is not in them.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// In the data or metadata of the calls.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The target could not be reached, or did not agree to talk.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// In what is expected of runs, or in what runs are compared.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// A report has nowhere to go.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A stored report that cannot be read.
    #[error(transparent)]
    Stored(#[from] StoredError),
    /// The folder of a sweep cannot be used.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// A mistake in a value that was written in a config or a variable of the environment.
    #[error(transparent)]
    Placed(#[from] Placed),
}

/// A mistake, and the text outside of the command line that holds the value: a config, or a variable.
#[derive(Debug)]
pub struct Placed {
    /// The mistake.
    pub error: Box<Error>,
    /// The value where it was written.
    pub excerpt: Excerpt,
}

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Placed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

impl Error {
    /// One action that would help.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Usage(error) => error.hint(),
            Error::Config(error) => error.hint(),
            Error::Schema(error) => error.hint(),
            Error::Data(error) => error.hint(),
            Error::Connect(error) => error.hint(),
            Error::Gate(error) => error.hint(),
            Error::Output(error) => error.hint(),
            Error::Stored(error) => error.hint(),
            Error::Sweep(error) => Some(error.hint()),
            Error::Placed(placed) => placed.error.hint(),
        }
    }

    /// The text that the error points into, if it does.
    pub fn excerpt(&self) -> Option<&Excerpt> {
        match self {
            Error::Schema(error) => error.excerpt(),
            Error::Data(error) => error.excerpt(),
            Error::Config(error) => error.excerpt(),
            Error::Placed(placed) => Some(&placed.excerpt),
            Error::Usage(_)
            | Error::Gate(_)
            | Error::Connect(_)
            | Error::Output(_)
            | Error::Stored(_)
            | Error::Sweep(_) => None,
        }
    }

    /// The exit code of the process: 2 for mistakes found before anything was sent, 3 for a target out of reach.
    pub fn exit(&self) -> u8 {
        match self {
            Error::Usage(_)
            | Error::Config(_)
            | Error::Schema(_)
            | Error::Data(_)
            | Error::Gate(_)
            | Error::Connect(ConnectError::BadRoot { .. })
            | Error::Output(_)
            | Error::Stored(_)
            | Error::Sweep(_) => 2,
            Error::Connect(_) => 3,
            Error::Placed(placed) => placed.error.exit(),
        }
    }
}

/// What helps where a file cannot be read.
fn reading_hint(source: &io::Error) -> Option<String> {
    let endless = source.kind() == io::ErrorKind::FileTooLarge;
    endless.then(|| "give a smaller one; a device and a pipe may have no end".to_owned())
}

/// A place in a text that someone wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Excerpt {
    /// Where the text comes from: a file's name, `--data`.
    pub origin: String,
    /// The whole text.
    pub text: String,
    /// The byte at which the mistake starts.
    pub offset: usize,
    /// How many bytes it covers; 0 for a point.
    pub len: usize,
    /// What is wrong there, in a few words.
    pub label: String,
}

/// Several mistakes, shown together.
#[derive(Debug, Default)]
pub struct Problems(Vec<Error>);

impl Problems {
    /// None yet.
    pub fn new() -> Problems {
        Problems::default()
    }

    /// Adds a mistake.
    pub fn push(&mut self, error: impl Into<Error>) {
        self.0.push(error.into());
    }

    /// Keeps the value of `result`, or its mistakes.
    pub fn keep<T, E: Into<Problems>>(&mut self, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(problems) => {
                self.0.extend(problems.into().0);
                None
            }
        }
    }

    /// `Ok` if there are none.
    pub fn into_result(self) -> Result<(), Problems> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }

    /// Each of them, changed.
    #[must_use]
    pub fn map(self, change: impl FnMut(Error) -> Error) -> Problems {
        Problems(self.0.into_iter().map(change).collect())
    }

    /// The mistakes, in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Error> {
        self.0.iter()
    }

    /// The exit code of the first.
    pub fn exit(&self) -> u8 {
        self.0.first().map_or(2, Error::exit)
    }
}

impl<E: Into<Error>> From<E> for Problems {
    fn from(error: E) -> Problems {
        Problems(vec![error.into()])
    }
}

impl IntoIterator for Problems {
    type Item = Error;
    type IntoIter = std::vec::IntoIter<Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Error;
    type IntoIter = std::slice::Iter<'a, Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
