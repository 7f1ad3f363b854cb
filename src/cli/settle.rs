//! What the words of the command line mean: [`RunArgs`] become a [`Plan`] and a place for its report.
//!
//! This stage may read files and standard input and open the output, and it finds every mistake that can be found
//! without the network. It collects them all, so that nobody has to mend them one by one. Only if nothing is wrong by
//! then, and no file says what the schema is, the server is asked for it.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use super::args::{DurationStop, IdleArg, LbStrategy, RunArgs};
use super::call_log::CallLogFile;
use super::claims::Claims;
use super::expect::Gate;
use super::input;
use super::live::Showing;
use super::load::{self, limits};
use super::output::Outputs;
use super::responses::RESPONSES_MAX;
use super::security;
use super::sending::{self, Given};
use super::source::source;
use super::tls;
use super::unused;
use super::values::{count, format, invalid, parsed, size, time};
use super::view;
use super::watching::Wanted;
use crate::error::{Problems, UsageError};
use crate::load::Load;
use crate::payload::Metadata;
use crate::plan::{About, AtDuration, Idle, Plan, Streams};
use crate::report::View;
use crate::schema::{Ask, Kind, Method, Schema, Source};
use crate::transport::{Balancing, Security, Target, Windows};

/// Defaults, as ghz has them.
const CONNECTIONS: u32 = 1;
const TIMEOUT: Duration = Duration::from_secs(20);

/// There are no more ports than this to connect from.
const CONNECTIONS_MAX: u32 = 65_535;
/// How many threads make calls at most.
const CPUS_MAX: u32 = 1_024;
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
    pub(super) output: Outputs,
    /// What the report shows.
    pub(super) view: View,
    /// What is to be seen while it goes on.
    pub(super) wanted: Wanted,
    /// What is expected of the run.
    pub(super) gate: Gate,
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
    notes.extend(target.as_ref().and_then(tls::note));
    let source = problems.keep(source(&args.schema, &mut notes));
    let mut method = problems.keep(method(args, source.as_ref(), &mut notes)).flatten();
    let seed = problems.keep(load::seed(args));
    let reading = sending::reading(args, seed.unwrap_or_default());
    let send_max = problems.keep(size("--max-send-message-size", args.max_send_message_size.as_deref())).flatten();
    let given = problems.keep(Given::new(args, send_max, &mut notes));
    let mut sent = given.as_ref().and_then(|given| match (&method, &source) {
        (Some(method), _) => problems.keep(given.read(method, &reading)),
        (None, source) => {
            // Mistakes in data count where there is a schema to come.
            let all = matches!(source, Some(Source::Reflection { .. }));
            problems.keep(given.check(&reading, all));
            None
        }
    });
    let streams = problems.keep(streams(args));
    let load = problems.keep(load::load(args, seed.unwrap_or_default(), &mut notes));
    let limits = problems.keep(limits(args, load.as_ref(), &mut notes));
    let max_failures = problems.keep(load::max_failures(args.max_failures.as_deref()));
    let interval = problems.keep(interval(args.interval.as_deref()));
    let deadline = problems.keep(time("--timeout", args.timeout.as_deref()));
    let connections = problems.keep(connections(args, load.as_ref()));
    let workers = problems.keep(count("--cpus", args.cpus.as_deref(), cpus(), 1..=CPUS_MAX));
    let tags = problems.keep(input::tags(args.tags.as_deref()));
    let format = problems.keep(format(args.format.as_deref()));
    let mut claims = Claims::of_run(args);
    let (main, others) = (args.output.as_deref(), &args.view.out);
    let output = format.and_then(|format| problems.keep(Outputs::open(format, main, others, &mut claims)));
    let view = problems.keep(view::view(&args.view));
    let details = problems.keep(view::details(args.view.details.as_deref()));
    let wanted = problems.keep(wanted(args, &mut claims));
    let gate = problems.keep(Gate::new(&args.expect, args.junit.as_deref(), args.strict, &mut claims));

    problems.into_result()?;
    // All mistakes that show without the network are told by now.
    let mut target = target;
    let mut security_found_out = false;
    if let (Some(target), Some(Source::Reflection { metadata: of_questions }), None) = (&mut target, &source, &method) {
        let private = !of_questions.is_empty() || given.as_ref().is_some_and(Given::has_metadata);
        let host = args.host.as_deref().unwrap_or_default();
        security_found_out = security::find_out(target, host, private, None)? == security::Found::Plaintext;
        let call = args.call.as_deref().unwrap_or_default();
        let found = reflected(target, of_questions, call, &mut notes)?;
        sent = given.as_ref().map(|given| given.read(&found, &reading)).transpose()?;
        method = Some(found);
    }
    notes.extend(sent.as_ref().and_then(|(calls, _)| sending::static_messages(args, calls)));
    if let (Some(method), Some(load)) = (&method, &load) {
        notes.extend(unused::notes(args, method.kind(), load));
    }
    let everything = (|| {
        let (target, (calls, metadata)) = (target?, sent?);
        let about = about(args, source.as_ref()?, &metadata, given?.into_text(), tags?, workers?, &target);
        let seed = seed.filter(|_| calls.is_rendered() || metadata.is_rendered());
        let about = About { security_found_out, seed, ..about };
        let plan = Plan {
            target,
            method: method?,
            calls,
            metadata,
            streams: streams?,
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
            details: if output.as_ref()?.lists_calls() { details? } else { 0 },
        };
        let (output, view, wanted, gate) = (output?, view?, wanted?, gate?);
        Some(Settled { plan, about, output, view, wanted, gate, strict: args.strict, notes })
    })();
    let settled = everything.expect("whatever is missing is among the problems");
    settled.plan.check()?;
    settled.gate.check(settled.plan.load.is_open(), settled.plan.method.kind() != Kind::Unary)?;
    Ok(settled)
}

/// The target that the flags of a connection describe; `None` if there is none.
pub(super) fn target(args: &RunArgs) -> Result<Option<Target>, Problems> {
    let mut problems = Problems::new();
    let host = args
        .host
        .as_deref()
        .ok_or(UsageError::Missing { what: "the target", example: "give it as host:port, such as localhost:50051" });
    let target = problems.keep(host).and_then(|host| {
        let target = problems.keep(Target::parse(host).map_err(|error| or_command(error, host)))?;
        problems.keep(security_of(args, host, target.security)).map(|security| Target { security, ..target })
    });
    let tls = problems.keep(tls::options(args));
    let connect_timeout = problems.keep(time("--connect-timeout", args.reach.connect_timeout.as_deref())).flatten();
    if connect_timeout == Some(Duration::ZERO) {
        problems.push(invalid("--connect-timeout", "0", "it is above 0"));
    }
    let authority = problems.keep(tls::authority(args)).flatten();
    let keepalive = problems.keep(time("--keepalive", args.keepalive.as_deref())).flatten();
    let windows = problems.keep(windows(args.http2_windows.as_deref()));
    let receive_max = problems.keep(size("--max-recv-message-size", args.max_recv_message_size.as_deref())).flatten();
    problems.into_result()?;
    Ok(target.map(|target| Target {
        tls: tls.unwrap_or_default(),
        authority: authority.or(target.authority),
        connect_timeout: connect_timeout.unwrap_or(target.connect_timeout),
        balancing: match args.lb_strategy {
            None | Some(LbStrategy::PickFirst) => Balancing::PickFirst,
            Some(LbStrategy::RoundRobin) => Balancing::RoundRobin,
        },
        keepalive: keepalive.filter(|time| !time.is_zero()),
        gzip: args.enable_compression,
        windows: windows.unwrap_or_default(),
        receive_max,
        ..target
    }))
}

fn windows(text: Option<&str>) -> Result<Windows, UsageError> {
    let Some(text) = text else { return Ok(Windows::default()) };
    parsed("--http2-windows", text)
}

/// A word that is no host may be meant as a command.
fn or_command(error: UsageError, word: &str) -> UsageError {
    let near = ["compare", "demo", "describe", "report", "serve", "sweep"]
        .into_iter()
        .find(|command| strsim::damerau_levenshtein(command, word) <= 2);
    match near.filter(|_| !word.contains(':')) {
        Some(near) => UsageError::NoSuchCommand { word: word.to_owned(), near },
        None => error,
    }
}

/// The scheme of the host and the flags have to agree. Whatever sets something of TLS asks for it.
fn security_of(args: &RunArgs, host: &str, of_scheme: Security) -> Result<Security, UsageError> {
    let flags = [
        ("--tls", args.reach.tls),
        ("--cacert", args.reach.cacert.is_some()),
        ("--skipTLS", args.reach.skip_tls),
        ("--cert", args.reach.cert.is_some()),
        ("--cname", args.reach.cname.is_some()),
    ];
    let scheme = |security| (of_scheme == security).then(|| format!("`{host}`"));
    let plaintext = args.reach.insecure.then(|| "--insecure".to_owned()).or_else(|| scheme(Security::Plaintext));
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

/// The method that `--call` names, in files; `None` if the server is to be asked for it.
fn method(args: &RunArgs, source: Option<&Source>, notes: &mut Vec<String>) -> Result<Option<Method>, Problems> {
    let mut problems = Problems::new();
    let call = problems.keep(args.call.as_deref().ok_or(UsageError::Missing {
        what: "--call",
        example: "name the method, such as --call helloworld.Greeter.SayHello",
    }));
    let schema = match source {
        Some(Source::Protos { files, roots }) => problems.keep(Schema::compile(files, roots)),
        Some(Source::Protosets(paths)) => problems.keep(Schema::protosets(paths)),
        Some(Source::Reflection { .. }) => {
            call.and_then(|call| problems.keep(Schema::check_call(call)));
            None
        }
        None => None,
    };
    let method = schema.zip(call).and_then(|(schema, call)| problems.keep(find(&schema, call, notes)));
    problems.into_result()?;
    Ok(method)
}

/// The method that the server knows by the name that `--call` has. The first thing here that needs the network.
fn reflected(
    target: &Target,
    metadata: &[(String, Vec<u8>)],
    call: &str,
    notes: &mut Vec<String>,
) -> Result<Method, Problems> {
    find(&Schema::reflect(target, metadata, Ask::Method(call))?, call, notes)
}

fn find(schema: &Schema, call: &str, notes: &mut Vec<String>) -> Result<Method, Problems> {
    notes.extend(schema.notes().iter().map(ToString::to_string));
    let method = schema.method(call)?;
    notes.extend(method.notes().iter().map(ToString::to_string));
    Ok(method)
}

fn streams(args: &RunArgs) -> Result<Streams, Problems> {
    let mut problems = Problems::new();
    let messages = args.stream_call_count.as_deref();
    let messages: Option<u32> = problems.keep(count("--stream-call-count", messages, 0, 0..=u32::MAX));
    let interval = problems.keep(time("--stream-interval", args.stream_interval.as_deref())).flatten();
    let duration = problems.keep(time("--stream-call-duration", args.stream_call_duration.as_deref())).flatten();
    problems.into_result()?;
    Ok(Streams {
        count: messages.filter(|messages| *messages > 0),
        interval: interval.unwrap_or_default(),
        duration: duration.filter(|duration| !duration.is_zero()),
        ping_pong: args.stream_ping_pong,
    })
}

fn wanted(args: &RunArgs, claims: &mut Claims) -> Result<Wanted, Problems> {
    let mut problems = Problems::new();
    let responses = count("--show-responses", args.show_responses.as_deref(), 0, 0..=RESPONSES_MAX);
    let responses = problems.keep(responses);
    let log = problems.keep(args.debug.as_deref().map(|path| CallLogFile::open(path, claims)).transpose());
    let showing = problems.keep(Showing::of(args));
    problems.into_result()?;
    let wanted =
        (|| Some(Wanted { responses: responses?, secrets: args.show_secrets, log: log?, showing: showing? }))();
    Ok(wanted.expect("no problems"))
}

fn connections(args: &RunArgs, load: Option<&Load>) -> Result<NonZeroU32, UsageError> {
    let connections: NonZeroU32 =
        count("--connections", args.connections.as_deref(), CONNECTIONS, 1..=CONNECTIONS_MAX)?;
    load.map_or(Ok(()), |load| load.uses(connections))?;
    Ok(connections)
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

fn about(
    args: &RunArgs,
    source: &Source,
    metadata: &Metadata,
    data: Option<String>,
    tags: Vec<(String, String)>,
    workers: NonZeroU32,
    target: &Target,
) -> About {
    let names = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    let (protos, import_paths, protosets) = match source {
        Source::Protos { files, roots } => (names(files), names(roots), Vec::new()),
        Source::Protosets(paths) => (Vec::new(), Vec::new(), names(paths)),
        Source::Reflection { .. } => (Vec::new(), Vec::new(), Vec::new()),
    };
    About {
        name: args.name.clone(),
        tags,
        host: args.host.clone().unwrap_or_default(),
        call: args.call.clone().unwrap_or_default(),
        protos,
        import_paths,
        protosets,
        plaintext: target.security == Security::Plaintext,
        security_found_out: false,
        cacert: args.reach.cacert.as_deref().map(|path| path.display().to_string()),
        cert: args.reach.cert.as_deref().map(|path| path.display().to_string()),
        key: args.reach.key.as_deref().map(|path| path.display().to_string()),
        cname: args.reach.cname.clone(),
        compressed: args.enable_compression,
        keepalive: target.keepalive,
        skip_tls: args.reach.skip_tls,
        binary: args.binary || args.binary_file.is_some(),
        seed: None,
        data: data.filter(|data| data.len() <= DATA_REPEATED_MAX),
        metadata: if args.show_secrets { metadata.unmasked() } else { metadata.masked() },
        skip_first: args.skip_first.is_some(),
        count_errors: args.count_errors,
        cpus: workers.get(),
        utc_offset_s: jiff::ZonedDateTime::now().offset().seconds(),
        unoptimised: cfg!(debug_assertions),
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::super::args::Cli;
    use super::*;
    use crate::export::Format;

    fn args(line: &str) -> RunArgs {
        Cli::try_parse_from(std::iter::once("grpcbench").chain(line.split_whitespace())).unwrap().run
    }

    /// Count, time, and how many notes.
    fn limits_of(line: &str) -> (Option<u64>, Option<u64>, usize) {
        let mut notes = Vec::new();
        let args = args(line);
        let load = load::load(&args, 0, &mut Vec::new()).unwrap();
        let limits = limits(&args, Some(&load), &mut notes).unwrap();
        (limits.calls(), limits.duration().map(|time| time.as_secs()), notes.len())
    }

    #[test]
    fn a_time_replaces_the_count_and_a_bound_does_not() {
        for (line, expected) in [
            ("-c 1", (Some(200), None, 0)),
            ("-n 5", (Some(5), None, 0)),
            ("-z 3s", (None, Some(3), 0)),
            ("-z 3s -n 5", (None, Some(3), 1)),
            ("-z 0 -n 5", (Some(5), None, 0)),
            ("-x 3s", (Some(200), Some(3), 0)),
            ("-x 3s -n 5", (Some(5), Some(3), 0)),
            ("-x 3s -z 8s", (None, Some(3), 0)),
            ("-x 8s -z 3s", (None, Some(3), 0)),
            ("-x 0 -z 3s", (None, Some(3), 0)),
        ] {
            assert_eq!(limits_of(line), expected, "{line}");
        }
    }

    #[test]
    fn a_rate_opens_the_loop() {
        let load = |line: &str| load::load(&args(line), 0, &mut Vec::new()).unwrap().to_string();
        assert_eq!(load("-n 1"), "closed loop, 50 callers");
        assert_eq!(load("-c 7"), "closed loop, 7 callers");
        assert_eq!(load("-r 10"), "open loop, constant 10/s, at most 50 in flight");
        assert_eq!(load("--rate=0.5 -c 2"), "open loop, constant 0.5/s, at most 2 in flight");
        for zero in ["0", "0.0", "00"] {
            assert_eq!(load(&format!("-r {zero}")), "closed loop, 50 callers");
        }
    }

    #[test]
    fn scheme_and_flags_agree_on_security() {
        use Security::{FindOut, Plaintext, Tls};
        for (flags, of_scheme, expected) in [
            ("-n 1", FindOut, Some(FindOut)),
            ("-n 1", Plaintext, Some(Plaintext)),
            ("-n 1", Tls, Some(Tls)),
            ("--insecure", FindOut, Some(Plaintext)),
            ("--insecure", Plaintext, Some(Plaintext)),
            ("--insecure", Tls, None),
            ("--tls", FindOut, Some(Tls)),
            ("--skipTLS", FindOut, Some(Tls)),
            ("--cacert ca.pem", FindOut, Some(Tls)),
            ("--cacert ca.pem", Plaintext, None),
            ("--tls --insecure", FindOut, None),
        ] {
            assert_eq!(security_of(&args(flags), "host:1", of_scheme).ok(), expected, "{flags} {of_scheme:?}");
        }
    }

    #[test]
    fn words_near_a_command() {
        let wrong = || UsageError::Missing { what: "the target", example: "" };
        assert!(matches!(or_command(wrong(), "sevre"), UsageError::NoSuchCommand { near: "serve", .. }));
        for host in ["localhost", "demo:x"] {
            assert!(matches!(or_command(wrong(), host), UsageError::Missing { .. }));
        }
    }

    #[test]
    fn every_flag_has_a_help_and_a_heading() {
        for flag in Cli::command().get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set()) {
            let name = flag.get_id();
            assert!(flag.get_help().is_some(), "{name}");
            assert!(flag.get_help_heading().is_some() || name == "version" || name == "help", "{name}");
        }
    }

    #[test]
    fn the_help_tells_the_defaults_that_hold() {
        let seconds = |time: Duration| format!("{}s", time.as_secs());
        for (flag, default) in [
            ("total", load::TOTAL.to_string()),
            ("concurrency", load::CONCURRENCY.to_string()),
            ("connections", CONNECTIONS.to_string()),
            ("timeout", seconds(TIMEOUT)),
            ("connect_timeout", seconds(Target::CONNECT_TIMEOUT)),
            ("format", Format::Summary.to_string()),
        ] {
            let command = Cli::command();
            let help =
                command.get_arguments().find(|arg| arg.get_id() == flag).unwrap().get_help().unwrap().to_string();
            assert!(help.ends_with(&format!("[default: {default}]")), "{flag}: {help}");
        }
        let command = Cli::command();
        let help =
            command.get_arguments().find(|arg| arg.get_id() == "format").unwrap().get_help().unwrap().to_string();
        for format in Format::ALL {
            assert!(help.contains(format.name()), "{format} in {help}");
        }
    }

    #[test]
    fn the_definition_of_the_command_line_holds() {
        Cli::command().debug_assert();
    }
}
