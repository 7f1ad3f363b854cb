//! A service on a free port, for as long as a test runs.

use services::serving::Bound;
use tonic::service::Routes;
use tonic::transport::Channel;

/// Serves, and connects.
pub(crate) async fn connect(routes: Routes, names: &'static [&'static str]) -> Channel {
    let bound = Bound::to("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = bound.address().unwrap();
    tokio::spawn(async move { bound.serve(routes, names, std::future::pending()).await });
    Channel::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap()
}
