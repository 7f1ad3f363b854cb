//! The clock of a run: instants to offsets and back.

use tokio::time::Instant;

use crate::units::Offset;

/// Counts from the start of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    start: Instant,
}

impl Clock {
    /// Starts at `start`.
    pub(super) fn starting_at(start: Instant) -> Clock {
        Clock { start }
    }

    /// When it starts.
    pub(super) fn start(self) -> Instant {
        self.start
    }

    /// The offset of `instant`; zero for instants before the start.
    pub(super) fn offset(self, instant: Instant) -> Offset {
        Offset::from_duration(instant.saturating_duration_since(self.start))
    }

    /// The instant at `offset`.
    pub(super) fn instant(self, offset: Offset) -> Instant {
        self.start + offset.as_duration()
    }

    /// Now.
    pub(super) fn now(self) -> Offset {
        self.offset(Instant::now())
    }
}
