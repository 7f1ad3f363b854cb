//! What the workers of a run tell each other while it goes on, which is little: when calls began to count, that there
//! are no more, and how many failed. What they are told: that time passes. And what they let others see, if somebody
//! looks.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;

use super::stop::Stop;
use crate::plan::MaxFailures;
use crate::record::{Pulse, Sample};
use crate::units::Offset;

/// Where workers meet.
#[derive(Debug)]
pub(super) struct Meeting {
    /// When calls began to count, once that is known.
    measured_from: OnceLock<Offset>,
    /// The same, for those who wait for it; the other is asked at each call, and without a lock.
    pub(super) measuring: watch::Sender<Option<Offset>>,
    /// Whether all calls of a closed loop have been taken.
    pub(super) taken: watch::Sender<bool>,
    /// Changes now and then, for workers that have nothing else to tell them that time passes: a timer of their own would
    /// make each of their waits dearer.
    pub(super) time_passes: watch::Sender<()>,
    max_failures: Option<MaxFailures>,
    /// By worker; each writes its own, so that no cache line goes back and forth.
    counts: Vec<Counts>,
    /// By worker; empty if nobody looks.
    pulses: Vec<Pulse>,
    stop: Stop,
}

#[derive(Default, Debug)]
#[repr(align(128))]
struct Counts {
    done: AtomicU64,
    failed: AtomicU64,
}

/// A share is judged once so many calls have ended: before, a single failure is a large part.
const JUDGED_FROM: u64 = 100;

impl Meeting {
    /// Of `workers` workers. `stop` is told when more calls fail than `max_failures` allows.
    pub(super) fn new(workers: usize, max_failures: Option<MaxFailures>, stop: Stop) -> Meeting {
        Meeting {
            measured_from: OnceLock::new(),
            measuring: watch::Sender::new(None),
            taken: watch::Sender::new(false),
            time_passes: watch::Sender::new(()),
            max_failures,
            counts: (0..workers).map(|_| Counts::default()).collect(),
            pulses: Vec::new(),
            stop,
        }
    }

    /// The same for a run that somebody looks at.
    pub(super) fn seen(self) -> Meeting {
        Meeting { pulses: self.counts.iter().map(|_| Pulse::default()).collect(), ..self }
    }

    /// Calls count from `at`, unless that has been said before.
    pub(super) fn measure_from(&self, at: Offset) {
        if self.measured_from.set(at).is_ok() {
            self.measuring.send_replace(Some(at));
        }
    }

    /// When calls began to count; `now` if they have not yet.
    pub(super) fn counted_from(&self, now: Offset) -> Offset {
        self.measured_from().unwrap_or(now)
    }

    /// When calls began to count; `None` if they have not yet.
    pub(super) fn measured_from(&self) -> Option<Offset> {
        self.measured_from.get().copied()
    }

    /// What can be seen of each worker.
    pub(super) fn pulses(&self) -> &[Pulse] {
        &self.pulses
    }

    /// A call of `worker` leaves.
    pub(super) fn show_start(&self, worker: usize) {
        if let Some(pulse) = self.pulses.get(worker) {
            pulse.started();
        }
    }

    /// A call of `worker` is over: how, and whether it counts; `None` if it could not be sent.
    pub(super) fn show_end(&self, worker: usize, sample: Option<(&Sample, bool)>) {
        match (self.pulses.get(worker), sample) {
            (Some(pulse), Some((sample, measured))) => pulse.ended(sample, measured),
            (Some(pulse), None) => pulse.unsent(),
            (None, _) => {}
        }
    }

    /// All calls have been taken.
    pub(super) fn all_taken(&self) {
        self.taken.send_if_modified(|taken| !std::mem::replace(taken, true));
    }

    /// A call of `worker` that counts has ended. Returns whether the run is to stop because too many have failed.
    pub(super) fn ended(&self, worker: usize, failed: bool) -> bool {
        let counts = &self.counts[worker];
        // No other thread writes here, so that a load and a store are enough.
        let one_more = |count: &AtomicU64| count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        one_more(&counts.done);
        if !failed {
            return false;
        }
        one_more(&counts.failed);
        let too_many = self.max_failures.is_some_and(|max| self.exceeds(max));
        if too_many {
            self.stop.failures();
        }
        too_many
    }

    fn exceeds(&self, max: MaxFailures) -> bool {
        let sum =
            |of: fn(&Counts) -> &AtomicU64| self.counts.iter().map(|one| of(one).load(Ordering::Relaxed)).sum::<u64>();
        let failed = sum(|one| &one.failed);
        match max {
            MaxFailures::Calls(calls) => failed > calls,
            MaxFailures::Share(share) => {
                let done = sum(|one| &one.done);
                done >= JUDGED_FROM && failed as f64 > share * done as f64
            }
        }
    }
}
