//! Runs that someone ends.

use std::thread::sleep;
use std::time::Duration;

use grpcbench::target::{Background, Options};
use rustix::process::Signal;

use super::harness::{Run, Running};
use super::numbers::{counts, total_s};

/// A run that would go on for a minute, some of whose calls have been answered.
fn under_way(server: &Background) -> Running {
    let run = Run::say_hello(server.address()).args(["-r", "100", "-z", "60s", "-O", "json"]).start();
    while server.counts().all_calls() < 20 {
        sleep(Duration::from_millis(5));
    }
    run
}

#[test]
fn an_interrupt_ends_the_run_and_the_report_is_printed() {
    for signal in [Signal::INT, Signal::TERM] {
        let server = Background::start(Options::default()).unwrap();
        let run = under_way(&server);
        run.signal(signal);
        let done = run.wait();
        assert_eq!(done.code(), Some(130), "{}", done.stderr);
        let report = done.json();
        assert_eq!(report["endReason"], "cancel");
        let counts = counts(&report);
        assert!(counts.ok >= 19, "{counts:?}");
        assert_eq!(counts.abandoned, 0, "those in flight were waited for");
        assert_eq!(counts.sent, server.counts().all_calls());
        assert!(total_s(&report) < 30.0);
        assert!(done.stderr.contains("interrupt again"), "{}", done.stderr);
    }
}

#[test]
fn a_second_interrupt_cuts_calls_off() {
    // Answered at once for half a second, and then not for an hour.
    let server = Background::start(Options { stall: Some("1h@500ms".parse().unwrap()), ..Options::default() }).unwrap();
    let run = Run::say_hello(server.address()).args(["-r", "50", "-z", "60s", "-t", "0", "-O", "json"]).start();
    while server.counts().all_calls() < 35 {
        sleep(Duration::from_millis(5));
    }
    run.signal(Signal::INT);
    sleep(Duration::from_millis(300));
    run.signal(Signal::INT);
    let done = run.wait();
    assert_eq!(done.code(), Some(130), "{}", done.stderr);
    let report = done.json();
    assert_eq!(report["endReason"], "cancel");
    let counts = counts(&report);
    assert!(counts.ok > 0 && counts.abandoned > 0, "{counts:?}");
    assert_eq!(counts.sent, server.counts().all_calls());
    assert!(done.elapsed < Duration::from_secs(20), "{:?}", done.elapsed);
}

#[test]
fn an_interrupt_while_it_connects_ends_the_run_too() {
    let flags = ["--connect-timeout", "50s", "-O", "json", "-o", "run.json"];
    let run = Run::say_hello(&super::listener::silent()).file("run.json", "an earlier report").args(flags).start();
    sleep(Duration::from_millis(500));
    run.signal(Signal::INT);
    let done = run.wait();
    assert_eq!(done.code(), Some(130), "{}", done.stderr);
    assert!(done.stderr.contains("interrupted before the first call"), "{}", done.stderr);
    assert_eq!(done.files.get("run.json").unwrap(), "an earlier report");
    assert!(done.elapsed < Duration::from_secs(20), "{:?}", done.elapsed);
}

/// Whatever it waits for then: what the server speaks, or what it tells of its schema.
#[test]
fn an_interrupt_before_the_run_leaves_no_file_behind() {
    let proto = ["--proto", "helloworld.proto"];
    let plaintext = ["--proto", "helloworld.proto", "--insecure"];
    let told = "interrupted before the first call";
    for (flags, said) in [(&proto[..], told), (&plaintext, told), (&["--insecure"], "")] {
        let host = super::listener::silent();
        let run = Run::new()
            .args(["--call", "helloworld.Greeter.SayHello", "--connect-timeout", "50s", "-o", "run.json", &host])
            .args(flags.iter().copied())
            .start();
        sleep(Duration::from_secs(1));
        // A shell lets what runs in its background ignore the other one until somebody listens for it.
        run.signal(Signal::TERM);
        let done = run.wait();
        assert!(matches!(done.code(), None | Some(130)), "{flags:?}: {:?} {}", done.status, done.stderr);
        assert_eq!(done.files.get("run.json"), None, "{flags:?}");
        assert!(done.stderr.contains(said), "{}", done.stderr);
        assert!(done.elapsed < Duration::from_secs(20), "{:?}", done.elapsed);
    }
}

/// How often an interrupt is tried at a moment of chance; `INTERRUPTS=200` makes it thorough.
const TRIES: u32 = 12;

/// From the first moments, when nothing listens for it, to the last, when the report is written: a file is whole or not
/// there, and a report that is there counts right.
#[test]
fn interrupts_at_moments_of_chance_leave_a_whole_report_or_none() {
    let tries = std::env::var("INTERRUPTS").map_or(TRIES, |tries| tries.parse().unwrap());
    let seed = std::env::var("SEED").map_or_else(|_| fastrand::u64(..1 << 32), |seed| seed.parse().unwrap());
    let mut random = fastrand::Rng::with_seed(seed);
    let delay = Some("5ms".parse().unwrap());
    let server = Background::start(Options { delay, ..Options::default() }).unwrap();
    for attempt in 0..tries {
        let flags = *random.choice(&LOADS).unwrap();
        let after = Duration::from_micros(random.u64(..900_000));
        let twice = random.bool();
        let what = format!("attempt {attempt} of seed {seed}: {flags} after {after:?}, twice: {twice}");
        interrupted(&server, flags, after, twice, &what);
    }
}

const LOADS: [&str; 6] = [
    "-z 60s -c 4",
    "-z 60s -r 500",
    "-z 300ms -r 500",
    "-n 100 -c 10 --connections 5",
    "-z 60s --stages 1s:400,59s:0",
    "-z 60s -r 100 --warmup 300ms",
];

fn interrupted(server: &Background, flags: &str, after: Duration, twice: bool, what: &str) {
    let proto = ["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello"];
    let run = Run::new().args(proto).args(flags.split(' ')).args(["-O", "json", "-o", "run.json", server.address()]);
    let running = run.start();
    sleep(after);
    running.signal(Signal::INT);
    if twice {
        sleep(after / 10);
        running.signal(Signal::INT);
    }
    let done = running.wait();
    assert!(done.elapsed < after * 2 + Duration::from_secs(20), "{what}: {:?}", done.elapsed);
    assert!(!done.stderr.contains("panicked") && done.stdout.is_empty(), "{what}: {}", done.stderr);
    let Some(text) = done.files.get("run.json") else {
        // By the signal itself, before anybody listened; or because there was nothing to report yet.
        assert!(matches!(done.code(), None | Some(130)), "{what}: {:?} {}", done.status, done.stderr);
        return;
    };
    let report: serde_json::Value =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{what}: {error}: {text}"));
    counts(&report);
    // It may have ended by itself just before, or have done nothing yet.
    assert!(matches!(done.code(), Some(0 | 1 | 130)), "{what}: {:?} {}", done.status, done.stderr);
    if done.code() == Some(130) {
        assert_eq!(report["endReason"], "cancel", "{what}");
    }
}
