//! Data and metadata on the wire: every way to give them, templates, and what becomes of calls that cannot be sent.

use std::collections::BTreeSet;

use expect_test::expect;
use grpcbench::target::{Background, Method, Options};

use super::harness::Run;
use super::listener::Listener;
use super::numbers::{counts, whole};

fn hello(listener: &Listener, args: &[&str]) -> Run {
    Run::say_hello(&listener.address()).args(args.iter().copied())
}

/// The names that a server hears.
fn names(args: &[&str]) -> Vec<String> {
    let listener = Listener::start();
    hello(&listener, args).go();
    listener.names()
}

#[test]
fn c20_each_call_is_rendered_with_its_number() {
    let data = r#"{"name":"{{.RequestNumber}}-{{newUUID}}"}"#;
    let heard = names(&["-n", "50", "-c", "5", "--connections", "2", "--cpus", "2", "-d", data]);
    let (numbers, uuids): (BTreeSet<_>, BTreeSet<_>) = heard.iter().map(|name| name.split_once('-').unwrap()).unzip();
    assert_eq!(
        numbers,
        (0..50).map(|number| number.to_string()).collect::<BTreeSet<_>>().iter().map(String::as_str).collect()
    );
    assert_eq!(uuids.len(), 50);
}

#[test]
fn c20_the_text_is_a_template_before_it_is_json() {
    for (data, expected) in [
        (r#"{{if true}}{"name":"yes"}{{end}}"#, "yes"),
        (r#"{"name":"{{printf "%s-%d" "a" .RequestNumber}}"}"#, "a-0"),
        (r#"{"name":{{quote "q\"q"}}}"#, "q\"q"),
        (
            r#"{"name":"{{.ServiceName}}/{{.MethodName}} {{.InputName}} {{.WorkerID}}"}"#,
            "Greeter/SayHello HelloRequest night:g0c0",
        ),
    ] {
        assert_eq!(names(&["-n", "1", "-c", "1", "--name", "night", "-d", data]), [expected], "{data}");
    }
}

#[test]
fn worker_names_are_those_of_slots_and_connections() {
    let heard =
        names(&["-n", "40", "-c", "4", "--connections", "2", "--cpus", "2", "-d", r#"{"name":"{{.WorkerID}}"}"#]);
    let heard: BTreeSet<String> = heard.into_iter().collect();
    let known = ["g0c0", "g1c1", "g2c0", "g3c1"].map(str::to_owned);
    assert!(!heard.is_empty() && heard.iter().all(|name| known.contains(name)), "{heard:?}");
}

#[test]
fn arrays_and_lines_take_turns_with_templates_in_them() {
    let array = r#"[{"name":"Ann"},{"name":"{{.RequestNumber}}"},{"name":"Cem"}]"#;
    assert_eq!(names(&["-n", "5", "-c", "1", "-d", array]), ["Ann", "1", "Cem", "Ann", "4"]);
    let listener = Listener::start();
    let lines = "{\"name\":\"Ann\"}\n\n{\"name\":\"{{.RequestNumber}}\"}\r\n";
    hello(&listener, &["-n", "4", "-c", "1", "-D", "names.ndjson"]).file("names.ndjson", lines).go();
    assert_eq!(listener.names(), ["Ann", "1", "Ann", "3"]);
}

#[test]
fn the_same_seed_gives_the_same_calls_whatever_sends_them() {
    let data =
        r#"{"name":"{{.RequestNumber}} {{.UUID}} {{randomString 8}} {{randomInt 0 1000}} {{randomChoice "a" "b"}}"}"#;
    let run = |args: &[&str]| {
        let mut heard = names(&[&["-n", "30", "-d", data], args].concat());
        heard.sort();
        heard
    };
    let one = run(&["-c", "1", "--seed", "7"]);
    assert_eq!(one, run(&["-c", "6", "--connections", "3", "--cpus", "3", "--seed", "7"]));
    assert_ne!(one, run(&["-c", "1", "--seed", "8"]));
    assert_ne!(run(&["-c", "1"]), run(&["-c", "1"]), "without one each run is another");
}

#[test]
fn a_run_can_be_repeated_from_its_report() {
    let data = r#"{"name":"{{newUUID}}"}"#;
    let first = Listener::start();
    let report = hello(&first, &["-n", "3", "-c", "1", "-d", data]).report();
    let seed = whole(&report["grpcbench"]["load"]["seed"]).to_string();
    let second = Listener::start();
    hello(&second, &["-n", "3", "-c", "1", "-d", data, "--seed", &seed]).go();
    assert_eq!(first.names(), second.names());
    let plain = hello(&second, &["-n", "1", "-c", "1"]).report();
    assert!(plain["grpcbench"]["load"].get("seed").is_none(), "there was nothing left to chance");
}

#[test]
fn c20_templates_can_be_switched_off() {
    let data = r#"{"name":"{{.UUID}}"}"#;
    assert_eq!(names(&["-n", "1", "-c", "1", "--disable-template-data", "-d", data]), ["{{.UUID}}"]);
    let heard =
        names(&["-n", "1", "-c", "1", "--disable-template-functions", "-d", r#"{"name":"{{.RequestNumber}}"}"#]);
    assert_eq!(heard, ["0"]);
}

/// Calls that a template fails for are counted as unsent, with their reasons, and the others are made.
#[test]
fn c20_a_template_that_fails_later_costs_its_call_and_nothing_else() {
    let data = r#"{"name":"{{if eq (mod .RequestNumber 5) 3}}{{fail "no name today"}}{{end}}"}"#;
    for flags in ["-n 50 -c 5", "-n 50 -c 5 -r 500", "-n 50 -c 4 --connections 2 --cpus 2"] {
        let server = Background::start(Options::default()).unwrap();
        let run = || Run::say_hello(server.address()).args(flags.split_whitespace()).args(["-d", data]);
        let report = run().report();
        let counts = counts(&report);
        assert_eq!((counts.arrivals, counts.ok), (50, 40), "{flags}");
        assert_eq!(whole(&report["grpcbench"]["counts"]["unsent"]), 10, "{flags}");
        assert_eq!(server.counts().calls(Method::SayHello), 40, "{flags}");
        let unsent = &report["grpcbench"]["unsent"];
        assert_eq!(unsent[0]["reason"], "the template in --data fails: fail: no name today");
        assert_eq!((unsent.as_array().unwrap().len(), whole(&unsent[0]["count"])), (1, 10));
        let summary = run().go().stdout;
        let block = "Calls that could not be sent:\n  [10]   the template in --data fails: fail: no name today\n";
        assert!(summary.contains(block), "{summary}");
        assert!(summary.contains("could not be sent: what their templates gave was no message"), "{summary}");
    }
}

#[test]
fn what_is_no_message_later_costs_its_call() {
    let data = r#"{"name":{{if lt .RequestNumber 2}}"a"{{else}}{{.RequestNumber}}{{end}}}"#;
    let server = Background::start(Options::default()).unwrap();
    let report = Run::say_hello(server.address()).args(["-n", "100", "-c", "3", "-d", data]).report();
    assert_eq!(counts(&report).ok, 2);
    let rows = report["grpcbench"]["unsent"].as_array().unwrap();
    assert_eq!(rows.len(), 65, "the table of reasons is bounded");
    assert_eq!(rows.iter().map(|row| whole(&row["count"])).sum::<u64>(), 98);
    assert!(rows[0]["reason"].as_str().unwrap().starts_with("`name` wants a string, not "), "{}", rows[0]);
}

/// A template that fails for all calls but the first leaves nothing to wait for: the run still ends at its time.
#[test]
fn a_run_of_failing_templates_ends_in_time() {
    let data = r#"{"name":"{{if .RequestNumber}}{{fail "over"}}{{end}}"}"#;
    let server = Background::start(Options::default()).unwrap();
    let done = Run::say_hello(server.address()).args(["-z", "300ms", "-c", "2", "-d", data, "-O", "json"]).go();
    assert_eq!(counts(&done.json()).ok, 1);
    assert!(done.elapsed.as_secs_f64() < 10.0, "{:?}", done.elapsed);
}

#[test]
fn binary_messages_from_files_and_standard_input() {
    let one = b"\x0a\x03Ann";
    let several = b"\x05\x0a\x03Ann\x05\x0a\x03Ben";
    let listener = Listener::start();
    let run = |args: &[&str]| {
        hello(&listener, &[&["-n", "3", "-c", "1"], args].concat()).file("one", one).file("several", several)
    };
    let report = run(&["-B", "one"]).report();
    assert_eq!(report["options"]["binary"], true);
    run(&["-B", "several"]).go();
    run(&["-b"]).stdin("\x05\n\x03Ann\x05\n\x03Ben").go();
    run(&["-b", "--binary-format", "single"]).stdin("\n\x03Cem").go();
    assert_eq!(listener.names(), ["Ann", "Ann", "Ann", "Ann", "Ben", "Ann", "Ann", "Ben", "Ann", "Cem", "Cem", "Cem"]);
}

#[test]
fn what_goes_before_what() {
    let listener = Listener::start();
    let run = |args: &[&str]| {
        hello(&listener, &[&["-n", "1", "-c", "1"], args].concat())
            .file("file.json", r#"{"name":"file"}"#)
            .file("file.bin", b"\x0a\x03bin")
            .stdin("\n\x05stdin")
    };
    let d = ["-d", r#"{"name":"data"}"#];
    run(&[&d[..], &["-D", "file.json"]].concat())
        .stderr(expect![[r"
            note: --data is not used, because --data-file goes before it
        "]])
        .go();
    run(&["-b", "-D", "file.json"])
        .stderr(expect![[r"
            note: --data-file is not used, because --binary goes before it
        "]])
        .go();
    run(&["-B", "file.bin", "-b"])
        .stderr(expect![[r"
            note: --binary is not used, because --binary-file goes before it
        "]])
        .go();
    assert_eq!(listener.names(), ["file", "stdin", "bin"]);
}

#[test]
fn fields_that_the_schema_does_not_have() {
    let data = r#"{"name":"Ann","age":7}"#;
    Run::say_hello("127.0.0.1:9").args(["-d", data]).status(2).go();
    assert_eq!(names(&["-n", "1", "-c", "1", "--allow-unknown-fields", "-d", data]), ["Ann"]);
}

#[test]
fn metadata_from_all_sides() {
    let listener = Listener::start();
    hello(
        &listener,
        &[
            "-n",
            "2",
            "-c",
            "1",
            "-M",
            "md.json",
            "-H",
            "X-Many: c",
            "-H",
            "x-rn: {{.RequestNumber}}",
            "-H",
            "b-bin: /w",
        ],
    )
    .file("md.json", r#"{"X-Tenant":"Acme","x-many":["a","b"],"x-id":"{{.UUID}} {{.WorkerID}}"}"#)
    .go();
    let heard = listener.heard();
    for (number, call) in heard.iter().enumerate() {
        assert_eq!(call.header("x-tenant"), Some("Acme"));
        let many: Vec<&str> = call.metadata.get_all("x-many").iter().map(|value| value.to_str().unwrap()).collect();
        assert_eq!(many, ["c", "a", "b"], "static values stand in the head that all calls share");
        assert_eq!(call.header("x-rn"), Some(&*number.to_string()));
        assert_eq!(call.metadata.get_bin("b-bin").unwrap().to_bytes().unwrap(), vec![0xff]);
        assert!(call.header("x-id").unwrap().ends_with(" g0c0"));
    }
    assert_ne!(heard[0].header("x-id"), heard[1].header("x-id"));
}

#[test]
fn metadata_takes_turns() {
    let listener = Listener::start();
    let metadata = r#"[{"x-user":"ann"},{"x-user":"ben","x-extra":"1"},{"x-user":"{{.RequestNumber}}"}]"#;
    hello(&listener, &["-n", "4", "-c", "1", "-m", metadata]).go();
    let heard = listener.heard();
    let users: Vec<_> = heard.iter().map(|call| call.header("x-user").unwrap()).collect();
    assert_eq!(users, ["ann", "ben", "2", "ann"]);
    let extra: Vec<_> = heard.iter().map(|call| call.header("x-extra")).collect();
    assert_eq!(extra, [None, Some("1"), None, None]);
}

#[test]
fn c19_call_a_thousand_looks_like_call_one() {
    let listener = Listener::start();
    let metadata = r#"{"X-Tenant":"Acme","x-run":"7"}"#;
    hello(&listener, &["-n", "1000", "-c", "10", "-m", metadata, "-H", "x-n: {{.RequestNumber}}"]).go();
    let heard = listener.heard();
    assert_eq!(heard.len(), 1_000);
    let mut numbers = BTreeSet::new();
    for call in &heard {
        for (key, value) in [("x-tenant", "Acme"), ("x-run", "7")] {
            let values: Vec<_> = call.metadata.get_all(key).iter().collect();
            assert_eq!(values, [value]);
        }
        assert_eq!(call.metadata.get_all("x-n").iter().count(), 1);
        numbers.insert(call.header("x-n").unwrap().to_owned());
        assert_eq!(call.metadata.len(), heard[0].metadata.len());
    }
    assert_eq!(numbers.len(), 1_000);
}

#[test]
fn data_and_metadata_of_a_call_agree() {
    let listener = Listener::start();
    let args = ["-n", "9", "-c", "3", "-d", r#"{"name":"{{.UUID}} {{.TimestampUnixNano}}"}"#];
    hello(&listener, &args).args(["-m", r#"{"x":"{{.UUID}} {{.TimestampUnixNano}}"}"#]).go();
    for call in listener.heard() {
        assert_eq!(call.header("x"), Some(&*call.name));
    }
}

#[test]
fn reports_repeat_what_was_asked_for() {
    let listener = Listener::start();
    let data = r#"{"name":"{{.RequestNumber}}"}"#;
    let report =
        hello(&listener, &["-n", "1", "-c", "1", "-d", data, "-H", "x-rn: {{.RequestNumber}}", "-H", "x-token: abc"])
            .report();
    assert_eq!(report["options"]["data"]["name"], "{{.RequestNumber}}");
    assert_eq!(report["options"]["metadata"]["x-rn"], "{{.RequestNumber}}");
    assert_eq!(report["options"]["metadata"]["x-token"], "***");
}

#[test]
fn streams_send_sequences_that_templates_make() {
    let server = Background::start(Options::default()).unwrap();
    let call = |data: &str| {
        Run::new()
            .args([
                "--insecure",
                "--proto",
                "helloworld.proto",
                "--call",
                "helloworld.Greeter.SayHelloCS",
                server.address(),
            ])
            .args(["-n", "4", "-c", "2", "-d", data])
            .report()
    };
    let sent = |report: &serde_json::Value| whole(&report["grpcbench"]["traffic"]["messages_sent"]);
    let sequences = r#"[[{"name":"a"},{"name":"b"},{"name":"c"}],[{"name":"{{.RequestNumber}}"}]]"#;
    assert_eq!(sent(&call(sequences)), 3 + 1 + 3 + 1);
    let growing = r#"[{{range $i := until (add1 .RequestNumber | int)}}{{if $i}},{{end}}{"name":"{{$i}}"}{{end}}]"#;
    assert_eq!(sent(&call(growing)), 1 + 2 + 3 + 4);
    let failing = r#"[{"name":"a"},{"name":"{{if eq .RequestNumber 2}}{{fail "not this one"}}{{end}}"}]"#;
    let report = call(failing);
    assert_eq!((counts(&report).ok, whole(&report["grpcbench"]["counts"]["unsent"])), (3, 1));
    assert_eq!(sent(&report), 6);
}

#[test]
fn templates_in_configs() {
    let listener = Listener::start();
    for (name, config) in [
        (
            "run.json",
            r#"{"total": 1, "concurrency": 1, "data": {"name": "{{`a` | upper}}{{.RequestNumber}}"}, "metadata": {"x": "{{.MethodName}}"}}"#,
        ),
        (
            "run.toml",
            "total = 1\nconcurrency = 1\nmetadata = { x = '{{print \"SayHello\"}}' }\n\
             data = { name = '{{printf \"%s\" (upper \"a\")}}{{.RequestNumber}}' }\n",
        ),
        (
            "run.yaml",
            "total: 1\nconcurrency: 1\ndata:\n  name: '{{`a` | upper}}{{.RequestNumber}}'\nmetadata:\n  x: '{{.MethodName}}'\n",
        ),
    ] {
        hello(&listener, &["--config", name]).file(name, config).go();
        let last = listener.heard().pop().unwrap();
        assert_eq!((&*last.name, last.header("x")), ("A0", Some("SayHello")), "{name}");
    }
}

#[test]
fn what_is_rendered_is_measured_too() {
    let listener = Listener::start();
    let data = r#"{"name":"{{repeat (add1 .RequestNumber | int) "0123456789"}}"}"#;
    let report = hello(&listener, &["-n", "4", "-c", "1", "--max-send-message-size", "24", "-d", data]).report();
    assert_eq!(counts(&report).ok, 2);
    let reasons: Vec<&str> =
        report["grpcbench"]["unsent"].as_array().unwrap().iter().map(|row| row["reason"].as_str().unwrap()).collect();
    assert!(reasons.len() == 2 && reasons.iter().all(|reason| reason.contains("24")), "{reasons:?}");
    hello(&listener, &["-n", "1", "--max-send-message-size", "8", "-d", data]).status(2).go();
}
