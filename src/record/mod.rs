//! What was measured: samples go in, histograms and counts come out. No gRPC, no async, no clock.
//!
//! Each worker owns a [`Recorder`]; at the end they are merged into one [`Recording`]. Recording a call takes no lock and
//! allocates nothing, unless the call failed with a text that was not seen before.
//!
//! The identities that hold at any time: arrivals = sent + unsent; sent = done + abandoned;
//! the sum over statuses = done = the counts of the histograms.

mod by_connection;
mod details;
mod distribution;
mod failures;
mod http2;
mod machine;
mod packed;
mod phases;
mod pulse;
mod reasons;
mod recorder;
mod recording;
mod series;
mod statuses;
mod streams;
#[cfg(test)]
mod tests;

use crate::units::Offset;

pub use by_connection::{ByConnection, ConnectionCalls};
pub use details::{Detail, Details};
pub use distribution::{Distribution, Exact, HIGHEST_NS};
pub use failures::{Failure, Failures};
pub use http2::{CodeCounts, FrameCounts, Http2, PeerSettings, Peers};
pub use machine::Machine;
pub use phases::{PhaseRecorder, PhaseTimes, Phases};
pub use pulse::{Glance, Pulse};
pub use reasons::Reasons;
pub use recorder::{Latencies, Recorder, StatusTimes, Traffic};
pub use recording::{ConnectTimes, Connected, Connections, EndReason, Recording, Warmup, WorkerUse};
pub use series::{Past, ROWS_MAX, Row, Series, Slice, Slices};
pub use statuses::Statuses;
pub use streams::StreamTimes;

/// More calls than this are in no recording: sums over a thousand of them still fit.
pub const COUNT_MAX: u64 = 1 << 48;

/// One call that was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The planned start; in a closed loop the same as `sent`.
    pub due: Offset,
    /// The real start.
    pub sent: Offset,
    /// The end.
    pub done: Offset,
    /// What happened in between, and when.
    pub phases: Phases,
    /// Message bytes of the answer as they came (payload, without framing).
    pub bytes_received: u64,
    /// The same with compressed messages unpacked.
    pub bytes_unpacked: u64,
    /// Message bytes that were sent.
    pub bytes_sent: u64,
    /// Messages that came.
    pub messages_received: u32,
    /// Messages that were sent.
    pub messages_sent: u32,
    /// The gRPC status by number; 0 is OK.
    pub status: u32,
    /// How it ended.
    pub end: End,
    /// Whether a slot was free before the call was due, so that any lag is our own and not the in-flight limit's.
    pub slot_was_free: bool,
}

const _: () = assert!(size_of::<Sample>() <= 96, "a sample is a cache line and a half");

impl Sample {
    /// A call that was `due`, left at `sent` and ended OK at `done`: one empty message each way, nothing in between, and a
    /// free slot in time. Whoever knows more changes the fields.
    pub fn answered(due: Offset, sent: Offset, done: Offset) -> Sample {
        Sample {
            due,
            sent,
            done,
            phases: Phases::default(),
            bytes_received: 0,
            bytes_unpacked: 0,
            bytes_sent: 0,
            messages_received: 1,
            messages_sent: 1,
            status: 0,
            end: End::Done,
            slot_was_free: true,
        }
    }
}

/// How a call that was sent ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// With a status.
    Done,
    /// Cut off at the end of the run: in no status and no latency.
    Abandoned,
}
