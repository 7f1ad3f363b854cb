//! Calls over TLS, and certificates and keys that are no good.

use std::path::PathBuf;

use tonic::transport::{Certificate, ClientTlsConfig};

use super::*;

struct Files {
    folder: tempfile::TempDir,
    authority: String,
}

impl Files {
    /// `cert.pem` and `key.pem` belong together, `other.pem` is another key, `empty.pem` has nothing in it.
    fn new() -> Files {
        let folder = tempfile::tempdir().unwrap();
        let pair = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let authority = pair.cert.pem();
        for (name, text) in [
            ("cert.pem", authority.clone()),
            ("key.pem", pair.signing_key.serialize_pem()),
            ("other.pem", rcgen::KeyPair::generate().unwrap().serialize_pem()),
            ("empty.pem", String::new()),
            ("broken.pem", authority.replace('M', "?")),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Files { folder, authority }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn options(&self, cert: &str, key: &str) -> Options {
        Options { tls: Some(Tls { cert: self.path(cert), key: self.path(key) }), ..Options::default() }
    }
}

#[tokio::test]
async fn calls_are_answered_and_plaintext_is_not() {
    let files = Files::new();
    let server = start(files.options("cert.pem", "key.pem"));
    let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&files.authority)).domain_name("localhost");
    let endpoint = Endpoint::new(format!("https://{}", server.address())).unwrap().tls_config(tls).unwrap();
    let mut client = Client::new(endpoint.connect().await.unwrap());
    assert_eq!(client.say_hello(hello("Ann")).await.unwrap().into_inner().message, "Hello Ann");

    let plain = Endpoint::new(format!("http://{}", server.address())).unwrap();
    let answer = match plain.connect().await {
        Ok(channel) => Client::new(channel).say_hello(hello("Ann")).await.map_err(|_| ()),
        Err(_) => Err(()),
    };
    assert!(answer.is_err());
    assert_eq!(server.counts().all_calls(), 1);
}

#[test]
fn mistakes_name_the_file_and_the_rule() {
    let files = Files::new();
    for (cert, key, wrong, flag, rule) in [
        ("none.pem", "key.pem", "none.pem", "--tls-cert", "cannot be read"),
        ("cert.pem", "none.pem", "none.pem", "--tls-key", "cannot be read"),
        ("empty.pem", "key.pem", "empty.pem", "--tls-cert", "holds no certificate"),
        ("key.pem", "key.pem", "key.pem", "--tls-cert", "holds no certificate"),
        ("cert.pem", "cert.pem", "cert.pem", "--tls-key", "holds no unencrypted private key"),
        ("cert.pem", "other.pem", "other.pem", "--tls-key", "does not belong to the certificate in"),
        ("broken.pem", "key.pem", "broken.pem", "--tls-cert", ""),
    ] {
        let problems = Server::new(files.options(cert, key)).unwrap_err();
        let text = problems.to_string();
        let wrong = format!("`{}` is no good value for {flag}: ", files.path(wrong).display());
        assert!(text.starts_with(&wrong) && text.contains(rule), "{cert}, {key}: {text}");
        assert_eq!(problems.iter().count(), 1, "{text}");
    }
}
