//! Targets that cannot be reached, or do not agree to talk.

use std::time::Duration;

use expect_test::expect;
use grpcbench::error::ConnectError;
use grpcbench::target::{Background, Options};

use super::check;
use crate::harness::Run;
use crate::listener::{certificate, hangs_up, http1, nobody, silent, tls_without_alpn};

/// A test for each kind. A new kind does not compile until it has one, or a reason to have none.
#[expect(dead_code, reason = "it is there to be compiled")]
fn tested_by(error: &ConnectError) -> Option<fn()> {
    Some(match error {
        ConnectError::Unresolvable { .. } => the_name_cannot_be_resolved,
        ConnectError::Refused { .. } => nobody_listens,
        ConnectError::Unreachable { .. } => a_socket_that_is_not_there,
        ConnectError::TimedOut { .. } => the_server_is_silent,
        ConnectError::PlaintextPeer { .. } => the_server_speaks_plaintext,
        ConnectError::TlsPeer { .. } => the_server_speaks_tls,
        ConnectError::ClosedInHandshake { .. } => the_server_hangs_up,
        ConnectError::Tls { .. } => the_certificate_is_not_trusted,
        ConnectError::NoAlpn { .. } => the_server_speaks_tls_but_no_http2,
        ConnectError::NotHttp2 { .. } => the_server_is_a_web_server_of_old,
        ConnectError::BadRoot { .. } => a_root_that_is_no_certificate,
        ConnectError::HeadTooLong { .. } => more_metadata_than_the_server_takes,
        // It takes servers that ask for certificates, as those of tests/peers/identity.rs do, or one beyond this machine.
        ConnectError::ClientCertificateDemanded { .. }
        | ConnectError::ClientCertificateRefused { .. }
        | ConnectError::WouldExposeMetadata { .. } => return None,
    })
}

/// A run against `host`, which is shown as `HOST`.
fn to(host: &str) -> Run {
    Run::new()
        .args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello", host])
        .named(host, "HOST")
        .status(3)
}

#[test]
fn nobody_listens() {
    for flags in [&["--insecure"][..], &["--tls"], &[], &["--insecure", "--connections", "40", "--cpus", "4"]] {
        let done = to(&nobody()).args(["-n", "100000"]).args(flags.iter().copied()).go();
        let told =
            "error: cannot connect to HOST: connection refused\nhint: is the server running, and is this its port?\n";
        assert_eq!((&*done.stdout, &*done.stderr), ("", told), "{flags:?}");
        assert!(done.elapsed < Duration::from_secs(1), "{:?}", done.elapsed);
    }
}

#[test]
fn more_metadata_than_the_server_takes() {
    let server = Background::start(Options::default()).unwrap();
    let long = format!(r#"{{"x-long":"{}"}}"#, "x".repeat(16_384));
    check(
        to(server.address()).args(["--insecure", "-m", &long]),
        expect![[r"
        error: HOST takes 16384 bytes of request headers (SETTINGS_MAX_HEADER_LIST_SIZE), and with their metadata the calls have 16842
        hint: send less metadata, or let the server take more; each field counts 32 bytes beside its own
    "]],
    );
    assert_eq!(server.counts().all_calls(), 0);
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
    let run = to(server.address()).file("ca.pem", &tls.cert).args(["--cacert", "ca.pem", "--authority", "other.test"]);
    check(
        run,
        expect![[r#"
        error: the TLS handshake with HOST failed: its certificate is for another name: certificate not valid for name "other.test"; certificate is only valid for DnsName("localhost") or IpAddress(127.0.0.1)
        hint: give the name in the certificate by --cname, or skip the check by --skipTLS
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
fn the_server_hangs_up() {
    check(
        to(&hangs_up()).args(["--tls"]),
        expect![[r"
        error: the TLS handshake with HOST failed: the server closed the connection
        hint: if the server speaks plaintext, add --insecure
    "]],
    );
}

#[test]
fn the_server_speaks_tls_but_no_http2() {
    let server = tls_without_alpn();
    let run = to(&server.address).file("ca.pem", &server.certificate.cert).args(["--cacert", "ca.pem"]);
    check(
        run,
        expect![[r"
        error: HOST speaks TLS but did not agree to HTTP/2 (ALPN h2)
        hint: point it at the gRPC port of the service; a proxy in front may need HTTP/2 switched on
    "]],
    );
}

#[test]
fn a_root_that_is_no_certificate() {
    let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    check(
        to(&nobody()).file("ca.pem", pem).args(["--cacert", "ca.pem"]).status(2),
        expect![[r"
        error: a certificate of --cacert cannot be used: invalid peer certificate: BadEncoding
    "]],
    );
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
