//! A finished run: what all workers recorded, and what is known of the run as a whole.

use std::time::SystemTime;

use super::{ConnectionCalls, Distribution, Http2, Machine, Recorder, Row};
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

    /// Calls that ended per second.
    pub fn throughput(&self) -> f64 {
        per_second(self.calls.done(), self.elapsed)
    }

    /// Calls started per second.
    pub fn send_rate(&self) -> f64 {
        per_second(self.calls.sent(), self.elapsed)
    }
}

fn per_second(count: u64, elapsed: Offset) -> f64 {
    if elapsed == Offset::ZERO { 0.0 } else { count as f64 * 1e9 / elapsed.as_nanos() as f64 }
}
