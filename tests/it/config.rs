//! Configs and variables: ghz's keys and types in three formats, and what wins over what.

use grpcbench::target::{Background, Options};
use serde_json::{Value, json};

use super::harness::Run;

/// Every key of ghz's configs that is a flag here but `cacert`, `skipTLS` and `data-file`, which exclude others.
const JSON: &str = r#"{
    "proto": "greeter.proto",
    "import-paths": [".", ".."],
    "call": "helloworld.Greeter.SayHello",
    "host": "HOST",
    "insecure": true,
    "authority": "greeter.example",
    "total": 40,
    "concurrency": 4,
    "connections": 2,
    "rps": 400,
    "duration": "0s",
    "max-duration": "1m",
    "duration-stop": "wait",
    "timeout": "3s",
    "connect-timeout": "5s",
    "cpus": 2,
    "data": [{"name": "Ann", "big": 9007199254740993}, {"name": "Bob"}],
    "metadata": {"x-tenant": "acme", "trace-bin": "AAECAw=="},
    "name": "nightly",
    "tags": {"branch": "main", "run": "7"},
    "format": "json",
    "output": "run.json",
    "count-errors": true,
    "stream-interval": "0s",
    "stream-call-duration": "0",
    "stream-call-count": 0
}"#;

const TOML: &str = r#"
# The same.
proto = "greeter.proto"
import-paths = [".", ".."]
call = "helloworld.Greeter.SayHello"
host = "HOST"
insecure = true
authority = "greeter.example"
total = 40
concurrency = 4
connections = 2
rps = 400
duration = "0s"
max-duration = "1m"
"duration-stop" = "wait"
timeout = "3s"
connect-timeout = "5s"
cpus = 2
name = "nightly"
format = "json"
output = "run.json"
count-errors = true
stream-interval = "0s"
stream-call-duration = "0"
stream-call-count = 0

[metadata]
x-tenant = "acme"
trace-bin = "AAECAw=="

[tags]
branch = "main"
run = "7"

[[data]]
name = "Ann"
big = 9007199254740993

[[data]]
name = "Bob"
"#;

const YAML: &str = r#"
# The same.
proto: greeter.proto
import-paths:
  - .
  - ..
call: helloworld.Greeter.SayHello
host: HOST
insecure: yes
authority: greeter.example
total: 40
concurrency: 4
connections: 2
rps: 400
duration: 0s
max-duration: 1m
duration-stop: wait
timeout: 3s
connect-timeout: 5s
cpus: 2
data:
  - name: Ann
    big: 9007199254740993
  - name: Bob
metadata:
  x-tenant: acme
  trace-bin: AAECAw==
name: nightly
tags:
  branch: main
  run: "7"
format: json
output: run.json
count-errors: true
stream-interval: 0s
stream-call-duration: 0
stream-call-count: 0
"#;

/// The message with a field more, whose digits matter.
const PROTO: &str = r#"
syntax = "proto3";
package helloworld;
service Greeter { rpc SayHello (HelloRequest) returns (HelloReply); }
message HelloRequest { string name = 1; int64 big = 2; }
message HelloReply { string message = 1; }
"#;

/// A run that has nothing on its command line but a config.
fn with_config(name: &str, text: &str, server: &Background) -> Run {
    Run::new().file(name, text.replace("HOST", server.address())).args(["--config", name])
}

/// A config of a short run.
fn short(more: &str) -> String {
    format!(
        r#"{{"proto": "helloworld.proto", "call": "helloworld.Greeter/SayHello", "host": "HOST", "insecure": true,
            "total": 8, "concurrency": 2, "format": "json"{more}}}"#
    )
}

#[test]
fn every_key_means_the_same_in_every_format() {
    let server = Background::start(Options::default()).unwrap();
    for (name, text) in [("test.json", JSON), ("test.toml", TOML), ("test.yaml", YAML), ("test.yml", YAML)] {
        let done = with_config(name, text, &server).file("greeter.proto", PROTO).go();
        assert_eq!(done.stdout + &done.stderr, "", "{name}");
        let text = done.files.get("run.json").filter(|text| text.contains("grpcbench")).expect("a report").to_owned();
        assert!(text.contains("9007199254740993"), "{name}: each digit is there");
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["count"], 40, "{name}");
        assert_eq!(report["name"], "nightly", "{name}");
        assert_eq!(report["tags"], json!({"branch": "main", "run": "7"}), "{name}");
        let options = report["options"].as_object().unwrap();
        let expected = json!({
            "host": server.address(), "call": "helloworld.Greeter.SayHello", "proto": "greeter.proto",
            "import-paths": [".", ".."], "insecure": true, "total": 40, "concurrency": 4, "connections": 2, "rps": 400,
            "timeout": 3_000_000_000_u64, "CPUs": 2, "count-errors": true,
            "data": [{"name": "Ann", "big": 9_007_199_254_740_993_u64}, {"name": "Bob"}],
        });
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(options.get(key), Some(value), "{name}: {key} in {options:?}");
        }
        assert!(options["metadata"].as_object().unwrap().contains_key("x-tenant"), "{name}");
    }
}

#[test]
fn loads_that_change_are_in_configs_too() {
    let server = Background::start(Options::default()).unwrap();
    let rate = r#", "load-schedule": "STEP", "load-start": 200, "load-step": -50, "load-end": 100, "load-step-duration": "100ms",
        "load-max-duration": "1s", "async": false, "skipFirst": 2, "concurrency-schedule": "const", "concurrency-start": 1"#;
    let report = with_config("run.json", &short(rate), &server).go().json();
    assert_eq!(report["count"], 6, "8, without the first two");
    let options = &report["options"];
    assert_eq!(options["load-schedule"], "step");
    assert_eq!(
        (&options["load-start"], &options["load-step"], &options["load-end"]),
        (&json!(200), &json!(-50), &json!(100))
    );

    let callers = r#", "concurrency-schedule": "line", "concurrency-start": 2, "concurrency-step": 1, "concurrency-end": 4,
        "concurrency-step-duration": "1s", "concurrency-max-duration": "5s""#;
    let report = with_config("run.json", &short(callers), &server).go().json();
    assert_eq!((&report["count"], &report["options"]["concurrency-schedule"]), (&json!(8), &json!("line")));

    // A rate that is typed takes the place of the one in the config; and a number below 0 is a value.
    let typed = with_config("run.json", &short(rate), &server)
        .args(["-r", "500", "--no-async", "--skipFirst", "0"])
        .go()
        .json();
    assert_eq!((&typed["count"], &typed["options"]["load-schedule"]), (&json!(8), &json!("const")));
    let step = with_config("run.json", &short(rate), &server).args(["--load-step", "-100"]).go().json();
    assert_eq!(step["options"]["load-step"], -100);
}

/// The two kinds of example in ghz's documentation: templates in JSON, and tables in TOML with keys in quotes.
#[test]
fn configs_as_they_are_documented_for_ghz_run_unchanged() {
    let server = Background::start(Options::default()).unwrap();
    let json = r#"{
        "proto": "helloworld.proto", "call": "helloworld.Greeter.SayHello",
        "total": 200, "concurrency": 5,
        "data": { "name": "Joe" },
        "metadata": { "foo": "bar", "trace_id": "{{.RequestNumber}}", "timestamp": "{{.TimestampUnix}}" },
        "import-paths": [ "/path/to/protos" ],
        "insecure": true, "max-duration": "10s", "host": "HOST"
    }"#;
    let toml = "\"max-duration\" = \"7s\"\ntotal = 50\nconcurrency = 5\nproto = \"helloworld.proto\"\n\
        call = \"helloworld.Greeter.SayHello\"\nhost = \"HOST\"\ninsecure = true\n\
        [data]\nname = \"Bob {{.TimestampUnix}}\"\n[metadata]\nrn = \"{{.RequestNumber}}\"\n";
    for (name, text, count) in [("ghz.json", json, 200), ("ghz.toml", toml, 50)] {
        let report = with_config(name, text, &server).report();
        assert_eq!(report["count"], count, "{name}");
        assert_eq!(report["statusCodeDistribution"], json!({"OK": count}), "{name}");
    }
}

#[test]
fn keys_are_known_in_any_case_and_by_their_other_names() {
    let server = Background::start(Options::default()).unwrap();
    let text = r#"{"Proto": "helloworld.proto", "CALL": "helloworld.Greeter.SayHello", "Host": "HOST", "Insecure": true,
        "SkipTls": false, "skip-tls": null, "Total": "7", "concurrency": 1, "rate": 1000, "name": null,
        "cert": "", "key": "", "cacert": "", "cname": "", "protoset": "", "data-file": "", "output": "", "tags": {}}"#;
    // `skip-tls` and `SkipTls` are one key.
    let done = with_config("run.json", text, &server).status(2).go();
    assert!(done.stderr.contains("sets `skipTLS` twice"), "{}", done.stderr);
    let report = with_config("run.json", &text.replace("\"skip-tls\": null, ", ""), &server).report();
    assert_eq!(report["count"], 7);
    assert_eq!(report["options"]["rps"], 1000);
}

#[test]
fn flags_win_over_variables_and_those_over_the_config() {
    let server = Background::start(Options::default()).unwrap();
    let run = || with_config("run.json", &short(r#", "name": "file""#), &server);
    assert_eq!(run().go().json()["name"], "file");
    assert_eq!(run().variable("GRPCBENCH_NAME", "variable").go().json()["name"], "variable");
    let typed = run().variable("GRPCBENCH_NAME", "variable").args(["--name", "typed", "-n", "3", "-O", "pretty"]).go();
    assert_eq!(typed.json()["name"], "typed");
    assert_eq!(typed.json()["count"], 3);
    assert!(typed.stdout.lines().count() > 20);
}

#[test]
fn variables_alone_are_enough() {
    let server = Background::start(Options::default()).unwrap();
    let run = Run::new()
        .variable("GRPCBENCH_HOST", server.address())
        .variable("GRPCBENCH_INSECURE", "true")
        .variable("GRPCBENCH_PROTO", "helloworld.proto")
        .variable("GRPCBENCH_CALL", "helloworld.Greeter.SayHello")
        .variable("GRPCBENCH_DATA", r#"{"name":"Ann"}"#)
        .variable("GRPCBENCH_TIMEOUT", "5s");
    let report = run.args(["-n", "6", "-c", "1"]).report();
    assert_eq!(report["count"], 6);
    assert_eq!(report["options"]["timeout"], 5_000_000_000_u64);
    assert_eq!(report["options"]["data"], json!({"name": "Ann"}));
}

#[test]
fn a_variable_names_the_config() {
    let server = Background::start(Options::default()).unwrap();
    let run = || Run::new().file("run.json", short(r#", "odd": 1"#).replace("HOST", server.address()));
    let run = || run().variable("GRPCBENCH_CONFIG", "run.json").args(["-c", "1"]);
    assert!(run().status(2).go().stderr.contains("`odd`"));
    assert_eq!(run().variable("GRPCBENCH_CONFIG_LENIENT", "true").go().json()["count"], 8);
}

#[test]
fn commands_take_no_variables() {
    let done = Run::new()
        .variable("GRPCBENCH_DATA", "{}")
        .variable("GRPCBENCH_TOTAL", "nonsense")
        .args(["demo", "-z", "200ms", "-O", "json"])
        .go();
    assert_eq!(done.json()["endReason"], "timeout");
}

#[test]
fn switches_of_a_config_can_be_turned_off() {
    let server = Background::start(Options::default()).unwrap();
    let run = || with_config("run.json", &short(r#", "count-errors": true"#), &server);
    let counts_errors = |report: Value| report["options"]["count-errors"].as_bool().unwrap_or(false);
    assert!(counts_errors(run().go().json()));
    assert!(!counts_errors(run().args(["--no-count-errors"]).go().json()));
    assert!(!counts_errors(run().variable("GRPCBENCH_COUNT_ERRORS", "false").go().json()));
}

#[test]
fn a_lenient_run_passes_over_foreign_keys() {
    let server = Background::start(Options::default()).unwrap();
    let done = with_config("run.json", &short(r#", "tiemout": "5s", "editor": {"theme": "dark"}"#), &server)
        .args(["--config-lenient"])
        .stderr(expect_test::expect![[r"
            note: `tiemout` in `run.json` is no flag, and is passed over; did you mean `timeout`?
            note: `editor` in `run.json` is no flag, and is passed over
        "]])
        .go();
    assert_eq!(done.json()["count"], 8);
}

#[test]
fn a_name_that_tells_no_format_is_no_obstacle() {
    let server = Background::start(Options::default()).unwrap();
    let toml =
        "proto = 'helloworld.proto'\ncall = 'helloworld.Greeter/SayHello'\nhost = 'HOST'\ninsecure = true\ntotal = 8\n";
    let yaml = toml.replace(" =", ":");
    for text in [&short(""), toml, &yaml] {
        assert_eq!(with_config("run.conf", text, &server).args(["-c", "2"]).report()["count"], 8, "{text}");
    }
}
