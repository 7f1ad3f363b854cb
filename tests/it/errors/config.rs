//! Mistakes in configs and in variables, which are shown where they are written.

use expect_test::expect;
use grpcbench::error::ConfigError;

use super::check;
use crate::harness::Run;

/// A test for each kind. A new kind does not compile until it has one, or a reason to have none.
#[expect(dead_code, reason = "it is there to be compiled")]
fn tested_by(error: &ConfigError) -> fn() {
    match error {
        ConfigError::Syntax { .. } => syntax,
        ConfigError::UnknownKey { .. } => keys_that_are_not_known,
        ConfigError::KeyTwice { .. } => keys_that_are_there_twice,
        ConfigError::More { .. } => more_keys_that_are_not_known_than_anyone_reads,
        ConfigError::KeyValue { .. } => values_of_another_kind,
    }
}

/// A run with nothing but a config.
fn with_config(name: &str, text: &str) -> Run {
    Run::new().file(name, text).args(["--config", name]).status(2)
}

/// What a run needs beside what is wrong with it.
const REST: &str =
    r#""proto": "helloworld.proto", "call": "helloworld.Greeter.SayHello", "host": "127.0.0.1:9", "insecure": true"#;

#[test]
fn a_file_that_is_not_there() {
    check(
        Run::new().args(["--config", "no.json", "127.0.0.1:9"]).status(2),
        expect![[r"
        error: cannot read `no.json` for --config
        caused by: No such file or directory (os error 2)
    "]],
    );
}

#[test]
fn syntax() {
    check(
        with_config("run.json", "{\n  \"total\": 5,\n  \"call\": helloworld\n}\n"),
        expect![[r#"
        error: `run.json` is not JSON: a value after `:` is expected, and there is `helloworld`
         --> run.json:3:11
          |
        3 |   "call": helloworld
          |           ^^^^^^^^^^ here
    "#]],
    );
    check(
        with_config("run.toml", "total = 5\ncall = helloworld.Greeter\n"),
        expect![[r"
        error: `run.toml` is not TOML: string values must be quoted, expected literal string
         --> run.toml:2:8
          |
        2 | call = helloworld.Greeter
          |        ^^^^^^^^^^^^^^^^^^ here
    "]],
    );
    check(
        with_config("run.yaml", "total: 5\ndata: {name: Ann\ncall: x\n"),
        expect![[r"
        error: `run.yaml` is not YAML: while parsing a flow mapping, did not find expected ',' or '}'
         --> run.yaml:3:5
          |
        3 | call: x
          |     ^ here
    "]],
    );
    check(
        with_config("run.conf", "total 5\ncall x\n\t- ["),
        expect![[r"
            error: `run.conf` is not JSON, TOML or YAML: its name does not tell which, and it can be read as none of them
            hint: call it .json, .toml or .yaml to be told where the mistake is
        "]],
    );
    check(
        with_config("run.conf", "total = [5\n"),
        expect![[r"
            error: `run.conf` is not JSON, TOML or YAML: its name does not tell which, and it can be read as none of them
            hint: call it .json, .toml or .yaml to be told where the mistake is
        "]],
    );
    check(
        with_config("run.json", "[1, 2]"),
        expect![[r"
        error: `run.json` is not a config: it has to be an object of flags, and is a list
         --> run.json:1:1
          |
        1 | [1, 2]
          | ^^^^^^ here
    "]],
    );
}

#[test]
fn keys_that_are_not_known() {
    check(
        with_config("run.toml", "totals = 5\n'weather' = '5s'\n[data]\nname = 'Ann'\n"),
        expect![[r"
        error: `run.toml` sets `totals`, and there is no flag of that name
         --> run.toml:1:1
          |
        1 | totals = 5
          | ^^^^^^ no such flag
        hint: did you mean `total`?

        error: `run.toml` sets `weather`, and there is no flag of that name
         --> run.toml:2:1
          |
        2 | 'weather' = '5s'
          | ^^^^^^^^^ no such flag
        hint: leave it out, or pass over what is unknown with --config-lenient
    "]],
    );
}

#[test]
fn more_keys_that_are_not_known_than_anyone_reads() {
    let config = (0..25).map(|number| format!("nothing-{number} = 1")).collect::<Vec<_>>().join("\n");
    let done = with_config("run.toml", &config).go();
    assert_eq!(done.stderr.matches("there is no flag of that name").count(), 10, "{}", done.stderr);
    assert!(done.stderr.ends_with("\nerror: `run.toml` has 15 more mistakes\n"), "{}", done.stderr);
    // The lenient are told of as many, and the run goes on.
    let lenient = Run::say_hello("127.0.0.1:1").file("run.toml", config).args(["--config", "run.toml"]);
    let done = lenient.args(["--config-lenient"]).status(3).go();
    assert_eq!(done.stderr.matches("is no flag, and is passed over").count(), 10, "{}", done.stderr);
    assert!(done.stderr.contains("note: 15 more keys in `run.toml` are no flags"), "{}", done.stderr);
}

#[test]
fn keys_that_are_there_twice() {
    check(
        with_config("run.json", "{\"total\": 5,\n \"Total\": 6}"),
        expect![[r#"
        error: `run.json` sets `total` twice
         --> run.json:2:2
          |
        2 |  "Total": 6}
          |  ^^^^^^^ a second time
        hint: leave one of them out; upper and lower case are the same
    "#]],
    );
    check(
        with_config("run.yaml", "total: 5\ntotal: 6\n"),
        expect![[r"
        error: `run.yaml` is not YAML: the key `total` is there twice
         --> run.yaml:2:1
          |
        2 | total: 6
          | ^^^^^ here
    "]],
    );
}

#[test]
fn values_of_another_kind() {
    check(
        with_config(
            "run.json",
            "{\"total\": true,\n\"insecure\": \"maybe\",\n\"proto\": [1, {}],\n\"timeout\": [\"5s\"]}",
        ),
        expect![[r#"
            error: `total` in `run.json` wants a text or a number, not true or false
             --> run.json:1:11
              |
            1 | {"total": true,
              |           ^^^^ this value

            error: `insecure` in `run.json` wants true or false, not a text
             --> run.json:2:13
              |
            2 | "insecure": "maybe",
              |             ^^^^^^^ this value

            error: `proto` in `run.json` wants texts, not an object
             --> run.json:3:14
              |
            3 | "proto": [1, {}],
              |              ^^ this value

            error: `timeout` in `run.json` wants a text or a number, not a list
             --> run.json:4:12
              |
            4 | "timeout": ["5s"]}
              |            ^^^^^^ this value
        "#]],
    );
}

#[test]
pub(super) fn words_that_are_not_known() {
    check(
        with_config("run.yaml", "duration-stop: never\n"),
        expect![[r"
            error: `never` is no good value for --duration-stop: it is `close`, `wait` or `ignore`
             --> run.yaml:1:16
              |
            1 | duration-stop: never
              |                ^^^^^ here
        "]],
    );
    check(
        Run::new().variable("GRPCBENCH_INSECURE", "maybe").args(["-n", "5"]).status(2),
        expect![[r"
        error: `maybe` is no good value for GRPCBENCH_INSECURE: it is `true` or `false`
    "]],
    );
}

#[test]
fn values_that_break_their_rules() {
    let text = format!("{{{REST},\n  \"timeout\": 20,\n  \"total\": 0,\n  \"tags\": {{\"run\": 7}}}}");
    check(
        with_config("run.json", &text),
        expect![[r#"
        error: `0` is no good value for --total: a run makes at least one call
         --> run.json:3:12
          |
        3 |   "total": 0,
          |            ^ here
        hint: to run for a time instead of a number of calls, give -z

        error: `20` is no good value for --timeout: a time has a unit, such as 300ms, 1.5s or 1m30s
         --> run.json:2:14
          |
        2 |   "timeout": 20,
          |              ^^ here
        hint: for seconds write 20s

        error: `{"run": 7}` is no good value for --tags: it is a JSON object of strings, such as {"env":"staging"}; the value of `run` is no string
         --> run.json:4:11
          |
        4 |   "tags": {"run": 7}}
          |           ^^^^^^^^^^ here
    "#]],
    );
    check(
        with_config("run.json", &format!("{{{REST}}}")).variable("GRPCBENCH_TIMEOUT", "soon"),
        expect![[r"
        error: `soon` is no good value for --timeout: a duration is a number with a unit, such as 300ms, 1.5s or 1m30s
         --> GRPCBENCH_TIMEOUT:1:1
          |
        1 | soon
          | ^^^^ here
    "]],
    );
}

#[test]
fn data_and_metadata() {
    let text =
        format!("{{{REST},\n  \"data\": {{\n    \"nmae\": \"Ann\"\n  }},\n  \"metadata\": {{\"te st\": \"x\"}}\n}}");
    check(
        with_config("run.json", &text),
        expect![[r#"
        error: helloworld.HelloRequest has no field `nmae`
         --> run.json:3:5
          |
        3 |     "nmae": "Ann"
          |     ^^^^^^ no such field
        hint: did you mean `name`?

        error: `te st` cannot be a metadata key: only letters, digits, `_`, `-` and `.` are allowed
         --> run.json:5:16
          |
        5 |   "metadata": {"te st": "x"}
          |                ^^^^^^^ here
    "#]],
    );
    let text = "proto: helloworld.proto\ncall: helloworld.Greeter.SayHello\nhost: 127.0.0.1:9\ninsecure: true\ndata:\n  name: 7\n";
    check(
        with_config("run.yaml", text),
        expect![[r#"
        error: `name` wants a string, not 7
         --> data of run.yaml:1:9
          |
        1 | {"name":7}
          |         ^ this value
    "#]],
    );
}

#[test]
fn secrets_are_not_shown_where_they_are_written() {
    const TOKEN: &str = "Bearer s3cret";
    let json = |more: &str| format!(r#"{{{REST}, "metadata": {{"authorization": "{TOKEN}"}}, {more}}}"#);
    let hello = || Run::say_hello("127.0.0.1:9").status(2);
    let toml = format!("rps = \"many\"\n[metadata]\nauthorization = \"{TOKEN}\"\n");
    let yaml = format!("rps: many\nmetadata:\n  authorization: {TOKEN}\n");
    let header = format!("header: [\"authorization: {TOKEN}\", \"x\"]\nrps: many\n");
    let metadata = format!(r#"{{"authorization":"{TOKEN}","x-n":7}}"#);
    for (run, said) in [
        (hello().variable("GRPCBENCH_METADATA", &metadata), "must be a string"),
        (hello().variable("GRPCBENCH_HEADER", &format!("authorization: {TOKEN}\u{7}")), "printable ASCII"),
        (with_config("run.json", &json(r#""rps": "many""#)), "many"),
        (with_config("run.json", &json(r#""unknown": 1"#)), "unknown"),
        (with_config("run.json", &json(r#""rps": 1,,"#)), "is not JSON"),
        (hello().file("run.toml", toml).args(["--config", "run.toml"]), "many"),
        (hello().file("run.yaml", yaml).args(["--config", "run.yaml"]), "many"),
        (hello().file("run.yaml", header).args(["--config", "run.yaml"]), "many"),
        (with_config("run.json", &json(&format!(r#""headers": ["authorization: {TOKEN}"]"#))), "headers"),
        (with_config("run.json", &format!(r#"{{"authorization": "{TOKEN}"}}"#)), "no such flag"),
        (with_config("run.json", &format!(r#"[{{"metadata": {{"token": "{TOKEN}"}}}}]"#)), "object"),
        (with_config("run.toml", &format!("metdata = {{ authorization = \"{TOKEN}\" }}\n")), "metdata"),
        (with_config("run.toml", &format!("[metadata]\nauthorization = \"\"\"\n{TOKEN}\"\"\" x\n")), "TOML"),
    ] {
        let done = run.go();
        assert!(done.stderr.contains(said), "{}", done.stderr);
        assert!(!done.stderr.contains("s3cret"), "{}", done.stderr);
    }
}
