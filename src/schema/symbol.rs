//! What can be described: services, methods, messages and enums, found by their names.

use prost_reflect::{DescriptorPool, EnumDescriptor, MessageDescriptor, ServiceDescriptor};

use crate::error::{Problems, SchemaError};

use super::method::Method;
use super::scope::Scope;
use super::{Note, describe, template};

/// Something with a name of its own in a schema.
#[derive(Clone)]
pub enum Symbol {
    /// A service.
    Service(ServiceDescriptor),
    /// A method of one.
    Method(Method),
    /// A message.
    Message(MessageDescriptor),
    /// An enum.
    Enum(EnumDescriptor),
}

impl Symbol {
    /// Finds `name` in `pool`.
    pub(super) fn find(pool: &DescriptorPool, name: &str, scope: Scope, notes: Vec<Note>) -> Option<Symbol> {
        let service = || pool.get_service_by_name(name).map(Symbol::Service);
        let message = || pool.get_message_by_name(name).map(Symbol::Message);
        let method = || {
            let (service, method) = name.rsplit_once('.')?;
            let found = pool.get_service_by_name(service)?.methods().find(|known| known.name() == method)?;
            Some(Symbol::Method(Method::new(found, scope, notes)))
        };
        service().or_else(message).or_else(|| pool.get_enum_by_name(name).map(Symbol::Enum)).or_else(method)
    }

    /// It as a `.proto` file would have it, but with full names, and with comments where they are known. Ends with a
    /// line feed. A method is followed by the messages that it takes and gives.
    pub fn text(&self) -> String {
        match self {
            Symbol::Service(service) => describe::service(service),
            Symbol::Method(method) => describe::method(method.descriptor()),
            Symbol::Message(message) => describe::message(message),
            Symbol::Enum(descriptor) => describe::enumeration(descriptor),
        }
    }

    /// A JSON text, with a line feed at its end, that is a message of this kind, or of the input of this method, with
    /// each field set to something.
    ///
    /// Errors when it is neither message nor method.
    pub fn template(&self) -> Result<String, Problems> {
        match self {
            Symbol::Method(method) => Ok(template::of(&method.input())),
            Symbol::Message(message) => Ok(template::of(message)),
            Symbol::Service(service) => {
                Err(SchemaError::NoTemplate { symbol: service.full_name().to_owned(), what: "a service" }.into())
            }
            Symbol::Enum(descriptor) => {
                Err(SchemaError::NoTemplate { symbol: descriptor.full_name().to_owned(), what: "an enum" }.into())
            }
        }
    }
}
