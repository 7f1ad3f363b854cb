//! TLS: who is trusted, what is said when nobody is, and long requests through small sockets.

use std::net::TcpListener;
#[cfg(unix)]
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tonic::Code;

use super::frames::{INITIAL_WINDOW_SIZE, data_in_pieces, go_away, greeting, grpc, message, settings, trailers};
use super::harness::{Done, Run};
use super::run::go;
use super::server::{Event, OverTls, Peer, Server};

/// Certificates that somebody issues.
pub(super) struct Authority {
    pub(super) issuer: Issuer<'static, KeyPair>,
    /// In PEM.
    pub(super) cert: String,
    pub(super) der: CertificateDer<'static>,
}

impl Authority {
    pub(super) fn new(name: &str) -> Authority {
        let mut params = CertificateParams::new([]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let cert = params.self_signed(&key).unwrap();
        Authority { cert: cert.pem(), der: cert.der().clone(), issuer: Issuer::new(params, key) }
    }

    /// A server's certificate for `localhost`, changed by `change`.
    pub(super) fn issue(&self, change: impl FnOnce(&mut CertificateParams)) -> Identity {
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let cert = params.signed_by(&key, &self.issuer).unwrap();
        Identity { pem: cert.pem(), cert: cert.der().clone(), key: key.serialize_der() }
    }
}

/// What a server shows.
pub(super) struct Identity {
    pem: String,
    pub(super) cert: CertificateDer<'static>,
    pub(super) key: Vec<u8>,
}

impl Identity {
    /// Signed by itself, as `change` has it.
    fn own(change: impl FnOnce(&mut CertificateParams)) -> Identity {
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let cert = params.self_signed(&key).unwrap();
        Identity { pem: cert.pem(), cert: cert.der().clone(), key: key.serialize_der() }
    }

    pub(super) fn config(&self) -> ServerConfig {
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let key = PrivateKeyDer::try_from(self.key.clone()).unwrap();
        let mut config = builder.with_single_cert(vec![self.cert.clone()], key).unwrap();
        config.alpn_protocols = vec![b"h2".to_vec()];
        config
    }
}

fn anywhere() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

pub(super) fn answer(peer: &mut Peer, event: Event) {
    if let Event::Whole(stream) = event {
        peer.answer(stream);
    }
}

/// A good server with this configuration.
pub(super) fn serve(config: ServerConfig) -> Server {
    let config = Arc::new(config);
    Server::on(OverTls::new(anywhere(), move |_| Arc::clone(&config)), greeting(&[]), answer)
}

/// A run of ten calls to `localhost`.
pub(super) fn to(server: &Server) -> Run {
    calls_to(server, "-n 10 -c 2")
}

fn calls_to(server: &Server, flags: &str) -> Run {
    Run::new()
        .args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello"])
        .args(flags.split_whitespace())
        .args(["--connect-timeout", "5s", &*format!("localhost:{}", server.port())])
}

/// The run does not begin, and says this.
#[track_caller]
pub(super) fn refused(run: Run, said: &str) -> Done {
    let done = run.status(3).go();
    assert!(done.stderr.contains(said) && done.stdout.is_empty(), "{}", done.stderr);
    assert!(done.elapsed < Duration::from_secs(5), "{:?}", done.elapsed);
    done
}

#[test]
fn c21_certificates_that_are_trusted_and_that_are_not() {
    let ca = Authority::new("a test authority");
    let stranger = Authority::new("somebody else");
    let namesake = Authority::new("a test authority");
    let good = ca.issue(|_| {});
    let server = serve(good.config());
    go(to(&server).file("ca.pem", &ca.cert).args(["--cacert", "ca.pem"])).all_ok(10);
    go(to(&server).args(["--skipTLS"])).all_ok(10);
    refused(to(&server), "unknown issuer");
    refused(to(&server).args(["--tls"]), "unknown issuer");
    refused(to(&server).file("ca.pem", &stranger.cert).args(["--cacert", "ca.pem"]), "unknown issuer");
    // Another key under the same name.
    let done = refused(to(&server).file("ca.pem", &namesake.cert).args(["--cacert", "ca.pem"]), "certificate");
    assert!(done.stderr.contains("hint: "), "{}", done.stderr);
    // The certificate itself is not its issuer.
    refused(to(&server).file("ca.pem", &good.pem).args(["--cacert", "ca.pem"]), "unknown issuer");
    assert_eq!(server.seen().requests, 20);
}

#[test]
fn c21_certificates_that_are_too_old_too_new_or_for_another() {
    let ca = Authority::new("a test authority");
    let trusting = |server: &Server| to(server).file("ca.pem", &ca.cert).args(["--cacert", "ca.pem"]);
    let old = serve(ca.issue(|params| params.not_after = date_time_ymd(2020, 1, 1)).config());
    let new = serve(ca.issue(|params| params.not_before = date_time_ymd(2900, 1, 1)).config());
    let other =
        serve(ca.issue(|params| *params = CertificateParams::new(["greeter.test".to_owned()]).unwrap()).config());
    refused(trusting(&old), "has expired");
    refused(trusting(&new), "not valid yet");
    let done = refused(trusting(&other), "for another name");
    assert!(done.stderr.contains("greeter.test") && done.stderr.contains("--cname"), "{}", done.stderr);
    for server in [&old, &new, &other] {
        go(to(server).args(["--skipTLS"])).all_ok(10);
    }
    go(trusting(&other).args(["--authority", "greeter.test"])).all_ok(10);
    go(trusting(&other).args(["--cname", "greeter.test"])).all_ok(10);
    assert_eq!(other.seen().firsts.len(), 3);
    go(trusting(&other).args(["--authority", "greeter.test:443"])).all_ok(10);
}

#[test]
fn c21_a_certificate_that_is_its_own_authority() {
    let its_own = Identity::own(|params| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained));
    let server = serve(its_own.config());
    refused(to(&server).file("ca.pem", &its_own.pem).args(["--cacert", "ca.pem"]), "a CA certificate");
    go(to(&server).args(["--skipTLS"])).all_ok(10);
    // Without the flag, trust is what is missing first.
    refused(to(&server), "certificate");

    let nameless = Identity::own(|params| {
        *params = CertificateParams::new([]).unwrap();
        params.distinguished_name.push(DnType::CommonName, "localhost");
    });
    let server = serve(nameless.config());
    refused(to(&server).file("ca.pem", &nameless.pem).args(["--cacert", "ca.pem"]), "name");
    go(to(&server).args(["--skipTLS"])).all_ok(10);
}

#[test]
fn servers_that_do_not_agree_to_http2() {
    let identity = Authority::new("a test authority").issue(|_| {});
    for protocols in [vec![], vec![b"http/1.1".to_vec()]] {
        let mut config = identity.config();
        config.alpn_protocols = protocols;
        refused(to(&serve(config)).args(["--skipTLS"]), "ALPN");
    }
}

#[test]
fn c23_plaintext_where_tls_is_expected_and_the_reverse() {
    let identity = Authority::new("a test authority").issue(|_| {});
    let tls = serve(identity.config());
    let done = refused(to(&tls).args(["--insecure"]), "expect TLS");
    assert!(done.stderr.contains("--insecure"), "{}", done.stderr);

    // A server that speaks first, one that waits for the client and takes fright, one that is no HTTP/2 at all.
    let eager = Server::raw(anywhere(), |mut connection| {
        let greeting = settings(&[]).bytes(0);
        let _ = connection.io.write_all(&greeting);
        connection.stay_silent();
    });
    let shy = Server::start(answer);
    let done = refused(to(&eager).args(["--tls"]), "answered in plaintext");
    assert!(done.stderr.contains("--insecure"), "{}", done.stderr);
    refused(to(&shy).args(["--tls"]), "closed the connection");
    refused(to(&shy).args(["--skipTLS"]), "closed the connection");
    let done = to(&shy).args(["-O", "json"]).go();
    assert!(done.stderr.starts_with("note: "), "found out: {}", done.stderr);
    let web = Server::raw(anywhere(), |mut connection| {
        let _ = connection.io.read(&mut [0; 4096]);
        let _ = connection.io.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    });
    refused(to(&web).args(["--insecure"]), "HTTP/1");
    refused(to(&web), "answered in plaintext");
}

#[test]
fn a_certificate_that_changes_in_the_middle_of_a_run() {
    let ca = Authority::new("a test authority");
    let (good, bad) = (ca.issue(|_| {}), Authority::new("somebody else").issue(|_| {}));
    let (good, bad) = (Arc::new(good.config()), Arc::new(bad.config()));
    // The second and the third connection meet a stranger.
    let listener = OverTls::new(anywhere(), move |n| Arc::clone(if matches!(n, 2 | 3) { &bad } else { &good }));
    let server = Server::on(listener, greeting(&[]), |peer, event| match event {
        Event::Head(stream) if peer.number == 1 && peer.requests == 50 => {
            peer.say(&[go_away(stream, 0)]);
            peer.answer_open();
            peer.close();
        }
        event => answer(peer, event),
    });
    let run = calls_to(&server, "-n 500 -c 5").file("ca.pem", &ca.cert);
    let outcome = go(run.args(["--cacert", "ca.pem"]));
    let counts = outcome.counts;
    assert_eq!((counts.done, counts.failed), (500, outcome.with_status(Code::Unavailable)));
    assert!((2..=10).contains(&counts.failed), "each caller once for each stranger: {counts:?}");
    assert!(outcome.failures().iter().all(|(_, said, _)| said.contains("unknown issuer")), "{:?}", outcome.failures());
    assert_eq!(server.seen().connections, 4);
}

#[test]
fn connections_that_end_with_and_without_a_goodbye() {
    let config = Arc::new(Authority::new("a test authority").issue(|_| {}).config());
    for (cut, said) in [(false, "the server closed it"), (true, "the server closed it without ending TLS")] {
        let config = Arc::clone(&config);
        let listener = OverTls::new(anywhere(), move |_| Arc::clone(&config));
        let server = Server::on(listener, greeting(&[]), move |peer, event| match event {
            Event::Whole(_) if peer.requests == 20 && cut => peer.cut(),
            Event::Whole(_) if peer.requests == 20 => peer.close(),
            event => answer(peer, event),
        });
        let outcome = go(calls_to(&server, "-n 100 -c 1").args(["--skipTLS"]));
        let failures = outcome.failures();
        assert_eq!((outcome.counts.ok, outcome.counts.failed), (95, 5), "{failures:?}");
        assert_eq!(failures, [(Some(14), format!("connection lost: {said}"), 5)]);
    }
}

#[test]
fn c33_large_answers_over_tls() {
    let config = Arc::new(Authority::new("a test authority").issue(|_| {}).config());
    let listener = OverTls::new(anywhere(), move |_| Arc::clone(&config));
    let server = Server::on(listener, greeting(&[]), |peer, event| {
        if let Event::Whole(stream) = event {
            peer.send(stream, &[grpc()]);
            peer.send(stream, &data_in_pieces(&message(&vec![7; 5 << 20]), 16_384));
            peer.send(stream, &[trailers(&[("grpc-status", "0")])]);
        }
    });
    let outcome = go(calls_to(&server, "-n 4 -c 2").args(["--skipTLS"]));
    outcome.all_ok(4);
    assert_eq!(outcome.report["grpcbench"]["traffic"]["message_bytes_received"], 4 * (5 << 20));
}

/// Everything that TLS holds back must leave when the socket takes it, also if no more follows.
#[cfg(unix)]
#[test]
fn long_requests_leave_tls_to_their_last_byte() {
    let config = Arc::new(Authority::new("a test authority").issue(|_| {}).config());
    let folder = tempfile::tempdir().unwrap();
    // The buffer of a unix socket is small, and the server sleeps while the client fills it.
    let listener = UnixListener::bind(folder.path().join("s")).unwrap();
    let listener = OverTls::new(listener, move |_| Arc::clone(&config));
    let server = Server::on(listener, greeting(&[(INITIAL_WINDOW_SIZE, 1 << 30)]), |peer, event| match event {
        Event::Head(_) => std::thread::sleep(Duration::from_millis(150)),
        event => answer(peer, event),
    });
    for bytes in [200_000, 250_000, 300_000, 1_000_000] {
        let data = format!(r#"{{"name":"{}"}}"#, "x".repeat(bytes));
        let run = Run::new()
            .args(["--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello", "-n", "3", "-c", "1"])
            .file("data.json", data)
            .args(["-D", "data.json", "--skipTLS", "-t", "5s", server.address()]);
        go(run).all_ok(3);
    }
}

#[test]
fn a_good_server_over_tls_serves_many() {
    let ca = Authority::new("a test authority");
    let server = serve(ca.issue(|_| {}).config());
    let run = calls_to(&server, "-n 5000 -c 50 --connections 4").file("ca.pem", &ca.cert);
    let outcome = go(run.args(["--cacert", "ca.pem"]));
    outcome.all_ok(5000);
    assert_eq!((server.seen().requests, server.seen().connections), (5000, 4));
    let connected = outcome.report["grpcbench"]["connections"]["connected"].as_array().unwrap().clone();
    assert_eq!(connected.iter().filter(|connect| connect["tls_ns"].as_u64() > Some(0)).count(), 4);
}

#[test]
fn c24_the_name_that_is_verified_is_the_authority_of_the_calls() {
    let ca = Authority::new("a test authority");
    let other = ca.issue(|params| *params = CertificateParams::new(["greeter.test".to_owned()]).unwrap());
    for (flags, authority) in [
        (&["--cname", "greeter.test"][..], "greeter.test"),
        (&["--authority", "greeter.test:7"], "greeter.test:7"),
        (&["--cname", "greeter.test", "--authority", "greeter.test"], "greeter.test"),
    ] {
        let server = serve(other.config());
        let trusting = to(&server).file("ca.pem", &ca.cert).args(["--cacert", "ca.pem"]);
        go(trusting.args(flags.iter().copied())).all_ok(10);
        assert_eq!(server.seen().field(":authority"), Some(authority));
    }
    let server = serve(other.config());
    let done = to(&server).args(["--cname", "a.test", "--authority", "b.test"]).status(2).go();
    assert_eq!(
        done.stderr,
        "error: --cname a.test and --authority b.test contradict each other: each is the :authority of the calls and the \
         name that TLS verifies\nhint: leave out one of them\n"
    );
    let done = to(&server).args(["--cname", "a.test", "--insecure"]).status(2).go();
    assert!(done.stderr.contains("--insecure and --cname contradict each other"), "{}", done.stderr);
    assert_eq!(server.seen().connections, 0);
}

#[test]
fn secrets_are_written_down_for_those_who_ask_for_it() {
    let server = serve(Authority::new("a test authority").issue(|_| {}).config());
    let run = to(&server).args(["--skipTLS", "--connections", "2", "-O", "json"]);
    let done = run.variable("SSLKEYLOGFILE", "secrets.log").go();
    assert!(done.stderr.contains("note: the TLS secrets of this run are appended to `secrets.log`"), "{}", done.stderr);
    let secrets = done.files.get("secrets.log").unwrap();
    assert_eq!(secrets.matches("CLIENT_TRAFFIC_SECRET_0 ").count(), 2, "{secrets}");
    let done = to(&server).args(["--skipTLS"]).variable("SSLKEYLOGFILE", "no/secrets.log").status(2).go();
    assert!(
        done.stderr.contains("`no/secrets.log` is no good value for SSLKEYLOGFILE: it cannot be"),
        "{}",
        done.stderr
    );
}
