//! A channel of tonic over a connection that is made our way, so that reflection meets the same TLS, sockets and errors
//! as the calls do.

use std::future::{Ready, ready};
use std::io;
use std::task::{Context, Poll};

use hyper_util::rt::TokioIo;
use tonic::codegen::Service;
use tonic::codegen::http::Uri;
use tonic::transport::{Channel, Endpoint};

use crate::error::{ConnectError, Error, UsageError};
use crate::transport::{Security, Target, byte_stream};

/// Connects to `target`, whose security has been found out.
pub(super) async fn connect(target: &Target) -> Result<Channel, Error> {
    let scheme = if target.security == Security::Plaintext { "http" } else { "https" };
    let authority = target.authority();
    let origin: Uri = format!("{scheme}://{authority}").parse().map_err(|_| UsageError::Invalid {
        what: "--authority",
        value: authority.clone(),
        rule: "it is a host name or a host name with a port".to_owned(),
    })?;
    let stream = TokioIo::new(byte_stream(target).await?);
    // The address is never looked at; `https` would make tonic ask for TLS of its own.
    let endpoint = Endpoint::from_static("http://connected.invalid").origin(origin);
    let endpoint = endpoint.user_agent(concat!("grpcbench/", env!("CARGO_PKG_VERSION")));
    let endpoint = endpoint.expect("the name of this program can be sent");
    let channel = endpoint.connect_with_connector(Connected(Some(stream))).await;
    channel.map_err(|error| {
        let answer = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
        ConnectError::NotHttp2 { address: target.address.to_string(), answer }.into()
    })
}

/// Hands out a connection that is there already, once: when it breaks, the exchange is over.
struct Connected<S>(Option<S>);

impl<S> Service<Uri> for Connected<S> {
    type Response = S;
    type Error = io::Error;
    type Future = Ready<io::Result<S>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _address: Uri) -> Self::Future {
        ready(
            self.0
                .take()
                .ok_or_else(|| io::Error::new(io::ErrorKind::NotConnected, "the server closed the connection")),
        )
    }
}
