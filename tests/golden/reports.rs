//! Reports made by hand: one for each kind of run that formats must tell apart.

use std::num::NonZeroU32;
use std::time::{Duration, SystemTime};

use grpcbench::load::{Limits, Load, Ramp, Schedule, Spacing, Steps, Warmup as WarmupLimit};
use grpcbench::plan::{About, AtDuration, Idle, MaxFailures, Windows};
use grpcbench::record::{
    CodeCounts, Connected, ConnectionCalls, Connections, Distribution, End, EndReason, FrameCounts, Http2, Machine,
    PeerSettings, Peers, Phases, Recorder, Recording, Sample, Series, Slices, Warmup, WorkerUse,
};
use grpcbench::report::{Report, Setup};
use grpcbench::units::Offset;

const US: u64 = 1_000;
const MS: u64 = 1_000 * US;
const SECOND: u64 = 1_000 * MS;

/// What a hostile server says: quotes, markup, a line break, and characters that act on a terminal.
pub(crate) const HOSTILE: &str = "no, \"really\" <script>alert(1)</script> a=b\\c\n2nd \u{1b}[31m\u{202e}";

/// All of them by name.
pub(crate) fn all() -> Vec<(&'static str, Report)> {
    vec![
        ("closed", closed()),
        ("open", open()),
        ("errors", errors()),
        ("expected", expected()),
        ("all-failed", all_failed()),
        ("nothing", nothing()),
        ("duration", duration()),
        ("tls", tls()),
        ("ramp", ramp()),
    ]
}

/// 20 calls by two callers: the run that everybody makes first.
pub(crate) fn closed() -> Report {
    let mut calls = Recorder::new(false, 1_000);
    for index in 0..20 {
        calls.record(&closed_loop(index, 0), "");
    }
    Report::of(&recording(calls, EndReason::Count), setup(two_callers(), Limits::new(Some(20), None)))
}

/// 200 calls at 10/s with a name, tags, metadata, and data of several lines with a number that floats cannot hold.
pub(crate) fn open() -> Report {
    let mut calls = Recorder::new(true, 3);
    for index in 0..200 {
        calls.record(&under_a_rate(index, 100 * MS, 60 * US + index % 7 * US), "");
    }
    let mut setup = setup(rate("10", 50), Limits::new(Some(200), None));
    setup.about.name = Some("Ünï, x=1 \"q\" <b>".to_owned());
    setup.about.tags = pairs(&[("created by", "J, D=1"), ("env", "a\"b")]);
    setup.about.metadata = pairs(&[("authorization", "***"), ("x-trace", "a"), ("x-trace", "b")]);
    setup.about.data = Some("{\n  \"name\": \"Ann\",\n  \"id\": 18446744073709551615\n}\n".to_owned());
    setup.about.utc_offset_s = 3_600;
    setup.authority = Some("greeter.example".to_owned());
    let mut recording = recording(calls, EndReason::Count);
    recording.workers = vec![worker(40 * MS, 19_900 * MS)];
    Report::of(&recording, setup)
}

/// Every fourth call fails; the server's texts are hostile, and one of its status numbers is made up.
pub(crate) fn errors() -> Report {
    let mut calls = Recorder::new(false, 1_000);
    for index in 0..20 {
        let status = match index % 8 {
            3 => 14,
            7 => 99,
            _ => 0,
        };
        calls.record(&closed_loop(index, status), if status == 99 { HOSTILE } else { "injected failure" });
    }
    Report::of(&recording(calls, EndReason::Count), setup(two_callers(), Limits::new(Some(20), None)))
}

/// Something is expected: some of it holds, some does not, and for some there is nothing to compare.
pub(crate) fn expected() -> Report {
    let expectations = [
        "p99 < 20ms",
        "avg <= 500us",
        "p99.9 < 1.5s",
        "failed <= 1%",
        "status.Unavailable == 3",
        "throughput > 100",
        "rate >= 99% of offered",
        "lag.p99 < 1ms",
    ];
    errors().expecting(&expectations.map(|text| text.parse().expect("an expectation")))
}

/// No call succeeds.
pub(crate) fn all_failed() -> Report {
    let mut calls = Recorder::new(false, 1_000);
    for index in 0..10 {
        calls.record(&closed_loop(index, 14), "no backend");
    }
    let mut setup = setup(two_callers(), Limits::new(Some(10), None));
    setup.about.data = Some("not JSON: {{.RequestNumber}}".to_owned());
    Report::of(&recording(calls, EndReason::Count), setup)
}

/// Stopped before any call was done, and even before anything was sent.
pub(crate) fn nothing() -> Report {
    let calls = Recorder::new(true, 1_000);
    let mut recording = recording(calls, EndReason::Interrupt);
    recording.connections = Connections::default();
    let mut setup = setup(rate("0.5", 1), Limits::new(Some(200), Some(Duration::from_secs(60))));
    setup.about = About { cpus: 1, ..About::default() };
    setup.deadline = None;
    Report::of(&recording, setup)
}

/// A second in which nearly all goes wrong: connections are lost, calls leave late, wait, are cut off or never start.
pub(crate) fn duration() -> Report {
    let mut calls = Recorder::new(true, 4);
    for index in 0..95 {
        let mut sample = under_a_rate(index, 10 * MS, 20 * MS + index * 300 * US);
        sample.slot_was_free = index % 10 > 0;
        if index > 80 {
            sample.end = End::Abandoned;
        }
        if index == 40 {
            sample.status = 14;
        }
        calls.record(&sample, "the connection was lost");
    }
    calls.unsent = 5;
    calls.record_unsent("the template in --data fails: fail: \u{1b}[31mred");
    calls.record_unsent("--data is not JSON: a value is expected, and the text ends");
    let mut recording = recording(calls, EndReason::Duration);
    recording.elapsed = Offset::from_nanos(SECOND);
    recording.connections.lost = 1;
    recording.connections.reconnected = 1;
    recording.connections.retried = 3;
    recording.connections.http2 = troubled();
    recording.workers = vec![worker(990 * MS, SECOND), worker(970 * MS, SECOND)];
    recording.workers_lost = 1;
    let mut setup = setup(rate("100", 20), Limits::new(None, Some(Duration::from_secs(1))));
    setup.about.count_errors = true;
    setup.about.unoptimised = true;
    setup.connections = NonZeroU32::new(2).unwrap();
    setup.windows = Windows::Protocol;
    Report::of(&recording, setup)
}

/// All that HTTP/2 can hold up or take back.
fn troubled() -> Http2 {
    let codes = |codes: &[(&str, u64)]| -> CodeCounts {
        codes.iter().map(|(code, count)| ((*code).to_owned(), *count)).collect()
    };
    let times = |values: &[u64]| {
        let mut times = Distribution::new();
        for value in values {
            times.record(*value);
        }
        times
    };
    Http2 {
        peers: peers(Some(5)),
        stream_waits: times(&[2 * MS, 6 * MS, 13 * MS]),
        streams_wanted_max: 8,
        stream_window_waits: times(&[3 * MS]),
        connection_window_waits: times(&[MS, 5 * MS]),
        goaways_received: codes(&[("NO_ERROR", 1)]),
        resets_received: codes(&[("CANCEL", 1), ("REFUSED_STREAM", 2)]),
        frames: FrameCounts {
            received: 321,
            resets_sent: 14,
            pings_sent: 2,
            pings_received: 1,
            ..FrameCounts::default()
        },
    }
}

/// One call over two connections with TLS, to a name.
pub(crate) fn tls() -> Report {
    let mut calls = Recorder::new(false, 1_000);
    calls.record(&closed_loop(0, 0), "");
    let mut recording = recording(calls, EndReason::Count);
    let connected = Connected {
        address: "[::1]:50051".to_owned(),
        dns_ns: 300 * US,
        tcp_ns: 90 * US,
        tls_ns: Some(2 * MS),
        http2_ns: 110 * US,
        worker: 0,
        calls: ConnectionCalls { done: 1, failed: 0, p50_ns: 116 * US, p99_ns: 116 * US },
    };
    recording.connections.connected = vec![
        connected.clone(),
        Connected {
            address: "127.0.0.1:50051".to_owned(),
            dns_ns: 0,
            worker: 1,
            calls: ConnectionCalls::default(),
            ..connected
        },
    ];
    let mut setup =
        setup(Load::Closed { concurrency: NonZeroU32::MIN.into() }, Limits::new(Some(1), Some(Duration::from_secs(5))));
    setup.about.plaintext = false;
    setup.about.cacert = Some("ca.pem".to_owned());
    setup.about.cert = Some("client.pem".to_owned());
    setup.about.key = Some("client.key".to_owned());
    setup.about.cname = Some("greeter.test".to_owned());
    setup.about.compressed = true;
    setup.about.keepalive = Some(Duration::from_secs(30));
    setup.about.skip_tls = true;
    setup.about.security_found_out = true;
    setup.connections = NonZeroU32::new(2).unwrap();
    Report::of(&recording, setup)
}

/// Steps after a warm-up, calls that end at their deadline, and all that there is to know of the client.
pub(crate) fn ramp() -> Report {
    let steps = Ramp {
        start: "10".parse().expect("a rate"),
        step: "10".parse().expect("a change"),
        every: Duration::from_secs(1),
        end: Some("30".parse().expect("a rate")),
        longest: None,
    };
    let load = Load::Open {
        schedule: Schedule::Steps(Steps::new(steps).expect("good steps")),
        spacing: Spacing::Poisson { seed: 7 },
        in_flight: Load::UNLIMITED,
    };
    let limits = Limits::new(None, Some(Duration::from_secs(2))).expect("good limits");
    let warmup = Some(WarmupLimit::Calls(5));
    let (mut calls, mut before) = (Recorder::new(true, 4), Recorder::new(true, 0));
    let interval = Duration::from_millis(500);
    let (mut slices, mut series) = (Slices::new(interval, true), Series::new(interval, 1));
    let from = Offset::from_nanos(500 * MS);
    for index in 0..50 {
        let mut call = under_a_rate(index, 50 * MS, 30 * US);
        if index < 10 {
            before.record(&call, "");
            continue;
        }
        if index % 20 == 15 {
            call = Sample { status: 4, done: call.sent + Duration::from_millis(300), ..call };
        }
        calls.record(&call, "deadline exceeded");
        if let Some(past) = slices.record(&call, from) {
            series.add(0, past);
        }
    }
    let (slices, started) = slices.finish();
    series.end(0, slices, &started);
    let mut recording = recording(calls, EndReason::Failures);
    recording.measured_from = from;
    recording.warmup = Some(Warmup { calls: before, elapsed: from });
    recording.elapsed = Offset::from_nanos(2_000 * MS);
    recording.rows = series.finish(Offset::ZERO);
    recording.interval_ns = 500 * MS;
    recording.workers = vec![WorkerUse {
        cpu_ns: 400 * MS,
        wall_ns: 2_500 * MS,
        spin_ns: 150 * MS,
        run_delay_ns: Some(500 * MS),
        preempted: Some(12),
    }];
    recording.machine = Machine {
        cpus: 2,
        cpu_model: Some("Example 9000".to_owned()),
        kernel: Some("Linux 6.1".to_owned()),
        governor: Some("powersave".to_owned()),
        turbo: Some(true),
        virtual_machine: Some(true),
        cpus_quota: Some(1.5),
        throttled_ns: Some(30 * MS),
        stolen_ns: Some(120 * MS),
        load_before: Some(0.25),
    };
    let mut setup = setup(load, Some(limits.after(warmup)));
    setup.at_duration = AtDuration::Ignore;
    setup.max_failures = Some(MaxFailures::Share(0.05));
    setup.idle = Idle::Spin;
    setup.about.skip_first = true;
    setup.deadline = Some(Duration::from_millis(300));
    Report::of(&recording, setup)
}

/// Call `index` of two callers who take turns; its time grows and shrinks without order.
fn closed_loop(index: u64, status: u32) -> Sample {
    let sent = index / 2 * MS + index % 2 * 17 * US;
    let service = 116 * US + index * 7_919 % 13 * 103 * US + index;
    sample(sent, sent, service, status)
}

fn under_a_rate(index: u64, gap: u64, lag: u64) -> Sample {
    let due = index * gap;
    sample(due, due + lag, 400 * US + index * 7_919 % 31 * 40 * US + index, 0)
}

fn sample(due: u64, sent: u64, service: u64, status: u32) -> Sample {
    let [due, sent, done] = [due, sent, sent + service].map(Offset::from_nanos);
    Sample {
        phases: Phases { stream_ns: 0, request_ns: 9 * US, head_ns: service * 3 / 4, message_ns: 4 * US },
        bytes_received: 11,
        bytes_unpacked: 11,
        bytes_sent: 5,
        messages_received: u32::from(status == 0),
        status,
        ..Sample::answered(due, sent, done)
    }
}

fn recording(calls: Recorder, end_reason: EndReason) -> Recording {
    let last = calls.details.rows().iter().map(|row| row.done).max().unwrap_or_default();
    Recording {
        elapsed: last.max(calls.last_sent),
        connections: Connections {
            connected: vec![Connected {
                address: "127.0.0.1:50051".to_owned(),
                dns_ns: 0,
                tcp_ns: 80 * US,
                tls_ns: None,
                http2_ns: 230 * US,
                worker: 0,
                calls: ConnectionCalls::default(),
            }],
            lost: 0,
            reconnected: 0,
            retried: 0,
            wire_bytes_sent: 1_812,
            wire_bytes_received: 12_345,
            http2: Http2 { peers: peers(None), ..Http2::default() },
        },
        workers: vec![worker(MS, 10 * MS)],
        calls,
        end_reason,
        ..Recording::empty(false, SystemTime::UNIX_EPOCH + Duration::new(1_796_036_970, 980_000_000))
    }
}

/// A server that lets so many streams be open.
fn peers(max_concurrent_streams: Option<u32>) -> Peers {
    let mut peers = Peers::default();
    let settings = PeerSettings {
        max_concurrent_streams,
        initial_window: 65_535,
        max_frame_size: 16_384,
        header_table_size: 4_096,
        max_header_list_size: Some(16_384),
    };
    peers.add(settings, 1);
    peers
}

fn worker(cpu_ns: u64, wall_ns: u64) -> WorkerUse {
    WorkerUse { cpu_ns, wall_ns, ..WorkerUse::default() }
}

fn setup(load: Load, limits: Option<Limits>) -> Setup {
    Setup {
        about: About {
            host: "127.0.0.1:50051".to_owned(),
            call: "helloworld.Greeter.SayHello".to_owned(),
            protos: vec!["protos/helloworld.proto".to_owned()],
            import_paths: vec!["protos".to_owned(), ".".to_owned()],
            plaintext: true,
            data: Some(r#"{"name":"Bob"}"#.to_owned()),
            cpus: 2,
            ..About::default()
        },
        load,
        limits: limits.expect("good limits"),
        at_duration: AtDuration::Abandon,
        max_failures: None,
        idle: Idle::Hybrid,
        deadline: Some(Duration::from_secs(20)),
        connect_timeout: Duration::from_secs(10),
        authority: None,
        connections: NonZeroU32::MIN,
        windows: Windows::default(),
    }
}

fn two_callers() -> Load {
    Load::Closed { concurrency: NonZeroU32::new(2).expect("two").into() }
}

fn rate(rate: &str, in_flight: u32) -> Load {
    Load::Open {
        schedule: Schedule::Constant(rate.parse().expect("a rate")),
        spacing: Spacing::Constant,
        in_flight: NonZeroU32::new(in_flight).expect("above 0"),
    }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}
