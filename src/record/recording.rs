//! A finished run: what all workers recorded, and what is known of the run as a whole.

use std::time::SystemTime;

use super::{COUNT_MAX, ConnectionCalls, Distribution, HIGHEST_NS, Http2, Machine, ROWS_MAX, Recorder, Row};
use crate::units::Offset;

/// Why a run ended. Later ones prevail where workers ended for different reasons.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EndReason {
    /// All calls of the plan were made.
    Count,
    /// The planned time was over.
    Duration,
    /// More calls failed than were allowed to.
    Failures,
    /// Someone interrupted it.
    Interrupt,
}

/// One connection of a run: how it came up, and what the calls on it came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Connected {
    /// The peer's address, as text.
    pub address: String,
    /// From the start of the name look-up to its answer; 0 for literal addresses.
    pub dns_ns: u64,
    /// From the start of the TCP (or unix) connect to its end.
    pub tcp_ns: u64,
    /// The TLS handshake, if there was one.
    pub tls_ns: Option<u64>,
    /// From the client's HTTP/2 preface to the server's SETTINGS.
    pub http2_ns: u64,
    /// The number of the worker that made calls on it.
    pub worker: u32,
    /// Its calls that count, those after reconnects included.
    pub calls: ConnectionCalls,
}

impl Connected {
    /// From nothing to a connection that can carry calls.
    pub fn total_ns(&self) -> u64 {
        self.dns_ns + self.tcp_ns + self.tls_ns.unwrap_or(0) + self.http2_ns
    }
}

/// What the connections of a run did.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Connections {
    /// All connections, in their order, as they first came up before the clock started.
    pub connected: Vec<Connected>,
    /// Connections that were lost or sent away during the run.
    pub lost: u64,
    /// Connects during the run that succeeded.
    pub reconnected: u64,
    /// Calls that a server said it had not processed, and that were sent once more.
    pub retried: u64,
    /// Bytes written to the sockets, after the first connects.
    pub wire_bytes_sent: u64,
    /// Bytes read from the sockets, after the first connects.
    pub wire_bytes_received: u64,
    /// What was seen of HTTP/2.
    pub http2: Http2,
}

/// How long the first connects took, step by step.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct ConnectTimes {
    /// The look-up of the name, where there was one.
    pub dns: Distribution,
    /// The TCP (or unix) connect.
    pub tcp: Distribution,
    /// The TLS handshake, where there was one.
    pub tls: Distribution,
    /// The exchange of HTTP/2 settings.
    pub http2: Distribution,
    /// All of them together.
    pub total: Distribution,
}

impl Connections {
    /// Adds the connections of another worker.
    pub fn merge(&mut self, other: Connections) {
        self.connected.extend(other.connected);
        self.lost += other.lost;
        self.reconnected += other.reconnected;
        self.retried += other.retried;
        self.wire_bytes_sent += other.wire_bytes_sent;
        self.wire_bytes_received += other.wire_bytes_received;
        self.http2.merge(&other.http2);
    }

    /// The times that the first connects took.
    pub fn connect_times(&self) -> ConnectTimes {
        let mut times = ConnectTimes::default();
        for connected in &self.connected {
            if connected.dns_ns > 0 {
                times.dns.record(connected.dns_ns);
            }
            times.tcp.record(connected.tcp_ns);
            if let Some(tls_ns) = connected.tls_ns {
                times.tls.record(tls_ns);
            }
            times.http2.record(connected.http2_ns);
            times.total.record(connected.total_ns());
        }
        times
    }
}

/// What a worker cost while the run's clock ran. What the system does not tell is absent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WorkerUse {
    /// CPU time of its thread (user and system).
    pub cpu_ns: u64,
    /// How long its clock ran.
    pub wall_ns: u64,
    /// The part of the CPU time in which it only watched the clock for the next call to be due: a worker that spends its
    /// time on this is idle, not busy.
    pub spin_ns: u64,
    /// How long its thread was ready to run and had to wait for a CPU.
    pub run_delay_ns: Option<u64>,
    /// How many times its thread was taken off a CPU although it had more to do.
    pub preempted: Option<u64>,
}

impl WorkerUse {
    /// CPU time that went into calls.
    pub fn busy_ns(&self) -> u64 {
        self.cpu_ns.saturating_sub(self.spin_ns)
    }

    /// The same as a part of its time.
    pub fn busy(&self) -> f64 {
        self.busy_ns() as f64 / self.wall_ns.max(1) as f64
    }
}

/// The calls that were made before calls counted.
#[derive(Clone, PartialEq, Debug)]
pub struct Warmup {
    /// What was recorded of them.
    pub calls: Recorder,
    /// How long it took.
    pub elapsed: Offset,
}

/// Nanoseconds that workers and connects take in all: 146 years.
const TIME_MAX: u64 = 1 << 62;

/// All that a run gave.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    /// What the workers recorded of the calls that count, merged.
    pub calls: Recorder,
    /// What came before, if there was a warm-up.
    pub warmup: Option<Warmup>,
    /// How the run went over time, from when calls counted.
    pub rows: Vec<Row>,
    /// How long each of these intervals is, in nanoseconds.
    pub interval_ns: u64,
    /// How many more intervals there were than have rows.
    pub rows_left_out: u64,
    /// What the connections did.
    pub connections: Connections,
    /// What each worker cost.
    pub workers: Vec<WorkerUse>,
    /// The machine that made the calls.
    pub machine: Machine,
    /// Why it ended.
    pub end_reason: EndReason,
    /// From when calls counted until the last call ended, or the run was cut off.
    pub elapsed: Offset,
    /// When the clock started: offsets of calls count from here.
    pub started_at: SystemTime,
    /// When calls began to count: 0 without a warm-up.
    pub measured_from: Offset,
    /// Workers that panicked: their calls are missing.
    pub workers_lost: u32,
}

impl Recording {
    /// Without calls: what is changed where a recording is about something.
    pub fn empty(open: bool, started_at: SystemTime) -> Recording {
        Recording {
            calls: Recorder::new(open, 0),
            warmup: None,
            rows: Vec::new(),
            interval_ns: 1_000_000_000,
            rows_left_out: 0,
            connections: Connections::default(),
            workers: Vec::new(),
            machine: Machine::default(),
            end_reason: EndReason::Count,
            elapsed: Offset::ZERO,
            started_at,
            measured_from: Offset::ZERO,
            workers_lost: 0,
        }
    }

    /// Whether any call was due, those of a warm-up included.
    pub fn has_calls(&self) -> bool {
        self.calls.arrivals() > 0 || self.warmup.as_ref().is_some_and(|warmup| warmup.calls.arrivals() > 0)
    }

    /// The first two numbers that contradict each other, or one that is beyond what a run can have; `None` if all that is
    /// computed from the recording makes sense.
    pub fn contradiction(&self) -> Option<String> {
        let of_calls = || self.calls.contradiction();
        let of_warmup = || {
            let warmup = self.warmup.as_ref()?;
            let same_loop = warmup.calls.lag.is_some() == self.calls.lag.is_some();
            warmup.calls.contradiction().or_else(|| (!same_loop).then(|| "the warm-up is of another loop".to_owned()))
        };
        of_calls().or_else(of_warmup).or_else(|| self.impossible_rows()).or_else(|| self.impossible_sums())
    }

    fn impossible_rows(&self) -> Option<String> {
        let longest = 2 * HIGHEST_NS;
        let sound = |row: &Row| {
            row.failed <= row.done
                && row.p50_ns <= row.p90_ns
                && row.p90_ns <= row.p99_ns
                && row.p99_ns <= row.max_ns
                && row.p99_ns <= longest
                && row.lag_p99_ns <= longest
        };
        if self.interval_ns == 0 || self.rows.len() as u64 > ROWS_MAX {
            return Some(format!("{} intervals of {} ns", self.rows.len(), self.interval_ns));
        }
        self.rows.iter().position(|row| !sound(row)).map(|at| format!("the numbers of interval {at}"))
    }

    /// Sums that readers of a recording make without a thought.
    fn impossible_sums(&self) -> Option<String> {
        let sum = |values: &mut dyn Iterator<Item = u64>| values.map(u128::from).sum::<u128>();
        let workers = |of: fn(&WorkerUse) -> u64| sum(&mut self.workers.iter().map(of));
        let longest = self.connections.connected.iter().map(|connected| {
            let Connected { address: _, dns_ns, tcp_ns, tls_ns, http2_ns, worker: _, calls: _ } = connected;
            sum(&mut [*dns_ns, *tcp_ns, tls_ns.unwrap_or(0), *http2_ns].into_iter())
        });
        let sums = [
            ("calls in the intervals", sum(&mut self.rows.iter().map(|row| row.done.max(row.started))), COUNT_MAX),
            ("CPU time of the workers", workers(|worker| worker.cpu_ns.max(worker.spin_ns)), TIME_MAX),
            ("time of the workers", workers(|worker| worker.wall_ns), TIME_MAX),
            ("time for which workers waited", workers(|worker| worker.run_delay_ns.unwrap_or(0)), TIME_MAX),
            ("times that workers were preempted", workers(|worker| worker.preempted.unwrap_or(0)), TIME_MAX),
            ("time of a connect", longest.max().unwrap_or(0), TIME_MAX),
        ];
        let beyond = sums.into_iter().find(|(_, sum, most)| *sum > u128::from(*most));
        beyond.map(|(what, sum, most)| format!("{what}: {sum} is more than {most}"))
    }

    /// Adds a run that was made at the same time: its clock is taken to have started with this one's.
    pub fn merge_beside(&mut self, other: Recording) {
        let from = self.measured_from.max(other.measured_from);
        let elapsed = self.elapsed.max(other.elapsed);
        self.move_to(from);
        let (rows, left_out) = (other.rows.clone(), other.rows_left_out);
        self.merge(other, from);
        self.elapsed = elapsed;
        for (mine, theirs) in self.rows.iter_mut().zip(&rows) {
            *mine = beside(mine, theirs);
        }
        self.rows.extend(rows.into_iter().skip(self.rows.len()));
        self.rows_left_out = self.rows_left_out.max(left_out);
    }

    /// Adds a run that was made later: its time follows this one's, and its calls are as if they counted from `from` on
    /// (from the end of this one if that is not known).
    pub fn merge_after(&mut self, other: Recording, from: Option<Offset>) {
        let from = from.unwrap_or(self.measured_from + self.elapsed.as_duration());
        let (elapsed, rows) = (self.elapsed + other.elapsed.as_duration(), other.rows.clone());
        let left_out = self.rows_left_out.saturating_add(other.rows_left_out);
        self.merge(other, from);
        self.elapsed = elapsed;
        let room = usize::try_from(ROWS_MAX).unwrap_or(usize::MAX).saturating_sub(self.rows.len());
        self.rows_left_out = left_out.saturating_add(rows.len().saturating_sub(room) as u64);
        for row in rows.into_iter().take(room) {
            let start = Offset::from_nanos((self.rows.len() as u64).saturating_mul(self.interval_ns));
            self.rows.push(Row { start, ..row });
        }
    }

    /// Lets calls count from `from` on: what they are apart stays.
    fn move_to(&mut self, from: Offset) {
        for time in [&mut self.calls.last_sent, &mut self.calls.last_due] {
            *time = from + Offset::from_nanos(time.since(self.measured_from)).as_duration();
        }
        self.measured_from = from;
    }

    /// Adds all of `other` that has no place in time, and its calls as if they counted from `from` on.
    fn merge(&mut self, mut other: Recording, from: Offset) {
        // Calls that are listed keep their wall time.
        let later = |one: SystemTime, other: SystemTime| one.duration_since(other).unwrap_or_default();
        let started_at = self.started_at.min(other.started_at);
        self.calls.details.delay(later(self.started_at, started_at));
        other.calls.details.delay(later(other.started_at, started_at));
        self.started_at = started_at;
        other.move_to(from);
        self.calls.merge(other.calls);
        self.warmup = match (self.warmup.take(), other.warmup) {
            (Some(mut one), Some(other)) => {
                one.calls.merge(other.calls);
                Some(Warmup { elapsed: one.elapsed.max(other.elapsed), ..one })
            }
            (one, other) => one.or(other),
        };
        // Workers have numbers, and those of the other run come behind ours.
        let before = u32::try_from(self.workers.len()).unwrap_or(u32::MAX);
        for connected in &mut other.connections.connected {
            connected.worker = connected.worker.saturating_add(before);
        }
        self.connections.merge(other.connections);
        self.workers.extend(other.workers);
        self.machine = self.machine.with(&other.machine);
        self.end_reason = self.end_reason.max(other.end_reason);
        self.workers_lost = self.workers_lost.saturating_add(other.workers_lost);
    }

    /// Calls that ended per second.
    pub fn throughput(&self) -> f64 {
        self.elapsed.per_second(self.calls.done())
    }

    /// Calls started per second.
    pub fn send_rate(&self) -> f64 {
        self.elapsed.per_second(self.calls.sent())
    }
}

/// The same interval of two runs at once. Percentiles of the two don't give those of both: they are not known.
fn beside(one: &Row, other: &Row) -> Row {
    let Row { start, started, done, failed, in_flight, p50_ns: _, p90_ns: _, p99_ns: _, max_ns, lag_p99_ns: _ } = *one;
    Row {
        start,
        started: started + other.started,
        done: done + other.done,
        failed: failed + other.failed,
        in_flight: in_flight + other.in_flight,
        p50_ns: 0,
        p90_ns: 0,
        p99_ns: 0,
        max_ns: max_ns.max(other.max_ns),
        lag_p99_ns: 0,
    }
}
