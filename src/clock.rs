//! Instants as offsets and back: a point in time takes a word, and the time between two is a subtraction.

use tokio::time::Instant;

use crate::units::Offset;

/// Counts nanoseconds from an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start: Instant,
}

impl Clock {
    /// Starts at `start`.
    pub(crate) fn starting_at(start: Instant) -> Clock {
        Clock { start }
    }

    /// When it starts.
    pub(crate) fn start(self) -> Instant {
        self.start
    }

    /// The offset of `instant`; zero for instants before the start.
    pub(crate) fn offset(self, instant: Instant) -> Offset {
        Offset::from_duration(instant.saturating_duration_since(self.start))
    }

    /// The instant at `offset`.
    pub(crate) fn instant(self, offset: Offset) -> Instant {
        self.start + offset.as_duration()
    }

    /// Now.
    pub(crate) fn now(self) -> Offset {
        self.offset(Instant::now())
    }
}
