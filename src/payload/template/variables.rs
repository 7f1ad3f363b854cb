//! What a template can ask of its call: the fields of the dot. They are ghz's variables, and `MessageNumber`.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use fastrand::Rng;
use gotmpl::Value;

use super::functions;
use super::{Call, Purpose, mixed};
use crate::schema::{Kind, Method};

/// A field of the dot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Variable {
    WorkerId,
    RequestNumber,
    MessageNumber,
    FullyQualifiedName,
    MethodName,
    ServiceName,
    InputName,
    OutputName,
    IsClientStreaming,
    IsServerStreaming,
    Timestamp,
    TimestampUnix,
    TimestampUnixMilli,
    TimestampUnixNano,
    Uuid,
}

impl Variable {
    /// All of them.
    pub(super) const ALL: [Variable; 15] = [
        Variable::WorkerId,
        Variable::RequestNumber,
        Variable::MessageNumber,
        Variable::FullyQualifiedName,
        Variable::MethodName,
        Variable::ServiceName,
        Variable::InputName,
        Variable::OutputName,
        Variable::IsClientStreaming,
        Variable::IsServerStreaming,
        Variable::Timestamp,
        Variable::TimestampUnix,
        Variable::TimestampUnixMilli,
        Variable::TimestampUnixNano,
        Variable::Uuid,
    ];

    /// Without the dot in front.
    pub(super) fn name(self) -> &'static str {
        match self {
            Variable::WorkerId => "WorkerID",
            Variable::RequestNumber => "RequestNumber",
            Variable::MessageNumber => "MessageNumber",
            Variable::FullyQualifiedName => "FullyQualifiedName",
            Variable::MethodName => "MethodName",
            Variable::ServiceName => "ServiceName",
            Variable::InputName => "InputName",
            Variable::OutputName => "OutputName",
            Variable::IsClientStreaming => "IsClientStreaming",
            Variable::IsServerStreaming => "IsServerStreaming",
            Variable::Timestamp => "Timestamp",
            Variable::TimestampUnix => "TimestampUnix",
            Variable::TimestampUnixMilli => "TimestampUnixMilli",
            Variable::TimestampUnixNano => "TimestampUnixNano",
            Variable::Uuid => "UUID",
        }
    }

    pub(super) fn named(name: &str) -> Option<Variable> {
        Variable::ALL.into_iter().find(|variable| variable.name() == name)
    }

    pub(super) fn reads_clock(self) -> bool {
        matches!(
            self,
            Variable::Timestamp | Variable::TimestampUnix | Variable::TimestampUnixMilli | Variable::TimestampUnixNano
        )
    }
}

/// What is the same for all calls of a run.
#[derive(Clone, Debug)]
pub(in crate::payload) struct RunFacts {
    pub(super) seed: u64,
    /// In front of worker names: the name of the run and a colon.
    prefix: String,
    full_name: Arc<str>,
    method: Arc<str>,
    service: Arc<str>,
    input: Arc<str>,
    output: Arc<str>,
    kind: Kind,
}

impl RunFacts {
    pub(super) fn new(method: &Method, run_name: Option<&str>, seed: u64) -> RunFacts {
        let short = |name: &str| Arc::from(name.rsplit('.').next().unwrap_or(name));
        RunFacts {
            seed,
            prefix: run_name.filter(|name| !name.is_empty()).map_or_else(String::new, |name| format!("{name}:")),
            full_name: method.full_name().into(),
            method: method.name().into(),
            service: short(method.service()),
            input: method.input().name().into(),
            output: method.output().name().into(),
            kind: method.kind(),
        }
    }

    /// The same in memory of its own.
    pub(super) fn unshared(&self) -> RunFacts {
        let copy = |text: &Arc<str>| Arc::from(&**text);
        RunFacts {
            full_name: copy(&self.full_name),
            method: copy(&self.method),
            service: copy(&self.service),
            input: copy(&self.input),
            output: copy(&self.output),
            ..self.clone()
        }
    }

    /// What `variable` is in a text of a call.
    pub(super) fn value(&self, variable: Variable, call: &Call, purpose: Purpose) -> Value {
        let since_1970 = || call.time().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let number = |value: u128| Value::Int(i64::try_from(value).unwrap_or(i64::MAX));
        match variable {
            Variable::WorkerId => Value::String(format!("{}g{}c{}", self.prefix, call.slot, call.connection).into()),
            Variable::RequestNumber => number(call.index.into()),
            Variable::MessageNumber => match purpose {
                Purpose::Data(place) => number(place.into()),
                Purpose::Metadata(_) | Purpose::Uuid(_) => number(0),
            },
            Variable::FullyQualifiedName => Value::String(Arc::clone(&self.full_name)),
            Variable::MethodName => Value::String(Arc::clone(&self.method)),
            Variable::ServiceName => Value::String(Arc::clone(&self.service)),
            Variable::InputName => Value::String(Arc::clone(&self.input)),
            Variable::OutputName => Value::String(Arc::clone(&self.output)),
            Variable::IsClientStreaming => Value::Bool(matches!(self.kind, Kind::ClientStreaming | Kind::Bidi)),
            Variable::IsServerStreaming => Value::Bool(matches!(self.kind, Kind::ServerStreaming | Kind::Bidi)),
            Variable::Timestamp => Value::String(functions::timestamp(call.time()).into()),
            Variable::TimestampUnix => number(since_1970().as_secs().into()),
            Variable::TimestampUnixMilli => number(since_1970().as_millis()),
            Variable::TimestampUnixNano => number(since_1970().as_nanos()),
            Variable::Uuid => {
                let mut random = Rng::with_seed(mixed(self.seed, call.index, Purpose::Uuid(call.message)));
                Value::String(functions::uuid(&mut random).into())
            }
        }
    }
}
