//! The embedded gRPC server behind `grpcbench serve` and `grpcbench demo`, and the test server of this project.
//!
//! It offers [`helloworld`]'s `Greeter` with all four kinds of call, server reflection (v1 and v1alpha) and health
//! checking, and has faults when asked to ([`Options`]): delays, errors, stalls, few streams, short-lived connections.
//! A [`Server`] holds options that were checked before the first connection is accepted; [`Background`] runs one on a
//! thread of its own; [`Counts`] says what the server saw, so that both sides of a run can be compared.
//!
//! It prints nothing, and of this crate it uses `units` and `error` only: what it does must not depend on what it tests.

mod background;
mod counts;
mod delay;
mod error_share;
mod faults;
mod greeter;
mod incoming;
mod portion;
mod stall;
mod tls;

#[cfg(test)]
mod tests;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::UnixListener;
use tokio::sync::oneshot;
use tonic::service::Routes;
use tonic::transport::server::ServerTlsConfig;
use tonic_health::ServingStatus;

pub use background::Background;
pub use counts::{Counts, Method};
pub use delay::Delay;
pub use error_share::ErrorShare;
pub use greeter::REPLIES;
pub use stall::Stall;
pub use tls::Tls;

use crate::error::{Problems, UsageError};
use faults::Faults;
use incoming::{Accept, Incoming};
use portion::Portion;

/// Messages, server and client of `protos/helloworld.proto`, as the build generates them.
pub mod helloworld {
    #![allow(missing_docs, unreachable_pub, clippy::pedantic, reason = "generated code")]
    tonic::include_proto!("helloworld");
}

/// `protos/helloworld.proto` as an encoded `google.protobuf.FileDescriptorSet`, comments included.
pub const DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/helloworld.bin"));

/// The full name of the service.
pub const GREETER: &str = helloworld::greeter_server::SERVICE_NAME;

/// How long calls may go on after the server was told to stop; what is left then is cut off.
pub const GRACE: Duration = Duration::from_secs(5);

/// A client gives up calls by the thousand when its deadline is short. Servers take bursts of resets for an attack and
/// end the connection; this one is here to be tested, so it bears more of them.
const PENDING_RESETS_MAX: usize = 100_000;

/// How the server behaves. The default is a server without faults, in plaintext.
///
/// Faults concern the calls of the `Greeter` only; reflection and health are always answered at once.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How long each reply is held back. Every reply of a stream waits anew.
    pub delay: Option<Delay>,
    /// Shares of the calls that end with an error instead of a reply, after the delay. Together at most 100 %.
    pub errors: Vec<ErrorShare>,
    /// A time in which nothing is answered.
    pub stall: Option<Stall>,
    /// How many streams a connection may have open at a time (`SETTINGS_MAX_CONCURRENT_STREAMS`); at least 1.
    pub max_concurrent_streams: Option<u32>,
    /// The age at which a connection is sent a GOAWAY; its open calls are still answered. Above 0.
    pub max_connection_age: Option<Duration>,
    /// Certificate and key; without them the server speaks plaintext.
    pub tls: Option<Tls>,
    /// What delays and errors are drawn by: the n-th reply of a server waits as long, and the n-th call fails or not,
    /// as with any other server of the same options and seed.
    pub seed: u64,
}

/// A server whose options are known to be good.
#[derive(Debug)]
pub struct Server {
    options: Options,
    tls: Option<ServerTlsConfig>,
    counts: Arc<Counts>,
}

impl Server {
    /// Checks the options and reads the TLS files. Errors name everything that is wrong, not just the first thing.
    pub fn new(options: Options) -> Result<Server, Problems> {
        let mut problems = Problems::new();
        let failing = options.errors.iter().map(|error| u64::from(error.portion().parts())).sum::<u64>();
        if failing > u64::from(Portion::WHOLE.parts()) {
            problems.push(UsageError::Invalid {
                what: "--error",
                value: options.errors.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
                rule: "all shares together are at most 100%".to_owned(),
            });
        }
        if options.max_concurrent_streams == Some(0) {
            problems.push(UsageError::Invalid {
                what: "--max-concurrent-streams",
                value: "0".to_owned(),
                rule: "a server without streams answers nobody; 1 is the least".to_owned(),
            });
        }
        if options.max_connection_age == Some(Duration::ZERO) {
            problems.push(UsageError::Invalid {
                what: "--max-connection-age",
                value: "0".to_owned(),
                rule: "a connection lives longer than no time at all".to_owned(),
            });
        }
        let tls = options.tls.as_ref().and_then(|tls| problems.keep(tls.load()));
        problems.into_result()?;
        Ok(Server { options, tls, counts: Arc::default() })
    }

    /// What this server sees, also while it runs.
    pub fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }

    /// Serves the connections of `listener` until `shutdown` is done. Then no more are accepted, the others get a GOAWAY,
    /// and open calls have [`GRACE`] to finish. The connections live on the runtime that polls this.
    pub async fn serve(self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        self.serve_incoming(listener, shutdown).await;
    }

    /// As [`serve`](Server::serve), on a unix socket. The socket's file stays.
    #[cfg(unix)]
    pub async fn serve_unix(self, listener: UnixListener, shutdown: impl Future<Output = ()>) {
        self.serve_incoming(listener, shutdown).await;
    }

    async fn serve_incoming<L: Accept>(self, listener: L, shutdown: impl Future<Output = ()>) {
        let incoming = Incoming::new(listener, Arc::clone(&self.counts));
        let routes = self.routes().await;
        let mut builder = tonic::transport::Server::builder()
            .max_concurrent_streams(self.options.max_concurrent_streams)
            .http2_max_pending_accept_reset_streams(Some(PENDING_RESETS_MAX));
        if let Some(age) = self.options.max_connection_age {
            builder = builder.max_connection_age(age);
        }
        if let Some(tls) = self.tls {
            builder = builder.tls_config(tls).expect("Tls::load has checked the certificate and the key");
        }
        let (stop, stopped) = oneshot::channel();
        let mut served = std::pin::pin!(builder.add_routes(routes).serve_with_incoming_shutdown(incoming, async {
            // Also when the sender is gone, which it is not before `served` is.
            let _ = stopped.await;
        }));
        let ended = tokio::select! {
            ended = &mut served => ended,
            () = shutdown => {
                let _ = stop.send(());
                // What has not ended by then is cut off with the runtime.
                tokio::time::timeout(GRACE, served).await.unwrap_or(Ok(()))
            }
        };
        ended.expect("the incoming connections do not fail, and nothing else can");
    }

    async fn routes(&self) -> Routes {
        let greeter = greeter::service(Faults::new(&self.options), Arc::clone(&self.counts));
        let (reporter, health) = tonic_health::server::health_reporter();
        reporter.set_service_status(GREETER, ServingStatus::Serving).await;
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(DESCRIPTOR_SET)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
        let good = "the descriptors come from the build";
        Routes::new(greeter)
            .add_service(health)
            .add_service(reflection().build_v1().expect(good))
            .add_service(reflection().build_v1alpha().expect(good))
    }
}
