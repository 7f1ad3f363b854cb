//! What every service has around it: a port, reflection, health, and a good end.

use std::net::SocketAddr;

use tokio::net::TcpListener;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic_health::ServingStatus;

use crate::proto;

/// Why a service does not run (any more).
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A service that has its port and does not serve yet.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
}

impl Bound {
    /// Takes a port; port 0 takes a free one.
    pub async fn to(address: SocketAddr) -> Result<Bound, Failure> {
        let listener =
            TcpListener::bind(address).await.map_err(|error| format!("cannot listen on {address}: {error}"))?;
        Ok(Bound { listener })
    }

    /// Where it listens.
    pub fn address(&self) -> Result<SocketAddr, Failure> {
        Ok(self.listener.local_addr()?)
    }

    /// Serves these services until `end`, and then ends the calls that are under way.
    pub async fn serve(
        self,
        routes: Routes,
        names: &[&'static str],
        end: impl Future<Output = ()>,
    ) -> Result<(), Failure> {
        let mut reflection =
            tonic_reflection::server::Builder::configure().register_encoded_file_descriptor_set(proto::DESCRIPTORS);
        let (health, health_service) = tonic_health::server::health_reporter();
        for &name in names {
            reflection = reflection.with_service_name(name);
            health.set_service_status(name, ServingStatus::Serving).await;
        }
        let routes = routes.add_service(reflection.build_v1()?).add_service(health_service);
        // Every message is small and somebody waits for it.
        let incoming = TcpIncoming::from(self.listener).with_nodelay(Some(true));
        Ok(Server::builder().add_routes(routes).serve_with_incoming_shutdown(incoming, end).await?)
    }
}
