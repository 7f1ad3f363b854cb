//! A [`Target`], and the connections that carry calls to it.
//!
//! Owns everything between [`wire`](crate::wire), which knows HTTP/2 and no sockets, and the drive, which knows calls
//! and no HTTP/2: connecting, TLS, unix sockets, gRPC framing, the status of a call, deadlines, reconnects. After the
//! first connect nothing here is an error: calls end with a status.

mod balancing;
mod calls;
mod connection;
mod form;
mod gunzip;
mod handshake;
mod identity;
mod keepalive;
mod kept;
mod message;
mod probe;
mod progress;
mod queue;
mod ready;
mod resolver;
mod route;
mod session;
mod socket;
mod status;
mod stream;
mod tally;
mod target;
mod tls;
mod windows;

pub use balancing::Balancing;
pub use connection::Connection;
pub use form::Form;
pub use identity::Identity;
pub use kept::{Kept, KeptField};
pub use probe::probe;
pub use route::Route;
pub use session::{ClientCall, Over, Reply, Shared};
pub(crate) use stream::{byte_stream, explain};
pub use target::{Address, Security, Target};
pub use tls::TlsOptions;
pub use windows::Windows;
