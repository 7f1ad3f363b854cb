//! What a server saw.

use std::fmt;
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

/// What a server saw since its start. Calls are counted as they come in, whether they are answered or not; messages of
/// answers as they are given to be sent, whether the client takes them or not.
#[derive(Debug, Default)]
pub struct Counts {
    calls: [AtomicU64; 4],
    messages_in: AtomicU64,
    messages_out: AtomicU64,
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

    /// Messages of requests.
    pub fn messages_in(&self) -> u64 {
        self.messages_in.load(Ordering::Relaxed)
    }

    /// Messages of answers.
    pub fn messages_out(&self) -> u64 {
        self.messages_out.load(Ordering::Relaxed)
    }

    /// Connections that were accepted, before any TLS handshake.
    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    pub(super) fn call(&self, method: Method) {
        self.calls[method as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn message_in(&self) {
        self.messages_in.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn message_out(&self) {
        self.messages_out.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn connection(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }
}

/// `50 calls on 2 connections, 150 messages in and 150 out`.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} calls on {} connections, {} messages in and {} out",
            self.all_calls(),
            self.connections(),
            self.messages_in(),
            self.messages_out()
        )
    }
}
