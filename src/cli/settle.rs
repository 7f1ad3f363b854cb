//! What the words of the command line mean: [`RunArgs`] become a [`Plan`] and a place for its report.
//!
//! This stage may read files and standard input and open the output, and it finds every mistake that can be found
//! without the network. It collects them all, so that nobody has to mend them one by one.

use std::fmt::Display;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::args::{DurationStop, IdleArg, RunArgs};
use super::input;
use super::load::{self, limits};
use super::output::Output;
use crate::error::{Problems, UsageError};
use crate::export::{Format, UnknownFormat};
use crate::load::Load;
use crate::payload::{CallSource, Metadata};
use crate::plan::{About, AtDuration, Idle, Plan};
use crate::schema::{Kind, Method, Schema};
use crate::transport::{Security, Target, TlsOptions};
use crate::units::parse_duration;

/// Defaults, as ghz has them.
const CONNECTIONS: u32 = 1;
const TIMEOUT: Duration = Duration::from_secs(20);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// There are no more ports than this to connect from.
const CONNECTIONS_MAX: u32 = 65_535;
/// How many threads make calls at most.
const CPUS_MAX: u32 = 1_024;
/// How many single calls a report lists at most: 32 MB in memory.
const DETAILS_MAX: usize = 1_000_000;
/// How long the intervals of the time series are, unless that is said.
const INTERVAL: Duration = Duration::from_secs(1);
/// Data beyond so many bytes is not repeated in the report.
const DATA_REPEATED_MAX: usize = 1 << 20;

/// A run that is ready to start.
#[derive(Debug)]
pub(super) struct Settled {
    /// What to do.
    pub(super) plan: Plan,
    /// What the report repeats.
    pub(super) about: About,
    /// Where the report goes.
    pub(super) output: Output,
    /// Whether the verdict on the run decides how the process ends.
    pub(super) strict: bool,
    /// What the user should know before it starts.
    pub(super) notes: Vec<String>,
}

/// Finds out what `args` mean, or all that is wrong with them.
pub(super) fn settle(args: &RunArgs) -> Result<Settled, Problems> {
    let mut problems = Problems::new();
    let mut notes = Vec::new();

    let target = problems.keep(target(args)).flatten();
    let method = problems.keep(method(args, &mut notes));
    let data = problems.keep(data(args));
    let calls = data.as_ref().zip(method.as_ref()).and_then(|(data, method)| {
        let (json, origin) = data.as_ref().map_or((None, "--data"), |data| (Some(data.text.as_str()), &*data.origin));
        problems.keep(CallSource::from_json(json, origin, method))
    });
    let metadata = match &args.metadata {
        None => Some(Metadata::default()),
        Some(json) => problems.keep(Metadata::from_json(json, "--metadata")),
    };
    let load = problems.keep(load::load(args, &mut notes));
    let limits = problems.keep(limits(args, load.as_ref(), &mut notes));
    let max_failures = problems.keep(load::max_failures(args.max_failures.as_deref()));
    let interval = problems.keep(interval(args.interval.as_deref()));
    let deadline = problems.keep(time("--timeout", args.timeout.as_deref()));
    let connections = problems.keep(connections(args, load.as_ref()));
    let workers = problems.keep(count("--cpus", args.cpus.as_deref(), cpus(), 1..=CPUS_MAX));
    let tags = problems.keep(input::tags(args.tags.as_deref()));
    let format = problems.keep(format(args.format.as_deref()));
    let output = format.map(|format| problems.keep(Output::open(format, args.output.as_deref())));

    problems.into_result()?;
    let everything = (|| {
        let (target, calls, metadata) = (target?, calls?, metadata?);
        let about = about(args, &metadata, data?.map(|data| data.text), tags?, workers?, &target);
        let plan = Plan {
            target,
            method: method?,
            calls,
            metadata,
            load: load?,
            limits: limits?,
            at_duration: match args.duration_stop.unwrap_or(DurationStop::Close) {
                DurationStop::Close => AtDuration::Abandon,
                DurationStop::Wait => AtDuration::Drain,
                DurationStop::Ignore => AtDuration::Ignore,
            },
            max_failures: max_failures?,
            interval: interval?,
            idle: match args.idle {
                Some(IdleArg::Sleep) => Idle::Sleep,
                None | Some(IdleArg::Hybrid) => Idle::Hybrid,
                Some(IdleArg::Spin) => Idle::Spin,
            },
            deadline: deadline?.map_or(Some(TIMEOUT), |deadline| Some(deadline).filter(|time| !time.is_zero())),
            connections: connections?,
            workers: workers?,
            details: if format?.lists_calls() { DETAILS_MAX } else { 0 },
        };
        Some(Settled { plan, about, output: output.flatten()?, strict: args.strict, notes })
    })();
    Ok(everything.expect("whatever is missing is among the problems"))
}

fn target(args: &RunArgs) -> Result<Option<Target>, Problems> {
    let mut problems = Problems::new();
    let host = args
        .host
        .as_deref()
        .ok_or(UsageError::Missing { what: "the target", example: "give it as host:port, such as localhost:50051" });
    let target = problems.keep(host).and_then(|host| {
        let target = problems.keep(Target::parse(host).map_err(|error| or_command(error, host)))?;
        problems.keep(security(args, host, target.security)).map(|security| Target { security, ..target })
    });
    let roots = args.cacert.as_deref().and_then(|path| problems.keep(TlsOptions::read_roots(path)));
    let connect_timeout = problems.keep(time("--connect-timeout", args.connect_timeout.as_deref())).flatten();
    if connect_timeout == Some(Duration::ZERO) {
        problems.push(invalid("--connect-timeout", "0", "it is above 0"));
    }
    let authority = args.authority.as_deref().and_then(|name| problems.keep(input::authority(name)));
    problems.into_result()?;
    Ok(target.map(|target| Target {
        tls: TlsOptions { roots, skip_verification: args.skip_tls },
        authority: authority.or(target.authority),
        connect_timeout: connect_timeout.unwrap_or(CONNECT_TIMEOUT),
        ..target
    }))
}

/// A word that is no host may be meant as a command.
fn or_command(error: UsageError, word: &str) -> UsageError {
    match ["demo", "serve"].into_iter().find(|command| strsim::damerau_levenshtein(command, word) <= 2) {
        Some(near) => UsageError::NoSuchCommand { word: word.to_owned(), near },
        None => error,
    }
}

/// The scheme of the host and the flags have to agree. Whatever sets something of TLS asks for it.
fn security(args: &RunArgs, host: &str, of_scheme: Security) -> Result<Security, UsageError> {
    let flags = [("--tls", args.tls), ("--cacert", args.cacert.is_some()), ("--skipTLS", args.skip_tls)];
    let scheme = |security| (of_scheme == security).then(|| format!("`{host}`"));
    let plaintext = args.insecure.then(|| "--insecure".to_owned()).or_else(|| scheme(Security::Plaintext));
    let flag = flags.into_iter().find(|(_, given)| *given);
    let tls = flag.map(|(flag, _)| flag.to_owned()).or_else(|| scheme(Security::Tls));
    match (plaintext, tls) {
        (Some(one), Some(other)) => {
            Err(UsageError::Conflict { one, other, because: "the one means plaintext, the other TLS" })
        }
        (Some(_), None) => Ok(Security::Plaintext),
        (None, Some(_)) => Ok(Security::Tls),
        (None, None) => Ok(Security::FindOut),
    }
}

fn method(args: &RunArgs, notes: &mut Vec<String>) -> Result<Method, Problems> {
    let mut problems = Problems::new();
    if args.proto.is_empty() {
        problems.push(UsageError::Missing {
            what: "--proto",
            example: "name the .proto file that has the service, such as --proto greeter.proto",
        });
    }
    let call = problems.keep(args.call.as_deref().ok_or(UsageError::Missing {
        what: "--call",
        example: "name the method, such as --call helloworld.Greeter.SayHello",
    }));
    let schema =
        if args.proto.is_empty() { None } else { problems.keep(Schema::compile(&args.proto, &args.import_paths)) };
    notes.extend(schema.iter().flat_map(Schema::notes).map(ToString::to_string));
    let method = schema.zip(call).and_then(|(schema, call)| problems.keep(schema.method(call)));
    if let Some(method) = &method
        && method.kind() != Kind::Unary
    {
        problems.push(UsageError::NotUnary { path: method.path(), kind: method.kind().to_string() });
    }
    problems.into_result()?;
    Ok(method.expect("whatever is missing is among the problems"))
}

fn data(args: &RunArgs) -> Result<Option<input::Text>, UsageError> {
    match (&args.data, &args.data_file) {
        (Some(data), _) => input::data(data).map(Some),
        (None, Some(path)) => input::file("--data-file", path).map(Some),
        (None, None) => Ok(None),
    }
}

fn connections(args: &RunArgs, load: Option<&Load>) -> Result<NonZeroU32, UsageError> {
    let connections: NonZeroU32 =
        count("--connections", args.connections.as_deref(), CONNECTIONS, 1..=CONNECTIONS_MAX)?;
    match load {
        Some(load) if connections.get() > load.in_flight() => {
            Err(UsageError::TooManyConnections { connections: connections.get(), in_flight: load.in_flight() })
        }
        _ => Ok(connections),
    }
}

fn interval(text: Option<&str>) -> Result<Duration, UsageError> {
    let interval = time("--interval", text)?.unwrap_or(INTERVAL);
    // Histograms are made and merged in each.
    if (Duration::from_millis(10)..=Duration::from_secs(3_600)).contains(&interval) {
        return Ok(interval);
    }
    Err(invalid("--interval", text.unwrap_or_default(), "it is from 10ms to 1h"))
}

fn cpus() -> u32 {
    let available =
        std::thread::available_parallelism().map_or(1, |cpus| u32::try_from(cpus.get()).unwrap_or(u32::MAX));
    available.min(CPUS_MAX)
}

fn format(name: Option<&str>) -> Result<Format, UsageError> {
    let Some(name) = name else { return Ok(Format::Summary) };
    name.to_ascii_lowercase().parse().map_err(|rule: UnknownFormat| invalid("--format", name, rule.to_string()))
}

fn about(
    args: &RunArgs,
    metadata: &Metadata,
    data: Option<String>,
    tags: Vec<(String, String)>,
    workers: NonZeroU32,
    target: &Target,
) -> About {
    let names = |paths: &[std::path::PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    About {
        name: args.name.clone(),
        tags,
        host: args.host.clone().unwrap_or_default(),
        call: args.call.clone().unwrap_or_default(),
        protos: names(&args.proto),
        import_paths: names(&args.import_paths),
        plaintext: target.security == Security::Plaintext,
        security_found_out: false,
        cacert: args.cacert.as_deref().map(|path| path.display().to_string()),
        skip_tls: args.skip_tls,
        data: data.filter(|data| data.len() <= DATA_REPEATED_MAX),
        metadata: metadata.masked(),
        skip_first: args.skip_first.is_some(),
        count_errors: args.count_errors,
        cpus: workers.get(),
        utc_offset_s: jiff::ZonedDateTime::now().offset().seconds(),
        unoptimised: cfg!(debug_assertions),
    }
}

/// A whole number in `range`.
pub(super) fn count<T, N>(
    what: &'static str,
    text: Option<&str>,
    default: N,
    range: RangeInclusive<N>,
) -> Result<T, UsageError>
where
    N: Copy + PartialOrd + Display + std::str::FromStr,
    T: TryFrom<N>,
{
    let rule = || {
        let (low, high) = (range.start(), range.end());
        format!("it is a whole number from {low} to {high}")
    };
    let number = match text {
        None => default,
        Some(text) => text.trim().parse().map_err(|_| invalid(what, text, rule()))?,
    };
    let within = Some(number).filter(|number| range.contains(number)).and_then(|number| T::try_from(number).ok());
    within.ok_or_else(|| invalid(what, &number.to_string(), rule()))
}

/// A duration, if one is given.
pub(super) fn time(what: &'static str, text: Option<&str>) -> Result<Option<Duration>, UsageError> {
    let Some(text) = text else { return Ok(None) };
    parse_duration(text).map(Some).map_err(|rule| match text.trim().parse::<f64>() {
        Ok(number) if number > 0.0 => UsageError::NoUnit { what, value: text.trim().to_owned() },
        _ => invalid(what, text, rule.to_string()),
    })
}

/// A value that breaks its rule.
pub(super) fn invalid(what: &'static str, value: &str, rule: impl Into<String>) -> UsageError {
    UsageError::Invalid { what, value: value.to_owned(), rule: rule.into() }
}
