//! The recorder of one worker.

use super::{Detail, Details, Distribution, End, Failures, Reasons, Sample, Statuses};
use crate::units::Offset;

/// The times of a set of calls.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Latencies {
    /// From the real start to the end.
    pub service: Distribution,
    /// From the planned start to the end; `None` in a closed loop, where it is the service time.
    pub response: Option<Distribution>,
}

impl Latencies {
    fn new(open: bool) -> Latencies {
        Latencies { service: Distribution::new(), response: open.then(Distribution::new) }
    }

    /// The times that head a report: response times under a rate, service times in a closed loop.
    pub fn headline(&self) -> &Distribution {
        self.response.as_ref().unwrap_or(&self.service)
    }

    /// Adds all times of `other`, of a run of the same kind of loop.
    pub fn merge(&mut self, other: &Latencies) {
        self.service.merge(&other.service);
        if let (Some(mine), Some(theirs)) = (&mut self.response, &other.response) {
            mine.merge(theirs);
        }
    }

    fn record(&mut self, sample: &Sample) {
        self.service.record(sample.done.since(sample.sent));
        if let Some(response) = &mut self.response {
            response.record(sample.done.since(sample.due));
        }
    }
}

/// What went over the connections in calls that are counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Traffic {
    /// Messages sent.
    pub messages_sent: u64,
    /// Messages received.
    pub messages_received: u64,
    /// Bytes of the messages sent, without framing.
    pub message_bytes_sent: u64,
    /// Bytes of the messages received, without framing.
    pub message_bytes_received: u64,
}

impl Traffic {
    fn add(&mut self, sample: &Sample) {
        self.messages_sent += u64::from(sample.messages_sent);
        self.messages_received += u64::from(sample.messages_received);
        self.message_bytes_sent += u64::from(sample.bytes_sent);
        self.message_bytes_received += sample.bytes_received;
    }

    fn merge(&mut self, other: &Traffic) {
        self.messages_sent += other.messages_sent;
        self.messages_received += other.messages_received;
        self.message_bytes_sent += other.message_bytes_sent;
        self.message_bytes_received += other.message_bytes_received;
    }
}

/// Takes in the calls of one worker.
#[derive(Clone, PartialEq, Debug)]
pub struct Recorder {
    /// Calls that were due but never started.
    pub unsent: u64,
    /// Why some of them could not be sent; the others had no time left.
    pub unsent_reasons: Reasons,
    /// Calls cut off at the end.
    pub abandoned: u64,
    /// Calls that were due before a slot was free: the in-flight limit, not the client, made them late.
    pub limited: u64,
    /// When the last call left, abandoned ones included: the end of the time in which calls were made.
    pub last_sent: Offset,
    /// Calls that ended, by status.
    pub statuses: Statuses,
    /// What failed calls said.
    pub failures: Failures,
    /// Times of calls that ended OK.
    pub ok: Latencies,
    /// Times of calls that ended otherwise.
    pub failed: Latencies,
    /// How late calls left, those abandoned included; `None` in a closed loop.
    pub lag: Option<Distribution>,
    /// The part of `lag` that is ours: of calls that had a free slot in time.
    pub own_lag: Option<Distribution>,
    /// Messages and bytes of calls that ended.
    pub traffic: Traffic,
    /// Single calls, if they are wanted.
    pub details: Details,
}

impl Recorder {
    /// For an open or a closed loop; lists up to `details` single calls.
    pub fn new(open: bool, details: usize) -> Recorder {
        Recorder {
            unsent: 0,
            unsent_reasons: Reasons::default(),
            abandoned: 0,
            limited: 0,
            last_sent: Offset::ZERO,
            statuses: Statuses::default(),
            failures: Failures::default(),
            ok: Latencies::new(open),
            failed: Latencies::new(open),
            lag: open.then(Distribution::new),
            own_lag: open.then(Distribution::new),
            traffic: Traffic::default(),
            details: Details::with_cap(details),
        }
    }

    /// Takes in a call that was sent; `failure` is what it said if its status is not OK.
    pub fn record(&mut self, sample: &Sample, failure: &str) {
        self.last_sent = self.last_sent.max(sample.sent);
        self.record_lag(sample);
        if sample.end == End::Abandoned {
            self.abandoned += 1;
            return;
        }
        self.statuses.add(sample.status);
        self.traffic.add(sample);
        let row = if sample.status == 0 {
            self.ok.record(sample);
            None
        } else {
            self.failed.record(sample);
            self.failures.add(sample.status, failure)
        };
        if self.details.cap() > 0 {
            self.details.push(Detail {
                done: sample.done,
                response_ns: sample.done.since(sample.due),
                service_ns: sample.done.since(sample.sent),
                status: sample.status,
                failure: row,
            });
        }
    }

    /// Takes in a call that could not be sent, and why.
    pub fn record_unsent(&mut self, reason: &str) {
        self.unsent += 1;
        self.unsent_reasons.add(reason);
    }

    fn record_lag(&mut self, sample: &Sample) {
        let lag_ns = sample.sent.since(sample.due);
        if let Some(lag) = &mut self.lag {
            lag.record(lag_ns);
        }
        if let Some(own_lag) = &mut self.own_lag {
            if sample.slot_was_free {
                own_lag.record(lag_ns);
            } else {
                self.limited += 1;
            }
        }
    }

    /// Takes in all that `other` recorded.
    pub fn merge(&mut self, other: Recorder) {
        self.unsent += other.unsent;
        self.unsent_reasons.merge(&other.unsent_reasons);
        self.abandoned += other.abandoned;
        self.limited += other.limited;
        self.last_sent = self.last_sent.max(other.last_sent);
        self.statuses.merge(&other.statuses);
        let rows = self.failures.merge(&other.failures);
        self.ok.merge(&other.ok);
        self.failed.merge(&other.failed);
        for (mine, theirs) in [(&mut self.lag, &other.lag), (&mut self.own_lag, &other.own_lag)] {
            if let (Some(mine), Some(theirs)) = (mine, theirs) {
                mine.merge(theirs);
            }
        }
        self.traffic.merge(&other.traffic);
        self.details.merge(other.details, &rows);
    }

    /// Calls that ended with a status.
    pub fn done(&self) -> u64 {
        self.statuses.total()
    }

    /// Calls that were started.
    pub fn sent(&self) -> u64 {
        self.done() + self.abandoned
    }

    /// Calls that were due.
    pub fn arrivals(&self) -> u64 {
        self.sent() + self.unsent
    }

    /// Panics if a count contradicts another: a bug of ours.
    pub fn check(&self) {
        assert_eq!(self.ok.service.count(), self.statuses.count(0), "OK calls and their times");
        assert_eq!(self.ok.service.count() + self.failed.service.count(), self.done(), "calls done and their times");
        assert!(self.unsent_reasons.total() <= self.unsent, "reasons of calls that were not sent");
        if let Some(lag) = &self.lag {
            assert_eq!(lag.count(), self.sent(), "calls sent and their lag");
        }
    }
}
