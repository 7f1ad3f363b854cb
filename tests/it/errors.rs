//! Every mistake that a user can make, as it is told: all of standard error, and the exit code.
//!
//! Nothing may be sent after a mistake, so most of these runs have a target where nobody listens.

use std::time::Duration;

use expect_test::{Expect, expect};
use grpcbench::target::{Background, Options};

use super::harness::Run;
use super::listener::{certificate, http1, nobody, silent};

/// A run whose flags are right but for `args`.
fn with(args: &[&str]) -> Run {
    Run::say_hello("127.0.0.1:9").args(args.iter().copied()).status(2)
}

/// A run of `call` in a file `greeter.proto` that holds `proto`.
fn of(proto: &str, call: &str) -> Run {
    Run::new().file("greeter.proto", proto).args(["--proto", "greeter.proto", "--call", call, "127.0.0.1:9"]).status(2)
}

#[track_caller]
fn check(run: Run, expected: Expect) {
    let done = run.stderr(expected).go();
    assert_eq!(done.stdout, "");
}

mod usage {
    use super::*;

    #[test]
    fn call_is_missing() {
        check(Run::new().args(["--proto", "helloworld.proto", "127.0.0.1:9"]).status(2), expect![[""]]);
    }

    #[test]
    fn everything_is_missing() {
        check(Run::new().args(["-n", "5"]).status(2), expect![[""]]);
    }

    #[test]
    fn several_mistakes_are_told_together() {
        let run = Run::new()
            .args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHelo", "-z", "soon", "-r", "fast"])
            .args(["-o", "no/such/folder.json", "-c", "0", "-m", "[]", "localhost"])
            .status(2);
        check(run, expect![[""]]);
    }

    #[test]
    fn no_calls() {
        check(with(&["-n", "0"]), expect![[""]]);
    }

    #[test]
    fn counts() {
        check(with(&["-n", "many", "-c", "-5", "--cpus", "0"]), expect![[""]]);
    }

    #[test]
    fn more_connections_than_callers() {
        check(with(&["--connections", "10", "-c", "5"]), expect![[""]]);
    }

    #[test]
    fn durations() {
        check(with(&["-z", "10", "-t", "5x", "--connect-timeout", "0", "-x", "-1"]), expect![[""]]);
    }

    #[test]
    fn rates() {
        check(with(&["-r", "fast"]), expect![[""]]);
        check(with(&["-r", "-5"]), expect![[""]]);
    }

    #[test]
    fn formats() {
        check(with(&["-O", "xml"]), expect![[""]]);
    }

    #[test]
    fn tags() {
        check(with(&["--tags", r#"{"env":1}"#]), expect![[""]]);
    }

    #[test]
    fn authorities() {
        check(with(&["--authority", "a b"]), expect![[""]]);
    }

    #[test]
    fn targets() {
        for (host, expected) in [
            ("localhost", expect![[""]]),
            ("ftp://localhost:21", expect![[""]]),
            ("localhost:70000", expect![[""]]),
            ("dmeo", expect![[""]]),
        ] {
            check(Run::say_hello(host).status(2), expected);
        }
    }

    #[test]
    fn contradictions() {
        check(Run::say_hello("https://localhost:9").status(2), expect![[""]]);
        let run = Run::new().args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello", "--tls"]);
        check(run.args(["http://localhost:9"]).status(2), expect![[""]]);
        check(with(&["--skipTLS"]), expect![[""]]);
        check(with(&["--cacert", "no.pem"]), expect![[""]]);
    }

    #[test]
    fn files_that_cannot_be_read() {
        check(with(&["-D", "no.json"]), expect![[""]]);
        check(with(&["-d", "@no.json"]), expect![[""]]);
    }

    #[test]
    fn other_kinds_of_methods() {
        let run = Run::new().args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHellos"]);
        check(run.args(["127.0.0.1:9"]).status(2), expect![[""]]);
    }

    #[test]
    fn what_is_repeated_does_not_reach_the_terminal_raw() {
        check(with(&["-z", "\u{1b}[2J\u{202e}1\nerror: x"]), expect![[""]]);
    }
}

mod output {
    use super::*;

    #[test]
    fn is_opened_before_anything_is_sent() {
        let server = Background::start(Options::default()).unwrap();
        check(Run::say_hello(server.address()).args(["-o", "no/run.json"]).status(2), expect![[""]]);
        check(Run::say_hello(server.address()).args(["-o", "."]).status(2), expect![[""]]);
        assert_eq!(server.counts().connections(), 0);
    }
}

mod schema {
    use super::*;

    #[test]
    fn a_method_that_is_not_there() {
        let run = |call| Run::new().args(["--proto", "helloworld.proto", "--call", call, "127.0.0.1:9"]).status(2);
        check(run("helloworld.Greeter.SayHelo"), expect![[""]]);
        check(run("helloworld.Greeter/Bye"), expect![[""]]);
    }

    #[test]
    fn a_service_that_is_not_there() {
        let run = |call| Run::new().args(["--proto", "helloworld.proto", "--call", call, "127.0.0.1:9"]).status(2);
        check(run("helloworld.Greter.SayHello"), expect![[""]]);
        check(run("shop.Orders/List"), expect![[""]]);
    }

    #[test]
    fn no_name_of_a_method() {
        let run = |call| Run::new().args(["--proto", "helloworld.proto", "--call", call, "127.0.0.1:9"]).status(2);
        check(run("SayHello"), expect![[""]]);
        check(run("a/b/Greeter/Say"), expect![[""]]);
    }

    #[test]
    fn syntax() {
        check(of("syntax = \"proto3\";\nmessage Person {\n  string name 1;\n}\n", "a.B.C"), expect![[""]]);
    }

    #[test]
    fn a_type_that_is_not_there() {
        let proto = "syntax = \"proto3\";\npackage a;\nservice B {\n  rpc C(Request) returns (Request);\n}\n";
        check(of(proto, "a.B.C"), expect![[""]]);
    }

    #[test]
    fn an_import_that_is_not_there() {
        let proto = "syntax = \"proto3\";\npackage a;\nimport \"shared/money.proto\";\n\
            message M {\n  shared.Money price = 1;\n}\nservice B {\n  rpc C(M) returns (M);\n}\n";
        check(of(proto, "a.B.C").args(["-i", "vendor"]), expect![[""]]);
    }

    #[test]
    fn a_file_that_is_not_there() {
        let run = Run::new().args(["--proto", "no.proto", "--call", "a.B.C", "127.0.0.1:9"]).status(2);
        check(run, expect![[""]]);
    }
}

mod data {
    use super::*;

    #[test]
    fn syntax() {
        check(with(&["-d", r#"{"name": "Ann",}"#]), expect![[""]]);
        check(with(&["-d", ""]), expect![[""]]);
    }

    #[test]
    fn syntax_in_a_file_has_its_line() {
        let text = "[\n  {\"name\": \"Ann\"},\n  {\"name\": Ben}\n]\n";
        check(with(&["-D", "names.json"]).file("names.json", text), expect![[""]]);
    }

    #[test]
    fn a_field_that_is_not_there() {
        check(with(&["-d", r#"{"nmae": "Ann"}"#]), expect![[""]]);
        check(with(&["-d", r#"[{"name": "Ann"}, {"age": 7}]"#]), expect![[""]]);
    }

    #[test]
    fn a_wrong_type() {
        check(with(&["-d", r#"{"name": 7}"#]), expect![[""]]);
        check(with(&["-d", r#""Ann""#]), expect![[""]]);
    }

    #[test]
    fn nothing_to_send() {
        check(with(&["-d", "[]"]), expect![[""]]);
    }

    #[test]
    fn metadata() {
        check(with(&["-m", "[1]"]), expect![[""]]);
        check(with(&["-m", r#"{"x-trace": 1}"#]), expect![[""]]);
        check(with(&["-m", r#"{"te": "gzip"}"#]), expect![[""]]);
        check(with(&["-m", r#"{"raw-bin": "%%"}"#]), expect![[""]]);
    }
}

mod connect {
    use super::*;

    /// A run against `host`, which is shown as `HOST`.
    fn to(host: &str) -> Run {
        Run::new()
            .args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello", host])
            .named(host, "HOST")
            .status(3)
    }

    #[test]
    fn nobody_listens() {
        for flags in [&["--insecure"][..], &["--tls"], &[]] {
            let done = to(&nobody()).args(["-n", "100000"]).args(flags.iter().copied()).stderr(expect![[""]]).go();
            assert!(done.elapsed < Duration::from_secs(1), "{:?}", done.elapsed);
            assert_eq!(done.stdout, "");
        }
    }

    #[test]
    fn the_server_speaks_plaintext() {
        let server = Background::start(Options::default()).unwrap();
        check(to(server.address()).args(["--tls"]), expect![[""]]);
        assert_eq!(server.counts().all_calls(), 0);
    }

    #[test]
    fn the_server_speaks_tls() {
        let tls = certificate();
        let server = Background::start(Options { tls: Some(tls.files()), ..Options::default() }).unwrap();
        check(to(server.address()).args(["--insecure"]), expect![[""]]);
        assert_eq!(server.counts().all_calls(), 0);
    }

    #[test]
    fn the_certificate_is_not_trusted() {
        let tls = certificate();
        let server = Background::start(Options { tls: Some(tls.files()), ..Options::default() }).unwrap();
        check(to(server.address()), expect![[""]]);
    }

    #[test]
    fn the_certificate_is_for_another_name() {
        let tls = certificate();
        let server = Background::start(Options { tls: Some(tls.files()), ..Options::default() }).unwrap();
        let run =
            to(server.address()).file("ca.pem", &tls.cert).args(["--cacert", "ca.pem", "--authority", "other.test"]);
        check(run, expect![[""]]);
    }

    #[test]
    fn the_server_is_silent() {
        let done = to(&silent()).args(["--insecure", "--connect-timeout", "300ms"]).stderr(expect![[""]]).go();
        assert!(done.elapsed < Duration::from_secs(3), "{:?}", done.elapsed);
    }

    #[test]
    fn the_server_is_a_web_server_of_old() {
        check(to(&http1()).args(["--insecure"]), expect![[""]]);
    }

    #[test]
    fn the_name_cannot_be_resolved() {
        let done = to("no-such-host.invalid:50051").go();
        // What comes between is the resolver's, and differs from system to system.
        assert!(done.stderr.starts_with("error: cannot resolve the name `no-such-host.invalid`\n"), "{}", done.stderr);
        assert!(done.stderr.ends_with("hint: check the spelling, or give an IP address\n"), "{}", done.stderr);
    }

    #[test]
    fn a_socket_that_is_not_there() {
        check(to("unix:no.sock"), expect![[""]]);
    }
}
