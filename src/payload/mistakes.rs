//! The mistakes in a text that may have a great many.

use crate::error::{DataError, Problems};

/// How many mistakes of a text are told one by one.
pub(super) const SHOWN: usize = 10;

/// The first mistakes in a text. Each is told with a copy of the text, so that a mistake in every line of a long one would
/// cost its square.
pub(super) struct Mistakes<'a> {
    /// Where the text comes from.
    origin: &'a str,
    problems: Problems,
    stopped: bool,
}

impl<'a> Mistakes<'a> {
    pub(super) fn new(origin: &'a str) -> Mistakes<'a> {
        Mistakes { origin, problems: Problems::new(), stopped: false }
    }

    /// Keeps the value of `result`, or its mistakes.
    pub(super) fn keep<T, E: Into<Problems>>(&mut self, result: Result<T, E>) -> Option<T> {
        self.problems.keep(result)
    }

    /// Adds a mistake.
    pub(super) fn push(&mut self, error: DataError) {
        self.problems.push(error);
    }

    /// Whether there are as many as are told, and the rest of the text is not to be read.
    pub(super) fn enough(&mut self) -> bool {
        self.stopped |= self.problems.iter().count() >= SHOWN;
        self.stopped
    }

    /// `Ok` if there are none.
    pub(super) fn finish(mut self) -> Result<(), Problems> {
        if self.stopped {
            self.problems.push(DataError::Rest { origin: self.origin.to_owned() });
        }
        self.problems.into_result()
    }
}
