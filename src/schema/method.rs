//! Methods, as a plan knows them.

use std::fmt;

use prost_reflect::{MessageDescriptor, MethodDescriptor};

use super::Note;
use super::scope::Scope;

/// A method that can be called.
#[derive(Clone)]
pub struct Method {
    descriptor: MethodDescriptor,
    scope: Scope,
    notes: Vec<Note>,
}

/// Which sides of a call may send more than one message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One message each way.
    Unary,
    /// Several messages from the client.
    ClientStreaming,
    /// Several messages from the server.
    ServerStreaming,
    /// Several messages each way.
    Bidi,
}

impl Method {
    pub(super) fn new(descriptor: MethodDescriptor, scope: Scope, notes: Vec<Note>) -> Method {
        Method { descriptor, scope, notes }
    }

    /// The kind of call.
    pub fn kind(&self) -> Kind {
        Kind::of(&self.descriptor)
    }

    /// The `:path` of a call: `/package.Service/Method`.
    pub fn path(&self) -> String {
        format!("/{}/{}", self.service(), self.name())
    }

    /// The name in dots: `package.Service.Method`.
    pub fn full_name(&self) -> &str {
        self.descriptor.full_name()
    }

    /// The name of the service, with its package.
    pub fn service(&self) -> &str {
        self.descriptor.parent_service().full_name()
    }

    /// The name of the method alone.
    pub fn name(&self) -> &str {
        self.descriptor.name()
    }

    /// The message that a call sends.
    pub fn input(&self) -> MessageDescriptor {
        self.descriptor.input()
    }

    /// The message that a call gets.
    pub fn output(&self) -> MessageDescriptor {
        self.descriptor.output()
    }

    /// The messages that an `Any` in the data of a call may hold: those of all loaded files.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// What a user may want to know about the files that the method comes from, beyond
    /// [`Schema::notes`](super::Schema::notes).
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    pub(super) fn descriptor(&self) -> &MethodDescriptor {
        &self.descriptor
    }
}

/// Only its path: descriptors print all that they lead to, without end if a message has itself inside.
impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Method").field(&self.path()).finish()
    }
}

impl Kind {
    pub(super) fn of(descriptor: &MethodDescriptor) -> Kind {
        match (descriptor.is_client_streaming(), descriptor.is_server_streaming()) {
            (false, false) => Kind::Unary,
            (true, false) => Kind::ClientStreaming,
            (false, true) => Kind::ServerStreaming,
            (true, true) => Kind::Bidi,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Unary => "unary",
            Kind::ClientStreaming => "client streaming",
            Kind::ServerStreaming => "server streaming",
            Kind::Bidi => "bidirectional streaming",
        })
    }
}
