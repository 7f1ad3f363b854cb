//! Servers that the embedded one cannot be: one that remembers what it was sent, and some that are no gRPC servers.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::thread;

use grpcbench::target::Tls;
use grpcbench::target::helloworld::greeter_server::{Greeter, GreeterServer};
use grpcbench::target::helloworld::{HelloReply, HelloRequest};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};
use tokio::runtime::Builder;
use tokio_stream::Stream;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status, Streaming};

/// A `Greeter` that remembers its calls. It lives as long as the test process.
pub(crate) struct Listener {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<Heard>>>,
}

/// A call as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) name: String,
    pub(crate) metadata: tonic::metadata::MetadataMap,
}

impl Heard {
    /// The value of a header that is there once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.metadata.get(name).map(|value| value.to_str().unwrap())
    }
}

impl Listener {
    pub(crate) fn start() -> Listener {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::<Mutex<Vec<Heard>>>::default();
        let service = GreeterServer::new(Remembering(Arc::clone(&heard)));
        thread::spawn(move || {
            Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
                let incoming = TcpListenerStream::new(tokio::net::TcpListener::from_std(listener).unwrap());
                tonic::transport::Server::builder().add_service(service).serve_with_incoming(incoming).await.unwrap();
            });
        });
        Listener { address, heard }
    }

    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    /// What it has heard so far, in order.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }

    /// The names in the calls, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        self.heard().into_iter().map(|heard| heard.name).collect()
    }
}

struct Remembering(Arc<Mutex<Vec<Heard>>>);

type Replies = Pin<Box<dyn Stream<Item = Result<HelloReply, Status>> + Send>>;

#[tonic::async_trait]
impl Greeter for Remembering {
    type SayHellosStream = Replies;
    type SayHelloBidiStream = Replies;

    async fn say_hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>, Status> {
        let metadata = request.metadata().clone();
        let name = request.into_inner().name;
        let message = format!("Hello {name}");
        self.0.lock().unwrap().push(Heard { name, metadata });
        Ok(Response::new(HelloReply { message }))
    }

    async fn say_hellos(&self, _: Request<HelloRequest>) -> Result<Response<Replies>, Status> {
        Err(Status::unimplemented("it listens to unary calls"))
    }

    async fn say_hello_cs(&self, _: Request<Streaming<HelloRequest>>) -> Result<Response<HelloReply>, Status> {
        Err(Status::unimplemented("it listens to unary calls"))
    }

    async fn say_hello_bidi(&self, _: Request<Streaming<HelloRequest>>) -> Result<Response<Replies>, Status> {
        Err(Status::unimplemented("it listens to unary calls"))
    }
}

/// An address where nobody listens: the port was free a moment ago.
pub(crate) fn nobody() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// A server that accepts and then says nothing.
pub(crate) fn silent() -> String {
    serve(|mut stream| {
        // Until the peer gives up.
        let mut sink = [0; 1024];
        while stream.read(&mut sink).is_ok_and(|len| len > 0) {}
    })
}

/// A web server of the old kind.
pub(crate) fn http1() -> String {
    serve(|mut stream| {
        let mut sink = [0; 1024];
        let _ = stream.read(&mut sink);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    })
}

/// A server that closes each connection at its first word.
pub(crate) fn hangs_up() -> String {
    serve(|mut stream| {
        let _ = stream.read(&mut [0; 1024]);
    })
}

fn serve(answer: impl Fn(TcpStream) + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let answer = answer.clone();
            thread::spawn(move || answer(stream));
        }
    });
    address
}

/// A certificate for `localhost` that nobody but its owner trusts, in files.
pub(crate) struct Certificate {
    folder: tempfile::TempDir,
    /// In PEM.
    pub(crate) cert: String,
}

impl Certificate {
    /// The files for a server; they are there as long as this.
    pub(crate) fn files(&self) -> Tls {
        Tls { cert: self.folder.path().join("cert.pem"), key: self.folder.path().join("key.pem") }
    }
}

pub(crate) fn certificate() -> Certificate {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let certificate = Certificate { folder, cert: made.cert.pem() };
    std::fs::write(certificate.files().cert, &certificate.cert).unwrap();
    std::fs::write(certificate.files().key, made.signing_key.serialize_pem()).unwrap();
    certificate
}

/// A TLS server that has never heard of HTTP/2.
pub(crate) struct TlsWithoutAlpn {
    pub(crate) address: String,
    pub(crate) certificate: Certificate,
}

pub(crate) fn tls_without_alpn() -> TlsWithoutAlpn {
    let certificate = certificate();
    let files = certificate.files();
    let chain = vec![CertificateDer::from_pem_file(files.cert).unwrap()];
    let key = PrivateKeyDer::from_pem_file(files.key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    let address = serve(move |mut stream| {
        let mut tls = ServerConnection::new(Arc::clone(&config)).unwrap();
        // Until the peer gives up.
        let _ = rustls::Stream::new(&mut tls, &mut stream).read(&mut [0; 1024]);
    });
    TlsWithoutAlpn { address, certificate }
}
