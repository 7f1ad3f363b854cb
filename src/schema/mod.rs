//! Names to descriptors: schemas from `.proto` files, and the methods in them.

use std::path::PathBuf;

use crate::error::Problems;

/// A set of files with all that they import.
#[derive(Clone, Debug)]
pub struct Schema {
    pool: prost_reflect::DescriptorPool,
}

impl Schema {
    /// Compiles `.proto` files; imports are looked for under `roots`, next to each file, and in the working directory.
    pub fn compile(protos: &[PathBuf], roots: &[PathBuf]) -> Result<Schema, Problems> {
        let _ = (protos, roots);
        todo!()
    }

    /// Finds the method called `call`: `package.Service.Method` or `package.Service/Method`, also with a leading dot or slash.
    pub fn method(&self, call: &str) -> Result<Method, Problems> {
        let _ = (call, &self.pool);
        todo!()
    }
}

/// A method that can be called.
#[derive(Clone, Debug)]
pub struct Method {
    descriptor: prost_reflect::MethodDescriptor,
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
    /// The kind of call.
    pub fn kind(&self) -> Kind {
        todo!()
    }

    /// The `:path` of a call: `/package.Service/Method`.
    pub fn path(&self) -> String {
        todo!()
    }

    /// The message that a call sends.
    pub fn input(&self) -> prost_reflect::MessageDescriptor {
        self.descriptor.input()
    }

    /// The message that a call gets.
    pub fn output(&self) -> prost_reflect::MessageDescriptor {
        self.descriptor.output()
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}
