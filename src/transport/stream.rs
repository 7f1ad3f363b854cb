//! A connected byte stream for clients other than ours: those of libraries, before a run.

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::handshake::establish;
use super::route::Route;
use super::socket::{Plain, Socket};
use super::{Security, Target};
use crate::error::ConnectError;

/// Connects to `target`, whose security has been found out, with TLS if it says so. Nothing is sent yet.
///
/// Bounded by the connect timeout of the target.
pub(crate) async fn byte_stream(
    target: &Target,
) -> Result<impl AsyncRead + AsyncWrite + Send + Unpin + 'static, ConnectError> {
    let connect = async {
        let (plain, opened) = Plain::connect(target, 0).await?;
        match target.security {
            Security::Plaintext => Ok(Socket::Plain(plain)),
            Security::Tls | Security::FindOut => {
                let config = target.tls.client_config()?;
                plain.start_tls(target, &config, &opened.address).await
            }
        }
    };
    timeout(target.connect_timeout, connect).await.unwrap_or_else(|_| {
        Err(ConnectError::TimedOut {
            address: target.address.to_string(),
            within: target.connect_timeout,
            stage: "the address did not answer",
        })
    })
}

/// Connects as a run would, and says what is wrong if that fails: for when another client has failed and cannot say why.
pub(crate) async fn explain(target: &Target) -> Result<(), ConnectError> {
    establish(&Route::new(target, "/", &[], None)?).await.map(|_| ())
}
