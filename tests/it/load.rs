//! How much, how fast, and until when.

use std::fmt::Write as _;

use std::time::Duration;

use grpcbench::target::{Background, Options};

use super::harness::Run;
use super::numbers::{counts, offered_rate, total_s, whole};

#[test]
fn a_rate_is_kept_from_the_first_call_on() {
    let server = Background::start(Options::default()).unwrap();
    let report = Run::say_hello(server.address()).args(["-n", "21", "-r", "10"]).report();
    let counts = counts(&report);
    assert_eq!((counts.arrivals, counts.ok), (21, 21));
    // The first call is due at 0, the last at 2 s.
    assert!((2.0..2.5).contains(&total_s(&report)), "{}", total_s(&report));
    assert_eq!(offered_rate(&report), Some(10.0));

    // Calls are listed in the order of their end, which here is that of their start: 100 ms apart.
    let ends: Vec<&str> =
        report["details"].as_array().unwrap().iter().map(|call| call["timestamp"].as_str().unwrap()).collect();
    assert_eq!(ends.len(), 21);
    assert!(ends.is_sorted(), "{ends:?}");
}

#[test]
fn fractions_and_times_are_rates_too() {
    let server = Background::start(Options::default()).unwrap();
    for (rate, per_second) in [("2.5", 2.5), ("50/1s", 50.0), ("600/m", 10.0)] {
        let report = Run::say_hello(server.address()).args(["-n", "2", "-r", rate]).report();
        let offered = offered_rate(&report).unwrap();
        assert!((offered - per_second).abs() < 1e-9, "{rate}: {offered}");
        assert!(total_s(&report) >= 1.0 / per_second, "{rate}: the second call is due one gap after the first");
    }
}

#[test]
fn a_rate_of_0_is_none() {
    let server = Background::start(Options::default()).unwrap();
    let report = Run::say_hello(server.address()).args(["-n", "20", "-c", "2", "-r", "0"]).report();
    assert!(offered_rate(&report).is_none());
    assert_eq!(counts(&report).ok, 20);
}

#[test]
fn a_time_ends_a_closed_loop() {
    let server = Background::start(Options::default()).unwrap();
    let report = Run::say_hello(server.address()).args(["-c", "2", "-z", "500ms"]).report();
    assert_eq!(report["endReason"], "timeout");
    assert!((0.5..1.5).contains(&total_s(&report)), "{}", total_s(&report));
    assert!(counts(&report).ok > 200, "the default of -n does not hold");
}

#[test]
fn a_time_ends_an_open_loop_with_all_that_was_due() {
    let server = Background::start(Options::default()).unwrap();
    let report = Run::say_hello(server.address()).args(["-r", "50", "-z", "1s"]).report();
    assert_eq!(report["endReason"], "timeout");
    assert_eq!(counts(&report).arrivals, 50, "due at 0, 20, ..., 980 ms");
}

#[test]
fn c36_a_count_beside_a_time_is_not_used_and_that_is_said() {
    let server = Background::start(Options::default()).unwrap();
    let done = Run::say_hello(server.address())
        .args(["-n", "5", "-c", "1", "-z", "200ms", "-O", "json"])
        .stderr(expect_test::expect![[r"
            note: -n is not used, because -z says how long to run; with -x in its place both hold
        "]])
        .go();
    assert!(counts(&done.json()).ok > 5);
}

#[test]
fn with_a_bound_whichever_comes_first() {
    let slow = Background::start(Options { delay: Some("50ms".parse().unwrap()), ..Options::default() }).unwrap();
    let quick = Background::start(Options::default()).unwrap();

    let report = Run::say_hello(quick.address()).args(["-n", "30", "-c", "3", "-x", "20s"]).report();
    assert_eq!((counts(&report).ok, &report["endReason"]), (30, &"normal".into()));

    let report = Run::say_hello(slow.address()).args(["-n", "1000", "-c", "1", "-x", "300ms"]).report();
    assert!(counts(&report).sent < 20, "{:?}", counts(&report));
    assert_eq!(report["endReason"], "timeout");

    let report = Run::say_hello(quick.address()).args(["-c", "1", "-z", "20s", "-x", "300ms"]).report();
    assert!(total_s(&report) < 2.0, "of two times the smaller one holds");
}

#[test]
fn c36_calls_in_flight_at_the_end_are_cut_off_or_waited_for() {
    let server = || {
        let delay = Some("400ms".parse().unwrap());
        Background::start(Options { delay, ..Options::default() }).unwrap()
    };
    let (cut, waited) = (server(), server());
    let run = |server: &Background, how| {
        Run::say_hello(server.address()).args(["-c", "3", "-z", "600ms", "--duration-stop", how]).report()
    };
    let closed = counts(&run(&cut, "close"));
    assert_eq!((closed.ok, closed.failed, closed.abandoned), (3, 0, 3), "three answers, and three on their way");
    let drained = counts(&run(&waited, "WAIT"));
    assert_eq!((drained.ok, drained.failed, drained.abandoned), (6, 0, 0));
}

#[test]
fn an_in_flight_limit_holds_calls_back() {
    let delay = Some("100ms".parse().unwrap());
    let server = Background::start(Options { delay, ..Options::default() }).unwrap();
    let done = Run::say_hello(server.address()).args(["-n", "20", "-r", "100", "-c", "1", "-O", "json"]).go();
    let report = done.json();
    assert_eq!(counts(&report).ok, 20);
    assert!(done.elapsed >= Duration::from_secs(2), "one at a time, 100 ms each");
    // The last call was due at 190 ms and left after 1.9 s.
    let slowest = whole(&report["slowest"]) as f64 / 1e9;
    assert!(slowest > 1.5, "{slowest}: the wait counts");
}

#[test]
fn c36_calls_in_flight_at_the_end_may_leave_no_trace() {
    let delay = Some("400ms".parse().unwrap());
    let server = Background::start(Options { delay, ..Options::default() }).unwrap();
    let report =
        Run::say_hello(server.address()).args(["-c", "3", "-z", "600ms", "--duration-stop", "ignore"]).report();
    let found = counts(&report);
    assert_eq!((found.ok, found.failed, found.abandoned, found.sent), (3, 0, 0, 3));
    assert_eq!(whole(&report["grpcbench"]["counts"]["ignored"]), 3);
}

#[test]
fn c36_the_wait_at_the_end_is_bounded_by_the_deadline() {
    let server = Background::start(Options { delay: Some("1h".parse().unwrap()), ..Options::default() }).unwrap();
    let flags = ["-c", "2", "-z", "200ms", "--duration-stop", "wait", "-t", "500ms", "-O", "json"];
    let done = Run::say_hello(server.address()).args(flags).status(1).go();
    let report = done.json();
    assert_eq!((counts(&report).failed, counts(&report).abandoned), (2, 0));
    assert_eq!(report["statusCodeDistribution"]["DeadlineExceeded"], 2);
    assert_eq!(report["endReason"], "timeout");
    assert!(done.elapsed < Duration::from_secs(20), "{:?}", done.elapsed);
}

#[test]
fn a_rate_can_change_in_steps() {
    let server = Background::start(Options::default()).unwrap();
    let ramp = ["--load-schedule", "step", "--load-start", "40", "--load-step", "-20", "--load-step-duration", "500ms"];
    let report = Run::say_hello(server.address()).args(ramp).args(["-z", "2s", "--interval", "500ms"]).report();
    // 40 a second for half a second, then 20, and then nothing.
    assert_eq!(counts(&report).ok, 30);
    assert_eq!(report["grpcbench"]["series"]["started"], serde_json::json!([20, 10]));
    assert_eq!(report["endReason"], "normal", "no call is due after that");
    let options = &report["options"];
    assert_eq!((&options["load-schedule"], &options["load-step"]), (&"step".into(), &serde_json::json!(-20)));
    assert_eq!((&options["load-start"], &options["load-step-duration"]), (&40.into(), &500_000_000.into()));
}

#[test]
fn stages_have_a_length_of_their_own() {
    let server = Background::start(Options::default()).unwrap();
    let report = Run::say_hello(server.address()).args(["--stages", "500ms:200,500ms:0"]).report();
    assert_eq!(counts(&report).ok, 100);
    assert!((1.0..1.5).contains(&total_s(&report)), "{}", total_s(&report));
    assert!((offered_rate(&report).unwrap() - 100.0).abs() < 1.0, "on average");
}

#[test]
fn chance_is_the_same_again_for_a_seed() {
    let server = Background::start(Options::default()).unwrap();
    let run = |seed| {
        let flags = ["-r", "200", "--arrivals", "poisson", "--seed", seed, "-z", "1s", "--connections", "2"];
        let report = Run::say_hello(server.address()).args(flags).report();
        assert_eq!(report["grpcbench"]["load"]["seed"], seed.parse::<u64>().unwrap());
        counts(&report).arrivals
    };
    assert_eq!(run("7"), run("7"));
    assert!((130..270).contains(&run("8")), "about 200");
}

#[test]
fn a_warm_up_is_sent_and_not_counted() {
    let server = Background::start(Options::default()).unwrap();
    let report = Run::say_hello(server.address()).args(["-n", "100", "-c", "4", "--warmup", "50"]).report();
    assert_eq!((counts(&report).ok, server.counts().all_calls()), (100, 150));
    assert_eq!(whole(&report["grpcbench"]["warmup"]["calls"]["counts"]["ok"]), 50);

    let report = Run::say_hello(server.address()).args(["-r", "100", "-z", "500ms", "--warmup", "500ms"]).report();
    assert_eq!(counts(&report).arrivals, 50);
    assert_eq!(whole(&report["grpcbench"]["warmup"]["calls"]["counts"]["sent"]), 50);
    assert!((total_s(&report) - 0.5).abs() < 0.2, "{}", total_s(&report));
    assert!((offered_rate(&report).unwrap() - 100.0).abs() < 1e-9);

    // ghz's way takes them from -n.
    let report = Run::say_hello(server.address()).args(["-n", "100", "-c", "4", "--skipFirst", "40"]).report();
    assert_eq!((counts(&report).ok, &report["options"]["skipFirst"]), (60, &40.into()));
    assert_eq!(report["options"]["total"], 100);
}

#[test]
fn a_warm_up_foretells_what_cannot_work() {
    let delay = Some("40ms".parse().unwrap());
    let server = Background::start(Options { delay, ..Options::default() }).unwrap();
    let run = |flags: [&str; 6]| Run::say_hello(server.address()).args(flags).args(["-z", "2s"]).go().stderr;
    let said = run(["-r", "1000", "-c", "10", "--warmup", "300ms"]);
    assert!(said.starts_with("note: calls of the warm-up took "), "{said}");
    assert!(said.contains(" calls are in flight, and 10 may be; raise -c, or lower -r\n"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_eq!(run(["-r", "50", "-c", "50", "--warmup", "20"]), "", "there is room");
    assert_eq!(run(["-c", "10", "--connections", "1", "--warmup", "20"]), "", "nobody plans a rate");
}

#[test]
fn too_many_failures_end_a_run() {
    let fail = vec!["UNAVAILABLE:100%".parse().unwrap()];
    let server = Background::start(Options { errors: fail, ..Options::default() }).unwrap();
    let flags = ["-c", "1", "-z", "20s", "--max-failures", "10", "-O", "json"];
    let done = Run::say_hello(server.address()).args(flags).status(1).go();
    let report = done.json();
    assert_eq!((counts(&report).failed, &report["endReason"]), (11, &"failures".into()));
    // Those of a warm-up are in no number, and not in this one either.
    let report = Run::say_hello(server.address()).args(flags).args(["--warmup", "30"]).status(1).go().json();
    assert_eq!((counts(&report).failed, &report["endReason"]), (11, &"failures".into()));
}

#[test]
fn callers_can_join_with_time() {
    let delay = Some("50ms".parse().unwrap());
    let server = Background::start(Options { delay, ..Options::default() }).unwrap();
    let flags = ["--concurrency-schedule", "step", "--concurrency-start", "2", "--concurrency-step", "4"];
    let limits = ["--concurrency-step-duration", "500ms", "--concurrency-end", "6", "-z", "1s", "--interval", "500ms"];
    let report = Run::say_hello(server.address()).args(flags).args(limits).report();
    let started: Vec<u64> = report["grpcbench"]["series"]["started"].as_array().unwrap().iter().map(whole).collect();
    assert!(started[0] <= 20 && started[1] > started[0], "{started:?}");
    assert_eq!(report["options"]["concurrency-schedule"], "step");
}

#[test]
fn without_a_limit_no_call_waits_for_another() {
    let delay = Some("300ms".parse().unwrap());
    let server = Background::start(Options { delay, ..Options::default() }).unwrap();
    let report = Run::say_hello(server.address()).args(["-r", "100", "-n", "30", "-c", "1", "--async"]).report();
    assert_eq!(counts(&report).ok, 30);
    assert!(total_s(&report) < 2.0, "{}", total_s(&report));
    assert_eq!(report["options"]["async"], true);
}

#[test]
fn a_load_that_contradicts_itself_is_refused_before_the_run() {
    let flags: [&[&str]; 9] = [
        &["--load-schedule", "line", "--load-start", "0", "--load-step", "0"],
        &["--load-schedule", "step"],
        &["--load-schedule", "line", "--load-start", "10", "--load-end", "50", "--load-step", "-5"],
        &["--stages", "10s:100,x", "-r", "10"],
        &["--stages", "10s:100", "-r", "10"],
        &["--concurrency-schedule", "line", "--concurrency-step", "-1", "--concurrency-start", "5", "-r", "10"],
        &["--async"],
        &["--warmup", "x", "--max-failures", "5 %%", "--interval", "1ms", "--seed", "-1"],
        &["-n", "10", "--skipFirst", "10", "--warmup", "2s"],
    ];
    let mut all = String::new();
    for flags in flags {
        let done = Run::say_hello("127.0.0.1:1").args(flags.iter().copied()).status(2).go();
        let _ = write!(all, "{}\n{}\n", flags.join(" "), done.stderr);
    }
    expect_test::expect![[r"
        --load-schedule line --load-start 0 --load-step 0
        error: `0` is no good value for --load-start: a rate is above 0

        error: `0` is no good value for --load-step: a change of a rate is a number other than 0, such as 10 or -10

        --load-schedule step
        error: --load-start is missing
        hint: a load that changes starts with some rate, such as --load-start 50

        error: --load-step is missing
        hint: say by how much the rate changes, such as --load-step 10 or --load-step -10

        error: --load-step-duration is missing
        hint: say how long a step takes, such as --load-step-duration 5s

        --load-schedule line --load-start 10 --load-end 50 --load-step -5
        error: `line` is no good value for --load-schedule: a step of -5/s leads away from the end: from 10/s to 50/s

        --stages 10s:100,x -r 10
        error: `10s:100,x` is no good value for --stages: `x` is no stage: a stage is a time and the rate at its end, such as 10s:100

        error: --stages and --rps contradict each other: each of them says what the rate is
        hint: leave out one of them

        --stages 10s:100 -r 10
        error: --stages and --rps contradict each other: each of them says what the rate is
        hint: leave out one of them

        --concurrency-schedule line --concurrency-step -1 --concurrency-start 5 -r 10
        error: `line` is no good value for --concurrency-schedule: all callers would leave; say with how many it ends, or after what time

        --async
        error: a rate is missing
        hint: --async makes each call at its time, whatever is in flight; say when with -r, such as -r 100

        --warmup x --max-failures 5 %% --interval 1ms --seed -1
        error: `-1` is no good value for --seed: it is a whole number from 0 to 18446744073709551615

        error: `x` is no good value for --warmup: it is a time, such as 2s, or a number of calls, such as 500

        error: `5 %%` is no good value for --max-failures: it is a number of calls, such as 10, or a share of those done, such as 5%

        error: `1ms` is no good value for --interval: it is from 10ms to 1h

        -n 10 --skipFirst 10 --warmup 2s
        error: --warmup and --skipFirst contradict each other: each of them says which calls are not counted
        hint: leave out one of them

        error: `10` is no good value for --skipFirst: of 10 calls it leaves none to be counted

    "]].assert_eq(&all);
}
