//! The outline of a file descriptor: what it is called, imports and defines, without what is inside of it.
//!
//! Reading the outlines of thousands of files takes a small part of the time that reading all of them would.
//! Field numbers are those of `google/protobuf/descriptor.proto`.

use prost::Message;
use prost::bytes::Bytes;

/// A `FileDescriptorSet` whose files are left as they are.
#[derive(Clone, PartialEq, Message)]
pub(super) struct RawSet {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub(super) files: Vec<Bytes>,
}

/// The outline of a `FileDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Head {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) package: String,
    #[prost(string, repeated, tag = "3")]
    pub(super) dependencies: Vec<String>,
    #[prost(message, repeated, tag = "4")]
    pub(super) messages: Vec<MessageHead>,
    #[prost(message, repeated, tag = "5")]
    pub(super) enums: Vec<NameHead>,
    #[prost(message, repeated, tag = "6")]
    pub(super) services: Vec<ServiceHead>,
    #[prost(message, repeated, tag = "7")]
    pub(super) extensions: Vec<ExtensionHead>,
    #[prost(string, tag = "12")]
    pub(super) syntax: String,
    #[prost(int32, tag = "14")]
    pub(super) edition: i32,
}

/// The outline of a `DescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MessageHead {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "3")]
    pub(super) messages: Vec<MessageHead>,
    #[prost(message, repeated, tag = "4")]
    pub(super) enums: Vec<NameHead>,
    #[prost(message, repeated, tag = "5")]
    pub(super) extension_ranges: Vec<Nothing>,
    #[prost(message, repeated, tag = "6")]
    pub(super) extensions: Vec<ExtensionHead>,
}

/// The outline of a `ServiceDescriptorProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ServiceHead {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) methods: Vec<NameHead>,
}

/// Anything with its name in field 1.
#[derive(Clone, PartialEq, Message)]
pub(super) struct NameHead {
    #[prost(string, tag = "1")]
    pub(super) name: String,
}

/// The `FieldDescriptorProto` of an extension.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ExtensionHead {
    #[prost(string, tag = "2")]
    pub(super) extendee: String,
}

/// Something that is only counted.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Nothing {}

impl Head {
    /// A name of this file, with its package.
    pub(super) fn full_name(&self, name: &str) -> String {
        qualified(&self.package, name)
    }

    /// The edition that the file is written in, as its source has it; `None` if it is written in proto2 or proto3.
    pub(super) fn edition(&self) -> Option<String> {
        // The numbers of `google.protobuf.Edition`.
        (self.syntax == "editions").then(|| match self.edition {
            1000 => "2023".to_owned(),
            1001 => "2024".to_owned(),
            number => format!("number {number}"),
        })
    }
}

/// A name inside of `scope`, which may be empty.
pub(super) fn qualified(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}
