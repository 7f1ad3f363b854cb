//! What a server saw.

use std::sync::atomic::{AtomicU64, Ordering};

/// A method of the `Greeter`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// `SayHello`, unary.
    SayHello,
    /// `SayHellos`, server streaming.
    SayHellos,
    /// `SayHelloCS`, client streaming.
    SayHelloCs,
    /// `SayHelloBidi`, bidirectional streaming.
    SayHelloBidi,
}

/// What a server saw since its start. Calls are counted as they come in, whether they are answered or not.
#[derive(Debug, Default)]
pub struct Counts {
    calls: [AtomicU64; 4],
    connections: AtomicU64,
}

impl Counts {
    /// Calls of one method.
    pub fn calls(&self, method: Method) -> u64 {
        self.calls[method as usize].load(Ordering::Relaxed)
    }

    /// Calls of all methods of the `Greeter`.
    pub fn all_calls(&self) -> u64 {
        self.calls.iter().map(|calls| calls.load(Ordering::Relaxed)).sum()
    }

    /// Connections that were accepted, before any TLS handshake.
    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    pub(super) fn call(&self, method: Method) {
        self.calls[method as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn connection(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }
}
