//! What goes wrong with which call: delays, errors and stalls at work.
//!
//! Invariant: without faults nothing here awaits, draws, counts or reads a clock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};
use tonic::Status;

use super::portion::draw;
use super::{Delay, ErrorShare, Options, Stall};
use crate::units::Offset;

/// Delays and errors draw from the same seed; this keeps them independent of each other.
const ERROR_SALT: u64 = 0x6572_726f_7273_2121;

/// The faults of one server.
#[derive(Debug)]
pub(super) struct Faults {
    delay: Option<Delay>,
    errors: Vec<ErrorShare>,
    stall: Option<Stall>,
    seed: u64,
    replies: AtomicU64,
    calls: AtomicU64,
    first_call: OnceLock<Instant>,
}

impl Faults {
    pub(super) fn new(options: &Options) -> Faults {
        Faults {
            delay: options.delay.clone().filter(|delay| *delay != Delay::fixed(Duration::ZERO)),
            errors: options.errors.clone(),
            stall: options.stall,
            seed: options.seed,
            replies: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            first_call: OnceLock::new(),
        }
    }

    /// Waits until a call that has just come in may be worked on, and says what it ends with: a reply, or an error that
    /// has to [wait](Faults::reply) like one.
    pub(super) async fn call(&self) -> Result<(), Status> {
        // Drawn first: so many calls have so many errors, even if their clients do not wait for the end.
        let verdict = self.verdict();
        if let Some(stall) = self.stall {
            self.sit_out(stall).await;
        }
        verdict
    }

    /// Waits until a reply, or the error in its place, may go out.
    pub(super) async fn reply(&self) {
        if let Some(delay) = &self.delay {
            let drawn =
                if delay.is_fixed() { 0 } else { draw(self.seed, self.replies.fetch_add(1, Ordering::Relaxed)) };
            let delay = delay.at(drawn);
            if !delay.is_zero() {
                sleep(delay).await;
            }
        }
        if let Some(stall) = self.stall {
            self.sit_out(stall).await;
        }
    }

    fn verdict(&self) -> Result<(), Status> {
        if self.errors.is_empty() {
            return Ok(());
        }
        let drawn = draw(self.seed ^ ERROR_SALT, self.calls.fetch_add(1, Ordering::Relaxed));
        let mut end = 0;
        for error in &self.errors {
            end += error.portion().parts();
            if drawn < end {
                return Err(error.status());
            }
        }
        Ok(())
    }

    async fn sit_out(&self, stall: Stall) {
        let now = Instant::now();
        let first_call = *self.first_call.get_or_init(|| now);
        let ready = Offset::from_duration(now.saturating_duration_since(first_call));
        if let Some(end) = stall.end(ready) {
            sleep_until(first_call + end.as_duration()).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::*;

    /// Which of 1000 calls fail, and with what.
    fn codes(errors: &[&str], seed: u64) -> Vec<Option<Code>> {
        let errors = errors.iter().map(|text| text.parse().unwrap()).collect();
        let faults = Faults::new(&Options { errors, seed, ..Options::default() });
        (0..1_000).map(|_| faults.verdict().err().map(|status| status.code())).collect()
    }

    #[test]
    fn errors_come_by_share_and_seed() {
        let both = ["UNAVAILABLE:10%", "NOT_FOUND:20%"];
        let drawn = codes(&both, 7);
        assert_eq!(drawn, codes(&both, 7));
        assert_ne!(drawn, codes(&both, 8));
        let count = |code| drawn.iter().filter(|drawn| **drawn == code).count();
        // Three standard deviations either way; the seed is fixed, so this holds always or never.
        assert!((72..=128).contains(&count(Some(Code::Unavailable))));
        assert!((162..=238).contains(&count(Some(Code::NotFound))));
        assert_eq!(count(None) + count(Some(Code::Unavailable)) + count(Some(Code::NotFound)), 1_000);
    }

    #[test]
    fn a_share_of_all_spares_nobody_and_no_share_hits_nobody() {
        assert!(codes(&["ABORTED:99%", "INTERNAL:1%"], 3).iter().all(Option::is_some));
        assert!(codes(&[], 3).iter().all(Option::is_none));
    }
}
