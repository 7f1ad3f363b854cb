//! Methods, and how they are found by what people call them.

use std::fmt;

use prost_reflect::{DescriptorPool, MessageDescriptor, MethodDescriptor, ServiceDescriptor};

use crate::error::{Problems, SchemaError};

use super::near::near;

/// A method that can be called.
#[derive(Clone)]
pub struct Method {
    descriptor: MethodDescriptor,
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
        match (self.descriptor.is_client_streaming(), self.descriptor.is_server_streaming()) {
            (false, false) => Kind::Unary,
            (true, false) => Kind::ClientStreaming,
            (false, true) => Kind::ServerStreaming,
            (true, true) => Kind::Bidi,
        }
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

    /// Finds the method that `call` names in any file of `pool`.
    pub(super) fn find(pool: &DescriptorPool, call: &str) -> Result<Method, Problems> {
        let spelled = call.strip_prefix(['/', '.']).unwrap_or(call);
        if let Some(service) = pool.get_service_by_name(spelled.trim_end_matches(['/', '.'])) {
            return Err(SchemaError::MethodLeftOut {
                service: service.full_name().to_owned(),
                known: methods(&service),
            }
            .into());
        }
        let (service, method) = split(spelled)
            .ok_or_else(|| SchemaError::BadMethodName { call: call.to_owned(), near: with_method(pool, spelled) })?;
        let Some(found) = pool.get_service_by_name(service) else { return Err(unknown_service(pool, service).into()) };
        match found.methods().find(|candidate| candidate.name() == method) {
            Some(descriptor) => Ok(Method { descriptor }),
            None => Err(unknown_method(&found, method).into()),
        }
    }
}

/// Only its path: descriptors print all that they lead to, without end if a message has itself inside.
impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Method").field(&self.path()).finish()
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

/// Service and method of `a.b.Service/Method` or `a.b.Service.Method`.
fn split(call: &str) -> Option<(&str, &str)> {
    let (service, method) = call.rsplit_once('/').or_else(|| call.rsplit_once('.'))?;
    (!service.is_empty() && !method.is_empty() && !service.contains('/') && !method.contains('.'))
        .then_some((service, method))
}

/// Methods called `name`, or nearly so, wherever they are.
fn with_method(pool: &DescriptorPool, name: &str) -> Vec<String> {
    const SHOWN: usize = 3;
    let all = || pool.services().flat_map(|service| service.methods().collect::<Vec<_>>());
    let mut wanted =
        near(name, all().map(|method| method.name().to_owned()).collect::<Vec<_>>().iter().map(String::as_str));
    wanted.insert(0, name.to_owned());
    wanted
        .iter()
        .flat_map(|name| all().filter(move |method| method.name() == name))
        .map(|method| format!("{}/{}", method.parent_service().full_name(), method.name()))
        .take(SHOWN)
        .collect()
}

fn unknown_service(pool: &DescriptorPool, service: &str) -> SchemaError {
    let known: Vec<String> = pool.services().map(|service| service.full_name().to_owned()).collect();
    // The package left out, or another one: the short name says what was meant.
    let short = |name: &str| name.rsplit('.').next().unwrap_or(name).to_lowercase();
    let mut likely: Vec<String> = known.iter().filter(|name| short(name) == short(service)).cloned().collect();
    if likely.is_empty() {
        likely = near(service, known.iter().map(String::as_str));
    }
    SchemaError::UnknownService { service: service.to_owned(), near: likely, known }
}

fn unknown_method(service: &ServiceDescriptor, method: &str) -> SchemaError {
    let known = methods(service);
    SchemaError::UnknownMethod {
        method: method.to_owned(),
        service: service.full_name().to_owned(),
        near: near(method, known.iter().map(String::as_str)),
        known,
    }
}

fn methods(service: &ServiceDescriptor) -> Vec<String> {
    service.methods().map(|method| method.name().to_owned()).collect()
}
