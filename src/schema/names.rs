//! What people call a method, and which one they mean. Knows names only, so that it can be asked before anything is linked.

use prost_reflect::ServiceDescriptor;

use crate::error::SchemaError;

use super::near::near;

/// A service by its full name, with the names of its methods.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ServiceNames {
    pub(super) service: String,
    pub(super) methods: Vec<String>,
}

impl ServiceNames {
    /// Those of a service that is linked.
    pub(super) fn of(service: &ServiceDescriptor) -> ServiceNames {
        let methods = service.methods().map(|method| method.name().to_owned()).collect();
        ServiceNames { service: service.full_name().to_owned(), methods }
    }
}

/// The service and the method that `call` names among `services`.
pub(super) fn resolve<'a>(services: &'a [ServiceNames], call: &str) -> Result<(&'a str, &'a str), Box<SchemaError>> {
    let spelled = undotted(call);
    let find = |name: &str| services.iter().find(|known| known.service == name);
    if let Some(known) = find(spelled.trim_end_matches(['/', '.'])) {
        let (service, known) = (known.service.clone(), known.methods.clone());
        return Err(SchemaError::MethodLeftOut { service, known }.into());
    }
    let (service, method) = split(spelled)
        .ok_or_else(|| SchemaError::BadMethodName { call: call.to_owned(), near: with_method(services, spelled) })?;
    let Some(found) = find(service) else { return Err(unknown_service(services, service).into()) };
    match found.methods.iter().find(|known| *known == method) {
        Some(known) => Ok((&found.service, known)),
        None => Err(unknown_method(found, method).into()),
    }
}

/// The service that `call` names, where no service is known yet; an error if it is written like no method at all.
pub(super) fn service_of(call: &str) -> Result<&str, Box<SchemaError>> {
    let parts = split(undotted(call)).map(|(service, _)| service);
    parts.ok_or_else(|| SchemaError::BadMethodName { call: call.to_owned(), near: Vec::new() }.into())
}

/// Without the dot or slash that some put in front.
pub(super) fn undotted(name: &str) -> &str {
    name.strip_prefix(['/', '.']).unwrap_or(name)
}

/// Names that the short name of `wanted` says were meant, or else those that are spelled nearly so.
pub(super) fn likely<'a>(wanted: &str, known: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    const SHOWN: usize = 3;
    // The package left out, or another one.
    let short = |name: &str| name.rsplit('.').next().unwrap_or(name).to_lowercase();
    let same: Vec<String> =
        known.clone().filter(|name| *name != wanted && short(name) == short(wanted)).map(str::to_owned).collect();
    if same.is_empty() { near(wanted, known) } else { same.into_iter().take(SHOWN).collect() }
}

/// Service and method of `a.b.Service/Method` or `a.b.Service.Method`.
fn split(call: &str) -> Option<(&str, &str)> {
    let (service, method) = call.rsplit_once('/').or_else(|| call.rsplit_once('.'))?;
    (!service.is_empty() && !method.is_empty() && !service.contains('/') && !method.contains('.'))
        .then_some((service, method))
}

/// Methods called `name`, or nearly so, wherever they are.
fn with_method(services: &[ServiceNames], name: &str) -> Vec<String> {
    const SHOWN: usize = 3;
    let all = || {
        services.iter().flat_map(|known| known.methods.iter().map(|method| (known.service.as_str(), method.as_str())))
    };
    let mut wanted = near(name, all().map(|(_, method)| method));
    wanted.insert(0, name.to_owned());
    wanted
        .iter()
        .flat_map(|name| all().filter(move |(_, method)| method == name))
        .map(|(service, method)| format!("{service}/{method}"))
        .take(SHOWN)
        .collect()
}

fn unknown_service(services: &[ServiceNames], service: &str) -> SchemaError {
    let known: Vec<String> = services.iter().map(|known| known.service.clone()).collect();
    let near = likely(service, known.iter().map(String::as_str));
    SchemaError::UnknownService { service: service.to_owned(), near, known }
}

fn unknown_method(service: &ServiceNames, method: &str) -> SchemaError {
    SchemaError::UnknownMethod {
        method: method.to_owned(),
        service: service.service.clone(),
        near: near(method, service.methods.iter().map(String::as_str)),
        known: service.methods.clone(),
    }
}
