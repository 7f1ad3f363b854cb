//! Mistakes on the command line.

use expect_test::expect;
use grpcbench::error::UsageError;
use grpcbench::target::{Background, Options};

use super::{check, with};
use crate::harness::Run;

/// A test for each kind. A new kind does not compile until it has one, or a reason to have none.
#[expect(dead_code, reason = "it is there to be compiled")]
fn tested_by(error: &UsageError) -> fn() {
    match error {
        UsageError::Missing { .. } => everything_is_missing,
        UsageError::Invalid { .. } => counts,
        UsageError::NotAmong { .. } => super::config::words_that_are_not_known,
        UsageError::NoUnit { .. } => durations,
        UsageError::NoCalls => c34_no_calls,
        UsageError::TooManyConnections { .. } => c34_more_connections_than_callers,
        UsageError::TooFewOpenFiles { .. } => more_connections_than_open_files,
        UsageError::NoThread { .. } => no_thread_for_a_worker,
        UsageError::MessageTooLong { .. } => messages_longer_than_they_may_be,
        UsageError::NoSuchCommand { .. } => targets,
        UsageError::OneWordTooMany { .. } => one_word_too_many,
        UsageError::Conflict { .. } => contradictions,
        UsageError::FileTaken { .. } => files_with_two_uses,
        UsageError::Unreadable { .. } => files_that_cannot_be_read,
        UsageError::NoPingPong { .. } => ping_pong_without_replies_to_wait_for,
        UsageError::CannotListen { .. } => crate::cli::serve_needs_a_free_port,
    }
}

#[test]
fn call_is_missing() {
    check(
        Run::new().args(["--proto", "helloworld.proto", "127.0.0.1:9"]).status(2),
        expect![[r"
        error: --call is missing
        hint: name the method, such as --call helloworld.Greeter.SayHello
    "]],
    );
}

#[test]
fn everything_is_missing() {
    check(
        Run::new().args(["-n", "5"]).status(2),
        expect![[r"
            error: the target is missing
            hint: give it as host:port, such as localhost:50051

            error: --call is missing
            hint: name the method, such as --call helloworld.Greeter.SayHello
        "]],
    );
}

#[test]
fn several_mistakes_are_told_together() {
    let run = Run::new()
        .args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHelo", "-z", "soon", "-r", "fast"])
        .args(["-o", "no/such/folder.json", "-c", "0", "-m", "[]", "localhost"])
        .status(2);
    check(
        run,
        expect![[r#"
        error: `localhost` is no good value for the target: the port is missing; write localhost:443

        error: no method `SayHelo` in `helloworld.Greeter`
        hint: did you mean `SayHello` or `SayHellos`?

        error: the metadata in --metadata must be a JSON object of strings, not an array
         --> --metadata:1:1
          |
        1 | []
          | ^ here
        hint: write it as {"key": "value"}

        error: `0` is no good value for --concurrency: it is a whole number from 1 to 1000000

        error: `fast` is no good value for --rps: a rate is a number of calls a second, such as 10 or 0.5, or calls in a time, such as 50/1s or 1000/m

        error: `soon` is no good value for --duration: a duration is a number with a unit, such as 300ms, 1.5s or 1m30s

        error: cannot write `no/such/folder.json`
        caused by: No such file or directory (os error 2)
        hint: make the folder `no/such` first
    "#]],
    );
}

#[test]
fn c34_no_calls() {
    check(
        with(&["-n", "0"]),
        expect![[r"
        error: `0` is no good value for --total: a run makes at least one call
        hint: to run for a time instead of a number of calls, give -z
    "]],
    );
}

#[test]
fn counts() {
    check(
        with(&["-n", "many", "-c", "-5", "--cpus", "0"]),
        expect![[r"
            error: `-5` is no good value for --concurrency: it is a whole number from 1 to 1000000

            error: `many` is no good value for --total: it is a whole number above 0

            error: `0` is no good value for --cpus: it is a whole number from 1 to 1024
        "]],
    );
}

#[test]
fn c34_more_connections_than_callers() {
    check(
        with(&["--connections", "10", "-c", "5"]),
        expect![[r"
        error: 10 connections are more than 5 calls in flight can use
        hint: raise -c to 10, or use --connections 5
    "]],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn more_connections_than_open_files() {
    let run = || with(&["--connections", "200", "-c", "200", "--cpus", "1"]);
    let done = run().open_files("-n 60").go();
    let needed = done.stderr.split(' ').find_map(|word| word.parse::<u64>().ok().filter(|number| *number > 200));
    let needed = needed.expect("the number that would do").to_string();
    check(
        run().open_files("-n 60").named(&needed, "NEEDED"),
        expect![[r"
        error: 200 connections need NEEDED open files, and the system allows this process 60
        hint: allow more, such as with `ulimit -n NEEDED`, or use fewer --connections
    "]],
    );
    // With that many it goes on to the target, which is not there.
    let done = run().open_files(&format!("-n {needed}")).status(3).go();
    assert!(done.stderr.contains("cannot connect"), "{}", done.stderr);
}

/// The stack that is asked for here is larger than any address space.
#[test]
fn no_thread_for_a_worker() {
    let server = Background::start(Options::default()).unwrap();
    check(
        Run::say_hello(server.address())
            .args(["--cpus", "2", "--connections", "2"])
            .variable("RUST_MIN_STACK", &(1_u64 << 60).to_string())
            .status(2),
        expect![[r"
            note: an interrupt will end this run without a report: Resource temporarily unavailable (os error 11)
            error: the system gives no thread for worker 1 of 2
            caused by: Resource temporarily unavailable (os error 11)
            hint: use fewer --cpus, or allow more processes, such as with `ulimit -u`
        "]],
    );
    assert_eq!(server.counts().all_calls(), 0);
}

/// What looks up a name before the workers are there needs a thread, too.
#[test]
fn no_thread_to_look_up_a_name() {
    let run = Run::new().args(["describe", "--insecure", "localhost:9"]).status(3);
    let done = run.variable("RUST_MIN_STACK", &(1_u64 << 60).to_string()).go();
    let told = "error: cannot resolve the name `localhost`\ncaused by: Resource temporarily unavailable";
    assert!(done.stderr.contains(told) && !done.stderr.contains("panicked"), "{}", done.stderr);
}

#[test]
fn durations() {
    check(
        with(&["-z", "10", "-t", "5x", "--connect-timeout", "0", "-x", "-1"]),
        expect![[r"
        error: `0` is no good value for --connect-timeout: it is above 0

        error: `10` is no good value for --duration: a time has a unit, such as 300ms, 1.5s or 1m30s
        hint: for seconds write 10s

        error: `-1` is no good value for --max-duration: a duration is a number with a unit, such as 300ms, 1.5s or 1m30s

        error: `5x` is no good value for --timeout: a duration is a number with a unit, such as 300ms, 1.5s or 1m30s
    "]],
    );
}

#[test]
fn rates() {
    check(
        with(&["-r", "fast"]),
        expect![[r"
        error: `fast` is no good value for --rps: a rate is a number of calls a second, such as 10 or 0.5, or calls in a time, such as 50/1s or 1000/m
    "]],
    );
    check(
        with(&["-r", "-5"]),
        expect![[r"
        error: `-5` is no good value for --rps: a rate is a number of calls a second, such as 10 or 0.5, or calls in a time, such as 50/1s or 1000/m
    "]],
    );
}

#[test]
fn formats() {
    check(
        with(&["-O", "xml"]),
        expect![[r"
            error: `xml` is no good value for --format: a format is one of summary, csv, json, pretty, html, influx-summary, influx-details, prometheus, markdown, hdr, hlog
        "]],
    );
}

#[test]
fn tags() {
    check(
        with(&["--tags", r#"{"env":1}"#]),
        expect![[r#"
        error: `{"env":1}` is no good value for --tags: it is a JSON object of strings, such as {"env":"staging"}; the value of `env` is no string
    "#]],
    );
}

#[test]
fn messages_longer_than_they_may_be() {
    check(
        with(&["-d", r#"[{"name":"Ann"},{"name":"Bartholomew"}]"#, "--max-send-message-size", "10"]),
        expect![[r"
        error: message 2 of the data has 13 bytes, and --max-send-message-size allows 10
        hint: send less, or raise --max-send-message-size
    "]],
    );
}

#[test]
fn authorities() {
    check(
        with(&["--authority", "a b"]),
        expect![[r"
        error: `a b` is no good value for --authority: it is a host name or a host name with a port
    "]],
    );
}

#[test]
fn targets() {
    for (host, expected) in [
        (
            "localhost",
            expect![[r"
            error: `localhost` is no good value for the target: the port is missing; write localhost:443
        "]],
        ),
        (
            "ftp://localhost:21",
            expect![[r"
            error: `ftp://localhost:21` is no good value for the target: the scheme `ftp` is unknown; known are http, https, dns, ipv4, ipv6, unix and unix-abstract
        "]],
        ),
        (
            "localhost:70000",
            expect![[r"
            error: `localhost:70000` is no good value for the target: `70000` is no port; a port is a number from 1 to 65535
        "]],
        ),
        (
            "dmeo",
            expect![[r"
            error: `dmeo` is no command, and no target either: a target is host:port
            hint: did you mean `grpcbench demo`?
        "]],
        ),
    ] {
        check(Run::say_hello(host).status(2), expected);
    }
}

#[test]
fn files_with_two_uses() {
    let run = Run::say_hello("127.0.0.1:9").file("data.json", r#"{"name":"Ann"}"#);
    check(
        run.args([
            "-D",
            "data.json",
            "-o",
            "./data.json",
            "--out",
            "csv=a",
            "--junit",
            "a",
            "--debug",
            "helloworld.proto",
        ])
        .status(2),
        expect![[r"
            error: `./data.json` cannot be written for --output: --data-file reads it
            hint: name another file for --output

            error: `helloworld.proto` cannot be written for --debug: --proto reads it
            hint: name another file for --debug

            error: `a` cannot be written for --junit: --out writes it
            hint: name another file for --junit
        "]],
    );
}

#[test]
fn one_word_too_many() {
    check(
        with(&["-d", "{\"name\":", "\"Ann\"}"]),
        expect![[r#"
        error: `"Ann"}` is one word too many: there is a target already
        hint: quote a value that has spaces in it, such as -d '{"name": "Ann"}'; switches take no value
    "#]],
    );
    check(
        with(&["false"]),
        expect![[r#"
        error: `false` is one word too many: there is a target already
        hint: quote a value that has spaces in it, such as -d '{"name": "Ann"}'; switches take no value
    "#]],
    );
}

#[test]
fn contradictions() {
    check(
        Run::say_hello("https://localhost:9").status(2),
        expect![[r"
        error: --insecure and `https://localhost:9` contradict each other: the one means plaintext, the other TLS
        hint: leave out one of them
    "]],
    );
    let run = Run::new().args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello", "--tls"]);
    check(
        run.args(["http://localhost:9"]).status(2),
        expect![[r"
        error: `http://localhost:9` and --tls contradict each other: the one means plaintext, the other TLS
        hint: leave out one of them
    "]],
    );
    check(
        with(&["--skipTLS"]),
        expect![[r"
        error: --insecure and --skipTLS contradict each other: the one means plaintext, the other TLS
        hint: leave out one of them
    "]],
    );
    check(
        with(&["--cacert", "no.pem"]),
        expect![[r"
        error: --insecure and --cacert contradict each other: the one means plaintext, the other TLS
        hint: leave out one of them

        error: `no.pem` is no good value for --cacert: it cannot be read: No such file or directory (os error 2)
    "]],
    );
}

#[test]
fn files_that_cannot_be_read() {
    check(
        with(&["-D", "no.json"]),
        expect![[r"
        error: cannot read `no.json` for --data-file
        caused by: No such file or directory (os error 2)
    "]],
    );
    check(
        with(&["-d", "@no.json"]),
        expect![[r"
        error: cannot read `no.json` for --data
        caused by: No such file or directory (os error 2)
    "]],
    );
}

#[test]
fn ping_pong_without_replies_to_wait_for() {
    let run = Run::new().args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHellos"]);
    check(
        run.args(["--stream-ping-pong", "127.0.0.1:9"]).status(2),
        expect![[r"
            error: --stream-ping-pong needs a bidirectional streaming method, and `/helloworld.Greeter/SayHellos` is server streaming
        "]],
    );
}

#[test]
fn what_is_repeated_does_not_reach_the_terminal_raw() {
    check(
        with(&["-z", "\u{1b}[2J\u{202e}1\nerror: x"]),
        expect![[r"
        error: `\u{1b}[2J\u{202e}1
          error: x` is no good value for --duration: a duration is a number with a unit, such as 300ms, 1.5s or 1m30s
    "]],
    );
}
