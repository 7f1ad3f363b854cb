//! The recorder of one worker.

use super::phases::PhaseRecorder;
use super::statuses::NAMED;
use super::{Detail, Details, Distribution, End, Failures, PhaseTimes, Reasons, Sample, Statuses, StreamTimes};
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

    /// The same with the memory for times.
    fn with_room(self) -> Latencies {
        let Latencies { service: _, response } = self;
        Latencies { service: Distribution::with_room(), response: response.map(|_| Distribution::with_room()) }
    }

    /// The times that head a report: response times under a rate, service times in a closed loop.
    pub fn headline(&self) -> &Distribution {
        self.response.as_ref().unwrap_or(&self.service)
    }

    /// Takes in all times of `other`, of a run of the same kind of loop.
    fn absorb(&mut self, other: Latencies) {
        self.service.absorb(other.service);
        if let (Some(mine), Some(theirs)) = (&mut self.response, other.response) {
            mine.absorb(theirs);
        }
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

/// The times of calls that ended with one status.
#[derive(Clone, PartialEq, Debug)]
pub struct StatusTimes {
    /// The status by number; `None` for all whose number gRPC does not name.
    pub status: Option<u32>,
    /// Their times.
    pub times: Latencies,
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
    /// Bytes of the messages received as they came, without framing.
    pub message_bytes_received: u64,
    /// The same with compressed messages unpacked.
    pub message_bytes_unpacked: u64,
}

impl Traffic {
    fn add(&mut self, sample: &Sample) {
        self.messages_sent += u64::from(sample.messages_sent);
        self.messages_received += u64::from(sample.messages_received);
        self.message_bytes_sent += sample.bytes_sent;
        self.message_bytes_received += sample.bytes_received;
        self.message_bytes_unpacked += sample.bytes_unpacked;
    }

    fn merge(&mut self, other: &Traffic) {
        self.messages_sent += other.messages_sent;
        self.messages_received += other.messages_received;
        self.message_bytes_sent += other.message_bytes_sent;
        self.message_bytes_received += other.message_bytes_received;
        self.message_bytes_unpacked += other.message_bytes_unpacked;
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
    /// When the last of the calls that left was due.
    pub last_due: Offset,
    /// Calls that ended, by status.
    pub statuses: Statuses,
    /// What failed calls said.
    pub failures: Failures,
    /// Times of calls that ended OK.
    pub ok: Latencies,
    /// The phases of these calls.
    pub phases: PhaseRecorder,
    /// Times of calls that ended otherwise, by status: rows for those that occurred, in the order of their numbers.
    pub failed: Vec<StatusTimes>,
    /// Calls cut off at the end that are not to be counted: they are in no other number.
    pub ignored: u64,
    /// How long all calls that were cut off had been under way, those that are ignored too: time in which callers were busy.
    pub cut_off_ns: u64,
    /// How late calls left, those abandoned included; `None` in a closed loop.
    pub lag: Option<Distribution>,
    /// The part of `lag` that is ours: of calls that had a free slot in time.
    pub own_lag: Option<Distribution>,
    /// Messages and bytes of calls that ended.
    pub traffic: Traffic,
    /// What happened inside streaming calls; `None` for unary ones.
    pub streams: Option<StreamTimes>,
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
            last_due: Offset::ZERO,
            statuses: Statuses::default(),
            failures: Failures::default(),
            ok: Latencies::new(open),
            phases: PhaseRecorder::default(),
            failed: Vec::new(),
            ignored: 0,
            cut_off_ns: 0,
            lag: open.then(Distribution::new),
            own_lag: open.then(Distribution::new),
            traffic: Traffic::default(),
            streams: None,
            details: Details::with_cap(details),
        }
    }

    /// The same with the memory for all that is measured of calls that end OK: the first ones, and those in flight beside
    /// them, don't wait for it. For a recorder that has taken in nothing.
    #[must_use]
    pub fn with_room(self) -> Recorder {
        let room = |times: Option<Distribution>| times.map(|_| Distribution::with_room());
        Recorder {
            ok: self.ok.with_room(),
            phases: PhaseRecorder::with_room(),
            lag: room(self.lag),
            own_lag: room(self.own_lag),
            ..self
        }
    }

    /// Takes in a call that was sent; `failure` is what it said if its status is not OK.
    pub fn record(&mut self, sample: &Sample, failure: &str) {
        self.last_sent = self.last_sent.max(sample.sent);
        self.last_due = self.last_due.max(sample.due);
        self.record_lag(sample);
        if sample.end == End::Abandoned {
            self.abandoned += 1;
            self.note_cut_off(sample);
            return;
        }
        self.statuses.add(sample.status);
        self.traffic.add(sample);
        let row = if sample.status == 0 {
            self.ok.record(sample);
            self.phases.record(&sample.phases, sample.done.since(sample.sent));
            None
        } else {
            self.failed_with(sample.status).record(sample);
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

    /// The times of calls that failed with this status. The first one of its kind makes the histograms. Statuses that have
    /// no name share theirs, so that a server cannot make us keep any number of them.
    fn failed_with(&mut self, status: u32) -> &mut Latencies {
        self.row(Some(status).filter(|status| (*status as usize) < NAMED))
    }

    fn row(&mut self, status: Option<u32>) -> &mut Latencies {
        let key = |status: Option<u32>| status.unwrap_or(u32::MAX);
        let place = match self.failed.binary_search_by_key(&key(status), |row| key(row.status)) {
            Ok(place) => place,
            Err(place) => {
                let times = Latencies::new(self.lag.is_some());
                self.failed.insert(place, StatusTimes { status, times });
                place
            }
        };
        &mut self.failed[place].times
    }

    /// The times of all calls that ended with a status other than OK.
    pub fn failed_times(&self) -> Latencies {
        let mut all = Latencies::new(self.lag.is_some());
        for row in &self.failed {
            all.merge(&row.times);
        }
        all
    }

    /// How long the calls that ended OK were in each of their phases.
    pub fn phases(&self) -> PhaseTimes {
        self.phases.times()
    }

    /// Takes in a call that was cut off and is not to be counted.
    pub fn record_ignored(&mut self, sample: &Sample) {
        self.ignored += 1;
        self.note_cut_off(sample);
    }

    fn note_cut_off(&mut self, sample: &Sample) {
        self.cut_off_ns = self.cut_off_ns.saturating_add(sample.done.since(sample.sent));
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
        self.last_due = self.last_due.max(other.last_due);
        self.statuses.merge(&other.statuses);
        let rows = self.failures.merge(&other.failures);
        self.ok.absorb(other.ok);
        self.phases.absorb(other.phases);
        for row in &other.failed {
            self.row(row.status).merge(&row.times);
        }
        self.ignored += other.ignored;
        self.cut_off_ns = self.cut_off_ns.saturating_add(other.cut_off_ns);
        for (mine, theirs) in [(&mut self.lag, other.lag), (&mut self.own_lag, other.own_lag)] {
            if let (Some(mine), Some(theirs)) = (mine, theirs) {
                mine.absorb(theirs);
            }
        }
        self.traffic.merge(&other.traffic);
        if let Some(streams) = &other.streams {
            self.streams.get_or_insert_default().merge(streams);
        }
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
        if let Some(contradiction) = self.contradiction() {
            panic!("{contradiction}");
        }
    }

    /// The first two numbers that should be one and are not, if there are such.
    pub fn contradiction(&self) -> Option<String> {
        let open = self.lag.is_some();
        let failed: u64 = self.failed.iter().map(|row| row.times.service.count()).sum();
        let times = || self.failed.iter().map(|row| &row.times).chain([&self.ok]);
        let response = |times: &Latencies| times.response.as_ref().map_or(times.service.count(), Distribution::count);
        let equal = [
            ("OK calls and their times", self.statuses.count(0), self.ok.service.count()),
            ("failed calls and their times", self.done() - self.statuses.count(0), failed),
            ("failed calls and what they said", failed, self.failures.total()),
            (
                "service and response times",
                times().map(|times| times.service.count()).sum(),
                times().map(response).sum(),
            ),
            ("calls sent and their lag", self.sent(), self.lag.as_ref().map_or(self.sent(), Distribution::count)),
            (
                "calls sent, and those limited or late by us",
                self.sent(),
                self.own_lag.as_ref().map_or(self.sent(), |lag| lag.count() + self.limited),
            ),
        ];
        if let Some((what, one, other)) = equal.into_iter().find(|(_, one, other)| one != other) {
            return Some(format!("{what}: {one} and {other}"));
        }
        let of_one_loop = times().all(|times| times.response.is_some() == open) && self.own_lag.is_some() == open;
        if !of_one_loop {
            return Some("times of an open and of a closed loop".to_owned());
        }
        let phases = self.phases();
        if phases.all().iter().any(|phase| phase.count() != self.ok.service.count()) {
            return Some("OK calls and their phases".to_owned());
        }
        if phases.all().into_iter().map(Distribution::sum).sum::<u128>() != self.ok.service.sum() {
            return Some("service times and the phases that they are made of".to_owned());
        }
        let reasons = self.unsent_reasons.total();
        (reasons > self.unsent).then(|| format!("calls not sent and their reasons: {} and {reasons}", self.unsent))
    }
}
