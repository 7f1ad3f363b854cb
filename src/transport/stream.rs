//! A connected byte stream for clients other than ours: those of libraries, before a run.

use tokio::io::{AsyncRead, AsyncWrite};

use super::Target;
use super::handshake::{establish, open_socket};
use super::route::Route;
use crate::error::ConnectError;

/// Connects to `target`, whose security has been found out, with TLS if it says so. Nothing is sent yet.
///
/// Bounded by the connect timeout of the target.
pub(crate) async fn byte_stream(
    target: &Target,
) -> Result<impl AsyncRead + AsyncWrite + Send + Unpin + 'static, ConnectError> {
    open_socket(target, target.tls_config()?.as_ref()).await
}

/// Connects as a run would, and says what is wrong if that fails: for when another client has failed and cannot say why.
pub(crate) async fn explain(target: &Target) -> Result<(), ConnectError> {
    establish(&Route::new(target, "/", &[], None)?).await.map(|_| ())
}
