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

            error: --proto is missing
            hint: name the .proto file that has the service, such as --proto greeter.proto

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
    fn no_calls() {
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
    fn more_connections_than_callers() {
        check(
            with(&["--connections", "10", "-c", "5"]),
            expect![[r"
            error: 10 connections are more than 5 calls in flight can use
            hint: raise -c to 10, or use --connections 5
        "]],
        );
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
            error: `xml` is no good value for --format: a format is one of summary, json, pretty
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
    fn other_kinds_of_methods() {
        let run = Run::new().args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHellos"]);
        check(
            run.args(["127.0.0.1:9"]).status(2),
            expect![[r"
            error: `/helloworld.Greeter/SayHellos` is a server streaming method, and only unary methods can be called
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
}

mod output {
    use super::*;

    #[test]
    fn is_opened_before_anything_is_sent() {
        let server = Background::start(Options::default()).unwrap();
        check(
            Run::say_hello(server.address()).args(["-o", "no/run.json"]).status(2),
            expect![[r"
            error: cannot write `no/run.json`
            caused by: No such file or directory (os error 2)
            hint: make the folder `no` first
        "]],
        );
        check(
            Run::say_hello(server.address()).args(["-o", "."]).status(2),
            expect![[r"
            error: cannot write `.`
            caused by: Is a directory (os error 21)
        "]],
        );
        assert_eq!(server.counts().connections(), 0);
    }
}

mod schema {
    use super::*;

    #[test]
    fn a_method_that_is_not_there() {
        let run = |call| Run::new().args(["--proto", "helloworld.proto", "--call", call, "127.0.0.1:9"]).status(2);
        check(
            run("helloworld.Greeter.SayHelo"),
            expect![[r"
            error: no method `SayHelo` in `helloworld.Greeter`
            hint: did you mean `SayHello` or `SayHellos`?
        "]],
        );
        check(
            run("helloworld.Greeter/Bye"),
            expect![[r"
            error: no method `Bye` in `helloworld.Greeter`
            hint: its methods are `SayHello`, `SayHellos`, `SayHelloCS` and `SayHelloBidi`
        "]],
        );
    }

    #[test]
    fn a_service_that_is_not_there() {
        let run = |call| Run::new().args(["--proto", "helloworld.proto", "--call", call, "127.0.0.1:9"]).status(2);
        check(
            run("helloworld.Greter.SayHello"),
            expect![[r"
            error: no service `helloworld.Greter` in the loaded files
            hint: did you mean `helloworld.Greeter`?
        "]],
        );
        check(
            run("shop.Orders/List"),
            expect![[r"
            error: no service `shop.Orders` in the loaded files
            hint: the services are `helloworld.Greeter`
        "]],
        );
    }

    #[test]
    fn no_name_of_a_method() {
        let run = |call| Run::new().args(["--proto", "helloworld.proto", "--call", call, "127.0.0.1:9"]).status(2);
        check(
            run("SayHello"),
            expect![[r"
            error: `SayHello` is no method name
            hint: write it as package.Service.Method or package.Service/Method: `helloworld.Greeter/SayHello`, `helloworld.Greeter/SayHellos` or `helloworld.Greeter/SayHelloCS`
        "]],
        );
        check(
            run("a/b/Greeter/Say"),
            expect![[r"
            error: `a/b/Greeter/Say` is no method name
            hint: write it as package.Service.Method or package.Service/Method
        "]],
        );
    }

    #[test]
    fn syntax() {
        check(
            of("syntax = \"proto3\";\nmessage Person {\n  string name 1;\n}\n", "a.B.C"),
            expect![[r"
            error: `greeter.proto` is no valid proto file: expected '=', but found '1'
             --> greeter.proto:3:15
              |
            3 |   string name 1;
              |               ^ found here
        "]],
        );
    }

    #[test]
    fn a_type_that_is_not_there() {
        let proto = "syntax = \"proto3\";\npackage a;\nservice B {\n  rpc C(Request) returns (Request);\n}\n";
        check(
            of(proto, "a.B.C"),
            expect![[r"
            error: `greeter.proto` is no valid proto file: name 'Request' is not defined
             --> greeter.proto:4:9
              |
            4 |   rpc C(Request) returns (Request);
              |         ^^^^^^^ found here

            error: `greeter.proto` is no valid proto file: name 'Request' is not defined
             --> greeter.proto:4:27
              |
            4 |   rpc C(Request) returns (Request);
              |                           ^^^^^^^ found here
        "]],
        );
    }

    #[test]
    fn an_import_that_is_not_there() {
        let proto = "syntax = \"proto3\";\npackage a;\nimport \"shared/money.proto\";\n\
            message M {\n  shared.Money price = 1;\n}\nservice B {\n  rpc C(M) returns (M);\n}\n";
        check(
            of(proto, "a.B.C").args(["-i", "vendor"]),
            expect![[r#"
                error: `greeter.proto` imports `shared/money.proto`, which is not found (looked in `.`)
                 --> greeter.proto:3:1
                  |
                3 | import "shared/money.proto";
                  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ not found
                hint: `shared.Money` is not defined without it: give the folder that has `shared/money.proto` in it with -i
            "#]],
        );
    }

    #[test]
    fn a_file_that_is_not_there() {
        let run = Run::new().args(["--proto", "no.proto", "--call", "a.B.C", "127.0.0.1:9"]).status(2);
        check(
            run,
            expect![[r"
            error: no file `no.proto` (looked in `.`)
            hint: give the path from the working directory, or from a folder given with -i
        "]],
        );
    }
}

mod data {
    use super::*;

    #[test]
    fn syntax() {
        check(
            with(&["-d", r#"{"name": "Ann",}"#]),
            expect![[r#"
            error: --data is not JSON: a name in double quotes is expected, and there is `}`
             --> --data:1:16
              |
            1 | {"name": "Ann",}
              |                ^ here
        "#]],
        );
    }

    #[test]
    fn syntax_in_a_file_has_its_line() {
        let text = "[\n  {\"name\": \"Ann\"},\n  {\"name\": Ben}\n]\n";
        check(
            with(&["-D", "names.json"]).file("names.json", text),
            expect![[r#"
                error: names.json is not JSON: a value after `:` is expected, and there is `Ben`
                 --> names.json:3:12
                  |
                3 |   {"name": Ben}
                  |            ^^^ here
                hint: names and texts go in double quotes; in a shell, put single quotes around the whole: '{"name": "Ann"}'
            "#]],
        );
    }

    #[test]
    fn a_field_that_is_not_there() {
        check(
            with(&["-d", r#"{"nmae": "Ann"}"#]),
            expect![[r#"
            error: helloworld.HelloRequest has no field `nmae`
             --> --data:1:2
              |
            1 | {"nmae": "Ann"}
              |  ^^^^^^ no such field
            hint: did you mean `name`?
        "#]],
        );
        check(
            with(&["-d", r#"[{"name": "Ann"}, {"age": 7}]"#]),
            expect![[r#"
            error: helloworld.HelloRequest has no field `age` (at `[1]`)
             --> --data:1:20
              |
            1 | [{"name": "Ann"}, {"age": 7}]
              |                    ^^^^^ no such field
            hint: its fields are `name`
        "#]],
        );
    }

    #[test]
    fn a_wrong_type() {
        check(
            with(&["-d", r#"{"name": 7}"#]),
            expect![[r#"
            error: `name` wants a string, not 7
             --> --data:1:10
              |
            1 | {"name": 7}
              |          ^ this value
        "#]],
        );
        check(
            with(&["-d", r#""Ann""#]),
            expect![[r#"
            error: the message wants an object for `helloworld.HelloRequest`, not "Ann"
             --> --data:1:1
              |
            1 | "Ann"
              | ^^^^^ this value
        "#]],
        );
    }

    #[test]
    fn nothing_to_send() {
        check(
            with(&["-d", "[]"]),
            expect![[r"
            error: --data is an empty list: there is nothing to send
            hint: leave the data out to send the empty message
        "]],
        );
    }

    #[test]
    fn metadata() {
        check(
            with(&["-m", "[1]"]),
            expect![[r#"
            error: the metadata in --metadata must be a JSON object of strings, not an array
             --> --metadata:1:1
              |
            1 | [1]
              | ^ here
            hint: write it as {"key": "value"}
        "#]],
        );
        check(
            with(&["-m", r#"{"x-trace": 1}"#]),
            expect![[r#"
            error: the value of metadata `x-trace` must be a string, not a number
             --> --metadata:1:13
              |
            1 | {"x-trace": 1}
              |             ^ here
            hint: put the value in double quotes
        "#]],
        );
        check(
            with(&["-m", r#"{"te": "gzip"}"#]),
            expect![[r#"
            error: `te` cannot be a metadata key: gRPC sets it itself
             --> --metadata:1:2
              |
            1 | {"te": "gzip"}
              |  ^^^^ here
        "#]],
        );
        check(
            with(&["-m", r#"{"raw-bin": "%%"}"#]),
            expect![[r#"
            error: the value of metadata `raw-bin` must be base64, as its key ends in `-bin`
             --> --metadata:1:13
              |
            1 | {"raw-bin": "%%"}
              |             ^^^^ here
            hint: encode the bytes, as in `printf '\x01\x02' | base64`
        "#]],
        );
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
            let done = to(&nobody()).args(["-n", "100000"]).args(flags.iter().copied()).go();
            let told = "error: cannot connect to HOST: connection refused\nhint: is the server running, and is this its port?\n";
            assert_eq!((&*done.stdout, &*done.stderr), ("", told), "{flags:?}");
            assert!(done.elapsed < Duration::from_secs(1), "{:?}", done.elapsed);
        }
    }

    #[test]
    fn the_server_speaks_plaintext() {
        let server = Background::start(Options::default()).unwrap();
        check(
            to(server.address()).args(["--tls"]),
            expect![[r"
            error: the TLS handshake with HOST failed: the server answered in plaintext
            hint: add --insecure to speak plaintext
        "]],
        );
        assert_eq!(server.counts().all_calls(), 0);
    }

    #[test]
    fn the_server_speaks_tls() {
        let tls = certificate();
        let server = Background::start(Options { tls: Some(tls.files()), ..Options::default() }).unwrap();
        check(
            to(server.address()).args(["--insecure"]),
            expect![[r"
            error: HOST does not speak plaintext HTTP/2: it seems to expect TLS
            hint: leave out --insecure to speak TLS
        "]],
        );
        assert_eq!(server.counts().all_calls(), 0);
    }

    #[test]
    fn the_certificate_is_not_trusted() {
        let tls = certificate();
        let server = Background::start(Options { tls: Some(tls.files()), ..Options::default() }).unwrap();
        check(
            to(server.address()),
            expect![[r"
            error: the TLS handshake with HOST failed: its certificate is signed by an unknown issuer
            hint: give the issuer's certificate by --cacert, or skip the check by --skipTLS
        "]],
        );
    }

    #[test]
    fn the_certificate_is_for_another_name() {
        let tls = certificate();
        let server = Background::start(Options { tls: Some(tls.files()), ..Options::default() }).unwrap();
        let run =
            to(server.address()).file("ca.pem", &tls.cert).args(["--cacert", "ca.pem", "--authority", "other.test"]);
        check(
            run,
            expect![[r#"
            error: the TLS handshake with HOST failed: its certificate is for another name: certificate not valid for name "other.test"; certificate is only valid for DnsName("localhost") or IpAddress(127.0.0.1)
            hint: give the name in the certificate by --authority, or skip the check by --skipTLS
        "#]],
        );
    }

    #[test]
    fn the_server_is_silent() {
        let done = to(&silent())
            .args(["--insecure", "--connect-timeout", "300ms"])
            .stderr(expect![[r"
            error: no connection to HOST within 300ms: the server did not send its HTTP/2 settings
            hint: raise --connect-timeout if the way is long; a silent port may belong to another protocol
        "]])
            .go();
        assert!(done.elapsed < Duration::from_secs(3), "{:?}", done.elapsed);
    }

    #[test]
    fn the_server_is_a_web_server_of_old() {
        check(
            to(&http1()).args(["--insecure"]),
            expect![[r"
            error: HOST does not speak HTTP/2: it answered in HTTP/1
            hint: point it at the gRPC port of the service
        "]],
        );
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
        check(
            to("unix:no.sock"),
            expect![[r"
            error: cannot connect to HOST
            caused by: No such file or directory (os error 2)
        "]],
        );
    }
}
