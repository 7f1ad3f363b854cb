//! Client certificates: kinds of keys, chains, what is refused before the run, and what servers say.

use std::net::TcpListener;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{ServerConfig, SupportedProtocolVersion};

use super::frames::greeting;
use super::harness::Run;
use super::run::go;
use super::secure::{Authority, answer, refused, to};
use super::server::{OverTls, Server};

const RSA_PKCS8: &str = include_str!("keys/rsa-pkcs8.pem");
const RSA_PKCS1: &str = include_str!("keys/rsa-pkcs1.pem");
const EC_PKCS8: &str = include_str!("keys/ec-pkcs8.pem");
/// With a block of parameters in front, as `openssl ecparam` writes it.
const EC_SEC1: &str = include_str!("keys/ec-sec1.pem");
const ENCRYPTED: [&str; 2] = [include_str!("keys/encrypted-pkcs8.pem"), include_str!("keys/encrypted-pkcs1.pem")];

/// A server that wants certificates of this authority, and shows one of it.
fn strict(ca: &Authority, versions: &[&'static SupportedProtocolVersion]) -> Server {
    let identity = ca.issue(|_| {});
    let mut roots = rustls::RootCertStore::empty();
    roots.add(ca.der.clone()).unwrap();
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build().unwrap();
    let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(versions).unwrap();
    let key = PrivateKeyDer::try_from(identity.key.clone()).unwrap();
    let mut config =
        builder.with_client_cert_verifier(verifier).with_single_cert(vec![identity.cert.clone()], key).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    Server::on(OverTls::new(listener, move |_| Arc::clone(&config)), greeting(&[]), answer)
}

/// A client's certificate for a key in PKCS#8.
fn certified(key: &str, issuer: &Issuer<'_, KeyPair>) -> String {
    let key = KeyPair::from_pem(key).unwrap();
    CertificateParams::new(["a client".to_owned()]).unwrap().signed_by(&key, issuer).unwrap().pem()
}

/// Calls with this certificate and key.
fn showing(server: &Server, ca: &Authority, cert: &str, key: &str) -> Run {
    let run = to(server).file("ca.pem", &ca.cert).file("client.pem", cert).file("client.key", key);
    run.args(["--cacert", "ca.pem", "--cert", "client.pem", "--key", "client.key"])
}

const BOTH: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13, &rustls::version::TLS12];

#[test]
fn c22_every_form_of_a_private_key() {
    let ca = Authority::new("a test authority");
    let server = strict(&ca, BOTH);
    let ed25519 = KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap().serialize_pem();
    let keys = [(RSA_PKCS8, RSA_PKCS8), (RSA_PKCS8, RSA_PKCS1), (EC_PKCS8, EC_PKCS8), (EC_PKCS8, EC_SEC1)];
    for (pkcs8, given) in keys.into_iter().chain([(&*ed25519, &*ed25519)]) {
        let cert = certified(pkcs8, &ca.issuer);
        go(showing(&server, &ca, &cert, given)).all_ok(10);
        // All in one file, in either order.
        for both in [format!("{cert}{given}"), format!("{given}{cert}")] {
            go(showing(&server, &ca, &both, &both)).all_ok(10);
        }
    }
    assert_eq!(server.seen().requests, 150);
}

#[test]
fn c22_a_certificate_of_an_authority_in_between() {
    let ca = Authority::new("a test authority");
    let server = strict(&ca, BOTH);
    let mut params = CertificateParams::new([]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.distinguished_name.push(rcgen::DnType::CommonName, "in between");
    let key = KeyPair::generate().unwrap();
    let between = params.signed_by(&key, &ca.issuer).unwrap().pem();
    let cert = certified(EC_PKCS8, &Issuer::new(params, key));
    go(showing(&server, &ca, &format!("{cert}{between}"), EC_PKCS8)).all_ok(10);
    let done = refused(showing(&server, &ca, &cert, EC_PKCS8), "does not accept the client certificate (UnknownCA)");
    assert!(done.stderr.contains("hint: is it signed by an authority that the server trusts"), "{}", done.stderr);
}

#[test]
fn c22_servers_that_ask_for_a_certificate_of_ours() {
    let ca = Authority::new("a test authority");
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let server = strict(&ca, &[version]);
        let done = refused(to(&server).args(["--skipTLS"]), "the server demands a client certificate");
        assert!(done.stderr.contains("hint: give one by --cert, and its private key by --key"), "{}", done.stderr);
        let cert = certified(EC_PKCS8, &ca.issuer);
        go(showing(&server, &ca, &cert, EC_PKCS8)).all_ok(10);
        let strange = certified(EC_PKCS8, &Authority::new("somebody else").issuer);
        refused(showing(&server, &ca, &strange, EC_PKCS8), "does not accept the client certificate");
    }
}

#[test]
fn c22_keys_that_cannot_be_used_are_refused_before_the_run() {
    let ca = Authority::new("a test authority");
    let server = strict(&ca, BOTH);
    let cert = certified(EC_PKCS8, &ca.issuer);
    let said = |cert: &str, key: &str| showing(&server, &ca, cert, key).status(2).go().stderr;
    for key in ENCRYPTED {
        assert_eq!(
            said(&cert, key),
            "error: `client.key` is no good value for --key: encrypted keys are not supported; decrypt it with `openssl pkey`\n"
        );
    }
    assert_eq!(
        said(&cert, RSA_PKCS8),
        "error: `client.key` is no good value for --key: it is not the key of the certificate in `client.pem`\n"
    );
    assert_eq!(
        said(&cert, &cert),
        "error: `client.key` is no good value for --key: it holds no private key (no BEGIN ... PRIVATE KEY line)\n"
    );
    assert_eq!(
        said(EC_PKCS8, EC_PKCS8),
        "error: `client.pem` is no good value for --cert: it holds no certificate (no BEGIN CERTIFICATE line)\n"
    );
    let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert!(said(garbage, EC_PKCS8).contains("for --cert: its first certificate cannot be used: "));
    for (given, missing) in [(["--cert", "client.pem"], "--key"), (["--key", "client.key"], "--cert")] {
        let done = to(&server).file("client.pem", &cert).file("client.key", EC_PKCS8).args(given).status(2).go();
        assert!(done.stderr.starts_with(&format!("error: {missing} is missing\nhint: ")), "{}", done.stderr);
    }
    let done = to(&server).args(["--cert", "no.pem", "--key", "no.key"]).status(2).go();
    assert!(done.stderr.contains("`no.pem` is no good value for --cert: it cannot be read: "), "{}", done.stderr);
    assert_eq!(server.seen().connections, 0);
}

#[test]
fn a_certificate_asks_for_tls() {
    let server = Server::start(answer);
    let cert = certified(EC_PKCS8, &Authority::new("a test authority").issuer);
    let run = to(&server).file("client.pem", cert).file("client.key", EC_PKCS8);
    refused(run.args(["--cert", "client.pem", "--key", "client.key"]), "the server closed the connection");
}
