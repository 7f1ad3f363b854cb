//! The command line as it was typed: one table of flags, without defaults, checks or I/O.
//!
//! What the words mean is decided in [`super::settle`]. Values stay text here, so that all mistakes in them can be told
//! together, and a flag that was left out stays apart from one that was given its default.

#![allow(
    clippy::doc_markdown,
    rustdoc::broken_intra_doc_links,
    reason = "these comments are the help, which is no markdown"
)]

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

/// The examples at the end of the help.
pub(super) const EXAMPLES: &str = "\
Examples:
  See it work, without a server of your own:
    grpcbench demo

  200 calls, 50 at a time, as fast as they are answered:
    grpcbench --proto greeter.proto --call helloworld.Greeter.SayHello \\
        -d '{\"name\":\"Ann\"}' localhost:50051

  A steady 100 calls a second for 30 seconds, whatever the server does:
    grpcbench --proto greeter.proto --call helloworld.Greeter.SayHello \\
        -r 100 -z 30s localhost:50051

  What a server that has reflection offers, and a message to start from:
    grpcbench describe localhost:50051
    grpcbench describe --template localhost:50051 helloworld.Greeter.SayHello

  A JSON report in a file:
    grpcbench --proto greeter.proto --call helloworld.Greeter.SayHello \\
        -O json -o run.json localhost:50051

  Two servers at five rates, 200 calls each, side by side:
    grpcbench sweep --proto greeter.proto --call helloworld.Greeter.SayHello \\
        --target old=localhost:50051 --target new=localhost:50052 \\
        -r 10,25,50,100,200 -n 200 --dir results

Exit codes:
  0  the run ended as planned and at least one call succeeded
  1  no call succeeded, an expectation did not hold, or the report could not be written
  2  a mistake in flags, schema, data or output; nothing was sent
  3  the target could not be reached, or refused the handshake
  4  the verdict on the run is not valid, and --strict was given
  101  a bug of grpcbench; the report of what is left is still printed
  130  interrupted; the report up to there is printed, if a call was due by then";

/// Load-tests a gRPC method and reports latencies that can be trusted
///
/// Without a rate the load is a closed loop: -c callers, each waiting for its answer. With -r it is an open loop: calls
/// are due at planned instants whatever the server does, and a call that starts late counts its wait.
///
/// HOST always has a port or a scheme, so it cannot be mistaken for one of the commands. Each switch, such as --insecure,
/// has an opposite, such as --no-insecure; the last one holds.
#[derive(Parser, Debug)]
#[command(
    name = "grpcbench",
    version,
    disable_version_flag = true,
    disable_help_subcommand = true,
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    override_usage = "grpcbench [FLAGS] HOST\n       grpcbench compare [FLAGS] FILE..\n       grpcbench demo [FLAGS]\n       grpcbench describe [FLAGS] [HOST] [NAME]\n       grpcbench report [FLAGS] FILE..\n       grpcbench serve [FLAGS] [ADDR]\n       grpcbench sweep [FLAGS] [HOST]",
    max_term_width = 100
)]
pub(super) struct Cli {
    /// What to do instead of a run.
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    /// The run.
    #[command(flatten)]
    pub(super) run: RunArgs,
    /// Print the version
    // ghz has it as -v, most programs as -V.
    #[arg(short = 'v', short_alias = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
    /// Write one of the texts that are made from these flags
    #[arg(long, value_name = "TEXT", hide = true)]
    pub(super) generate: Option<Generated>,
}

/// What `--generate` writes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum Generated {
    /// The man page
    Man,
    /// Completions for bash
    CompleteBash,
    /// Completions for zsh
    CompleteZsh,
    /// Completions for fish
    CompleteFish,
    /// The table of flags in the README
    FlagsMarkdown,
}

/// What can be done instead of a run.
#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Show runs side by side, and what can be said of their difference
    Compare(CompareArgs),
    /// Start a server, test it for two seconds, and show the report
    Demo(DemoArgs),
    /// Show services, methods and messages of a schema: of files, or of a server
    Describe(DescribeArgs),
    /// Write the report of a stored run again, in any format; several runs of one plan become one
    Report(ReportArgs),
    /// Offer helloworld.Greeter, with faults if asked for, until interrupted
    Serve(ServeArgs),
    /// Run several targets under several loads, and show them side by side
    ///
    /// Each target runs under each rate (-r) and each concurrency (-c), a cell for each of them; all other flags are those
    /// of a run, and hold for each cell. Each cell has a JSON report in --dir. The same command again goes on with the cells that are missing, and
    /// shows the tables when all are there.
    Sweep(Box<SweepArgs>),
}

/// The flags that say where the schema comes from.
#[derive(Args, Clone, Default, Debug)]
#[group(skip)]
pub(super) struct SchemaArgs {
    /// The .proto file that has the service; several with commas or by repeating the flag [default: --protoset]
    #[arg(long, value_name = "FILE", value_delimiter = ',', help_heading = "Method")]
    pub(super) proto: Vec<PathBuf>,
    /// Where imports are looked for, beside the folder of each .proto file and the working directory; several with
    /// commas or by repeating the flag
    #[arg(short, long, value_name = "DIR", value_delimiter = ',', help_heading = "Method")]
    pub(super) import_paths: Vec<PathBuf>,
    /// A descriptor set that has the service, made by protoc with its imports or by buf build; several with commas or by
    /// repeating the flag [default: the server is asked, by server reflection]
    #[arg(long, value_name = "FILE", value_delimiter = ',', help_heading = "Method")]
    pub(super) protoset: Vec<PathBuf>,
    /// Metadata for server reflection alone, as a JSON object of strings
    #[arg(long, value_name = "JSON", help_heading = "Method")]
    pub(super) reflect_metadata: Option<String>,
}

/// The flags of a run.
#[derive(Args, Clone, Default, Debug)]
#[group(skip)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct RunArgs {
    /// The server: host:port, http://host:port, https://host:port, dns:///host:port, [::1]:port, unix:/path or
    /// unix-abstract:name
    #[arg(value_name = "HOST")]
    pub(super) host: Option<String>,

    /// Where the schema comes from.
    #[command(flatten)]
    pub(super) schema: SchemaArgs,
    /// The method: package.Service.Method or package.Service/Method
    #[arg(long, value_name = "METHOD", help_heading = "Method")]
    pub(super) call: Option<String>,

    /// The message as JSON, an array for several in rotation; @ reads it from standard input, @FILE from a file;
    /// {{ }} in it are templates in Go's syntax [default: the empty message]
    #[arg(short, long, value_name = "JSON", allow_negative_numbers = true, help_heading = "Data")]
    pub(super) data: Option<String>,
    /// The message, array of messages, or lines with a message each (NDJSON) from a file; goes before -d
    #[arg(short = 'D', long, value_name = "FILE", help_heading = "Data")]
    pub(super) data_file: Option<PathBuf>,
    /// Read encoded messages from standard input: one, or several with the length of each in front; goes before -D
    #[arg(short, long, help_heading = "Data")]
    pub(super) binary: bool,
    /// Encoded messages from a file; goes before -b
    #[arg(short = 'B', long, value_name = "FILE", help_heading = "Data")]
    pub(super) binary_file: Option<PathBuf>,
    /// Whether encoded messages have their lengths in front (delimited), or there is one without (single) [default:
    /// found out]
    #[arg(long, value_name = "FORM", ignore_case = true, hide_possible_values = true, help_heading = "Data")]
    pub(super) binary_format: Option<BinaryFormat>,
    /// Pass over fields in the data that the schema does not have
    #[arg(long, help_heading = "Data")]
    pub(super) allow_unknown_fields: bool,
    /// Metadata sent with each call, as a JSON object of strings, an array of objects for calls in rotation; values of
    /// -bin keys in base64, several values of a key as an array; {{ }} are templates
    #[arg(short, long, value_name = "JSON", help_heading = "Data")]
    pub(super) metadata: Option<String>,
    /// Metadata from a JSON file; goes before -m
    #[arg(short = 'M', long, value_name = "FILE", help_heading = "Data")]
    pub(super) metadata_file: Option<PathBuf>,
    /// One more value of metadata, as 'key: value'; can be repeated
    #[arg(short = 'H', long, value_name = "TEXT", help_heading = "Data")]
    pub(super) header: Vec<String>,
    /// Allow variables in templates, but no functions other than Go's own
    #[arg(long, help_heading = "Data")]
    pub(super) disable_template_functions: bool,
    /// Send {{ }} in data and metadata as they are
    #[arg(long, help_heading = "Data")]
    pub(super) disable_template_data: bool,

    /// Compress messages by gzip, once before the run, and accept compressed answers
    #[arg(short, long, help_heading = "Data")]
    pub(super) enable_compression: bool,
    /// The longest message to send, compressed or not: 42, 4MB, 4MiB; a longer one is a mistake [default: no bound]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, help_heading = "Data")]
    pub(super) max_send_message_size: Option<String>,
    /// The longest message of an answer, as it comes and when it is unpacked; a longer one ends its call as
    /// ResourceExhausted [default: no bound]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, help_heading = "Data")]
    pub(super) max_recv_message_size: Option<String>,

    /// Client and bidirectional streaming: how many messages a call sends, beginning anew with the data when it is used up.
    /// Server streaming: the client ends the call after so many messages [default: 0, the messages of the data, and all
    /// of the answer]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "Streams")]
    pub(super) stream_call_count: Option<String>,
    /// The time between two messages of a call [default: 0]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, help_heading = "Streams")]
    pub(super) stream_interval: Option<String>,
    /// The client stops sending, and ends a server streaming call, this long after its start [default: 0, not at all]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, help_heading = "Streams")]
    pub(super) stream_call_duration: Option<String>,
    /// Client and bidirectional streaming: render the templates of the data anew for each message, and not for each call.
    /// With --stream-call-duration alone messages go on until then
    #[arg(long, help_heading = "Streams")]
    pub(super) stream_dynamic_messages: bool,
    /// Bidirectional streaming: the next message leaves when the reply to the last has come
    #[arg(long, help_heading = "Streams")]
    pub(super) stream_ping_pong: bool,

    /// How many calls to make; not used when -z is given [default: 200]
    #[arg(short = 'n', long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "Load")]
    pub(super) total: Option<String>,
    /// Closed loop: how many callers. Open loop (-r): the most calls in flight [default: 50]
    #[arg(short, long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "Load")]
    pub(super) concurrency: Option<String>,
    /// Open loop at this rate: calls a second (10, 0.5), or in a time (50/1s, 1000/m) [default: 0, no rate: closed
    /// loop]
    #[arg(
        short,
        long,
        visible_alias = "rate",
        value_name = "RATE",
        allow_negative_numbers = true,
        help_heading = "Load"
    )]
    pub(super) rps: Option<String>,
    /// Open loop: where calls lie under the rate: evenly (constant), or by chance (poisson), as callers who know nothing
    /// of each other come [default: constant]
    #[arg(long, value_name = "HOW", ignore_case = true, hide_possible_values = true, help_heading = "Load")]
    pub(super) arrivals: Option<ArrivalsArg>,
    /// The seed of all that is left to chance: the same one gives the same again [default: another in each run]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Load")]
    pub(super) seed: Option<String>,
    /// Open loop: as many calls in flight as it takes; -c is no limit then
    #[arg(long = "async", help_heading = "Load")]
    pub(super) is_async: bool,
    /// What a worker does until the next call is due: sleep (leaves with calls as late as the system wakes it, for the
    /// least CPU time), hybrid (sleeps, and watches the clock just before), or spin (never sleeps: exact, and a CPU for
    /// each worker) [default: hybrid]
    #[arg(long, value_name = "HOW", ignore_case = true, hide_possible_values = true, help_heading = "Load")]
    pub(super) idle: Option<IdleArg>,
    /// First make calls that are not counted: for a time (2s), or a number of them (500). -n and -z count from their end
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true, help_heading = "Load")]
    pub(super) warmup: Option<String>,
    /// Leave the first calls of -n, in the order of their start, out of all numbers
    #[arg(
        long = "skipFirst",
        alias = "skip-first",
        value_name = "COUNT",
        allow_negative_numbers = true,
        help_heading = "Load"
    )]
    pub(super) skip_first: Option<String>,
    /// Stop early when more calls than this fail: a number, or a share (5%) once 100 calls are done
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true, help_heading = "Load")]
    pub(super) max_failures: Option<String>,
    /// Run for this long instead of a number of calls (30s, 1m30s) [default: 0, no time]
    #[arg(short = 'z', long, value_name = "TIME", allow_negative_numbers = true, help_heading = "Load")]
    pub(super) duration: Option<String>,
    /// Run for at most this long; -n holds as well, whichever comes first [default: 0, no bound]
    #[arg(short = 'x', long, value_name = "TIME", allow_negative_numbers = true, help_heading = "Load")]
    pub(super) max_duration: Option<String>,
    /// Calls in flight when the time is over are cut off and counted as abandoned (close), waited for (wait), or cut off
    /// and not counted (ignore)
    /// [default: close]
    #[arg(long, value_name = "HOW", ignore_case = true, hide_possible_values = true, help_heading = "Load")]
    pub(super) duration_stop: Option<DurationStop>,
    /// Deadline of a call from its start, sent along and enforced here; 0 for none [default: 20s]
    #[arg(short, long, value_name = "TIME", allow_negative_numbers = true, help_heading = "Load")]
    pub(super) timeout: Option<String>,
    /// Threads that make calls, and no more than --connections of them [default: the CPUs of this machine]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "Load")]
    pub(super) cpus: Option<String>,

    /// Open loop whose rate changes: const, step (in steps), or line (evenly), from --load-start
    #[arg(long, value_name = "HOW", ignore_case = true, hide_possible_values = true, help_heading = "Changing load")]
    pub(super) load_schedule: Option<ScheduleArg>,
    /// The rate at the start of a step or line
    #[arg(long, value_name = "RATE", allow_negative_numbers = true, help_heading = "Changing load")]
    pub(super) load_start: Option<String>,
    /// How the rate changes in each step, or in each second of a line; below 0 it falls
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, help_heading = "Changing load")]
    pub(super) load_step: Option<String>,
    /// How long a step takes; a line takes its step in every second
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, help_heading = "Changing load")]
    pub(super) load_step_duration: Option<String>,
    /// The rate at which it stops changing [default: 0, none]
    #[arg(long, value_name = "RATE", allow_negative_numbers = true, help_heading = "Changing load")]
    pub(super) load_end: Option<String>,
    /// After this time it stops changing; with --load-end, whichever comes first [default: 0, never]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, help_heading = "Changing load")]
    pub(super) load_max_duration: Option<String>,
    /// Open loop of several ramps: each a time and the rate at its end, such as 10s:100,30s:500,10s:0. It starts with 0,
    /// and 0s:100 is a jump. The run ends with the last, unless -n or -z end it
    #[arg(long, value_name = "TIME:RATE,..", allow_negative_numbers = true, help_heading = "Changing load")]
    pub(super) stages: Option<String>,
    /// Closed loop whose number of callers changes: const, step, or line (one by one), from --concurrency-start. Who
    /// leaves ends the last call
    #[arg(long, value_name = "HOW", ignore_case = true, hide_possible_values = true, help_heading = "Changing load")]
    pub(super) concurrency_schedule: Option<ScheduleArg>,
    /// Callers at the start of a step or line [default: 1]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "Changing load")]
    pub(super) concurrency_start: Option<String>,
    /// Callers who join in each step, or in each second of a line; below 0 they leave [default: 1]
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true, help_heading = "Changing load")]
    pub(super) concurrency_step: Option<String>,
    /// How long a step takes; a line takes its step in every second
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, help_heading = "Changing load")]
    pub(super) concurrency_step_duration: Option<String>,
    /// The number of callers at which it stops changing [default: 0, none]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "Changing load")]
    pub(super) concurrency_end: Option<String>,
    /// After this time it stops changing; with --concurrency-end, whichever comes first [default: 0, never]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, help_heading = "Changing load")]
    pub(super) concurrency_max_duration: Option<String>,

    /// HTTP/2 connections; no more than -c [default: 1]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "Connection")]
    pub(super) connections: Option<String>,
    /// How connections are spread over the addresses of a name: all to the first that answers (pick_first), or one after
    /// the other (round_robin) [default: pick_first]
    #[arg(long, value_name = "HOW", ignore_case = true, hide_possible_values = true, help_heading = "Connection")]
    pub(super) lb_strategy: Option<LbStrategy>,
    /// Ask a server that has said nothing for this long, while calls are in flight, by a PING; the connection is lost if
    /// nothing comes for as long again. Many servers send away who asks more often than every 5 minutes [default: 0, not
    /// at all]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, help_heading = "Connection")]
    pub(super) keepalive: Option<String>,
    /// How much the server may send ahead: windows so wide that they never hold it back (wide), those that HTTP/2 starts
    /// with (default), or a size for each stream and for each connection, such as 1MiB [default: wide]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, help_heading = "Connection")]
    pub(super) http2_windows: Option<String>,
    /// How the server is reached.
    #[command(flatten)]
    pub(super) reach: ReachArgs,

    /// Report format: summary, csv, json (one line), pretty (JSON with indents), html, influx-summary, influx-details,
    /// prometheus, markdown, hdr or hlog [default: summary]
    #[arg(short = 'O', long, value_name = "NAME", help_heading = "Report")]
    pub(super) format: Option<String>,
    /// Write the report to a file, which is opened before the run and keeps its old content until then [default:
    /// standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Report")]
    pub(super) output: Option<PathBuf>,
    /// Show the answers of the first calls on standard error, at the end: metadata, messages as JSON, trailers, status
    /// [default: 0, none]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "Report")]
    pub(super) show_responses: Option<String>,
    /// Write a line of JSON for each call to a file, which is opened before the run
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(super) debug: Option<PathBuf>,
    /// Show metadata that goes by the name of a secret, such as authorization or x-api-key, in reports and responses
    /// [default: ***]
    #[arg(long, help_heading = "Report")]
    pub(super) show_secrets: bool,
    /// How the report is shown, and where else it goes.
    #[command(flatten)]
    pub(super) view: ViewArgs,
    /// How long the intervals of the time series in the JSON report are [default: 1s]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, help_heading = "Report")]
    pub(super) interval: Option<String>,
    /// Print a line about the run on standard error each time; 0 for nothing [default: on a terminal a view, which is gone
    /// at the end]
    #[arg(
        long,
        value_name = "TIME",
        overrides_with = "no_live",
        allow_negative_numbers = true,
        help_heading = "Report"
    )]
    pub(super) live: Option<String>,
    /// Show nothing while it runs
    #[arg(long, overrides_with = "live", help_heading = "Report")]
    pub(super) no_live: bool,
    /// Exit with 1 unless this holds, such as 'p99 < 20ms', 'failed <= 1%' or 'rate >= 99% of offered'; can be repeated
    #[arg(long, value_name = "METRIC <= BOUND", help_heading = "Report")]
    pub(super) expect: Vec<String>,
    /// Write what came of the expectations and the verdict to a file in JUnit's XML
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(super) junit: Option<PathBuf>,
    /// Exit with 4 unless the verdict on the run is valid
    #[arg(long, help_heading = "Report")]
    pub(super) strict: bool,
    /// Count failed calls in latencies too [default: OK calls only]
    #[arg(long, help_heading = "Report")]
    pub(super) count_errors: bool,
    /// A name for the run
    #[arg(long, value_name = "TEXT", help_heading = "Report")]
    pub(super) name: Option<String>,
    /// Labels for the run, as a JSON object of strings
    #[arg(long, value_name = "JSON", help_heading = "Report")]
    pub(super) tags: Option<String>,

    /// Take flags from a file in JSON, TOML or YAML: its keys are their long names, and host; a flag given here wins
    #[arg(long, value_name = "FILE", help_heading = "Config")]
    pub(super) config: Option<PathBuf>,
    /// Pass over keys of the config that are no flags, with a note [default: they are mistakes]
    #[arg(long, help_heading = "Config")]
    pub(super) config_lenient: bool,
}

/// What of a run its reports show, and where they go beside -o: the same for a run and for one that was stored.
#[derive(Args, Clone, Default, Debug)]
pub(super) struct ViewArgs {
    /// One more report, as FORMAT=FILE; can be repeated
    #[arg(long, value_name = "FORMAT=FILE", help_heading = "Report")]
    pub(super) out: Vec<String>,
    /// How many single calls are kept for the formats that list them: none, all (up to 1000000), or a number
    /// [default: all]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, help_heading = "Report")]
    pub(super) details: Option<String>,
    /// The percentiles of the report, such as 50,99,99.99 [default: 10,25,50,75,90,95,99,99.9]
    #[arg(long, value_name = "LIST", allow_negative_numbers = true, help_heading = "Report")]
    pub(super) percentiles: Option<String>,
    /// The histogram of the report: linear, in ten equal steps, or log, in steps of 1, 2, 5 and 10 [default: linear]
    #[arg(long, value_name = "HOW", ignore_case = true, hide_possible_values = true, help_heading = "Report")]
    pub(super) histogram: Option<HistogramArg>,
    /// The upper ends of the bars of the histogram, such as 1ms,2ms,5ms
    #[arg(long, value_name = "TIMES", allow_negative_numbers = true, help_heading = "Report")]
    pub(super) buckets: Option<String>,
}

/// Where the bars of the histogram end.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum HistogramArg {
    /// Equally far apart
    Linear,
    /// At round numbers, each about twice the last
    Log,
}

/// The flags of `report`.
#[derive(Args, Debug)]
pub(super) struct ReportArgs {
    /// JSON reports (-O json); several runs of one plan become one report, - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Report format: summary, csv, json (one line), pretty (JSON with indents), html, influx-summary, influx-details,
    /// prometheus, markdown, hdr or hlog [default: summary]
    #[arg(short = 'O', long, value_name = "NAME", help_heading = "Report")]
    pub(super) format: Option<String>,
    /// Write the report to a file [default: standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Report")]
    pub(super) output: Option<PathBuf>,
    /// Exit with 1 unless this holds, such as 'p99 < 20ms'; can be repeated
    #[arg(long, value_name = "METRIC <= BOUND", help_heading = "Report")]
    pub(super) expect: Vec<String>,
    /// Write what came of the expectations and the verdict to a file in JUnit's XML
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(super) junit: Option<PathBuf>,
    /// How the report is shown, and where else it goes.
    #[command(flatten)]
    pub(super) view: ViewArgs,
}

/// What happens to calls in flight when the planned time is over.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum DurationStop {
    /// They are cut off and counted as abandoned
    Close,
    /// They are waited for
    Wait,
    /// They are cut off and not counted
    Ignore,
}

/// Where calls lie under a rate.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum ArrivalsArg {
    /// Evenly
    Constant,
    /// By chance
    Poisson,
}

/// How a load changes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum ScheduleArg {
    /// Not at all
    Const,
    /// In steps
    Step,
    /// Evenly
    Line,
}

impl ScheduleArg {
    /// Whether it is a schedule by which something changes.
    pub(super) fn changes(schedule: Option<ScheduleArg>) -> bool {
        !matches!(schedule, None | Some(ScheduleArg::Const))
    }
}

/// What a worker does until the next call is due.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum IdleArg {
    /// It sleeps
    Sleep,
    /// It sleeps, and watches the clock at the end
    Hybrid,
    /// It watches the clock
    Spin,
}

/// How encoded messages are told apart.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum BinaryFormat {
    /// Each has its length in front
    Delimited,
    /// There is one
    Single,
}

/// How connections are spread over the addresses of a name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
#[value(rename_all = "snake_case")]
pub(super) enum LbStrategy {
    /// All go to the first that answers
    PickFirst,
    /// They go to one after the other
    RoundRobin,
}

/// The flags of `demo`.
#[derive(Args, Debug)]
pub(super) struct DemoArgs {
    /// Run for this long [default: 2s]
    #[arg(short = 'z', long, value_name = "TIME", allow_negative_numbers = true)]
    pub(super) duration: Option<String>,
    /// Closed loop: how many callers. Open loop (-r): the most calls in flight [default: 50]
    #[arg(short, long, value_name = "COUNT", allow_negative_numbers = true)]
    pub(super) concurrency: Option<String>,
    /// Open loop at this rate, in calls a second [default: 0, no rate: closed loop]
    #[arg(short, long, visible_alias = "rate", value_name = "RATE", allow_negative_numbers = true)]
    pub(super) rps: Option<String>,
    /// Report format: summary, csv, json (one line), pretty (JSON with indents), html, influx-summary, influx-details,
    /// prometheus, markdown, hdr or hlog [default: summary]
    #[arg(short = 'O', long, value_name = "NAME")]
    pub(super) format: Option<String>,
}

/// The flags of `compare`.
#[derive(Args, Debug)]
pub(super) struct CompareArgs {
    /// JSON reports of runs. Those with one --name are taken for one thing that was repeated
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// The runs on the one side: files, or names of runs among FILE.. [default: a side for each name]
    #[arg(long, value_name = "RUN,..", value_delimiter = ',', help_heading = "Runs")]
    pub(super) a: Vec<String>,
    /// The runs on the other side
    #[arg(long, value_name = "RUN,..", value_delimiter = ',', help_heading = "Runs")]
    pub(super) b: Vec<String>,
    /// What the others are held against, by its name [default: the first]
    #[arg(long, value_name = "NAME", help_heading = "Runs")]
    pub(super) baseline: Option<String>,
    /// Compare runs of unlike plans too
    #[arg(long, help_heading = "Runs")]
    pub(super) force: bool,
    /// What is compared, as in --expect; several with commas or by repeating the flag. The fewer, the smaller the
    /// differences that can be shown [default: p50,p90,p95,p99,p99.9,throughput]
    #[arg(long, value_name = "METRIC,..", value_delimiter = ',', help_heading = "Verdict")]
    pub(super) metric: Vec<String>,
    /// Exit with 1 if a metric is shown to be worse, or worse by at least so much (worse:5%)
    #[arg(long, value_name = "WHAT", help_heading = "Verdict")]
    pub(super) fail_on: Option<String>,
    /// Exit with 1 unless this holds for each run, such as 'p99 < 20ms'; can be repeated
    #[arg(long, value_name = "METRIC <= BOUND", help_heading = "Verdict")]
    pub(super) expect: Vec<String>,
    /// Write what came of the expectations and the verdict of each run to a file in JUnit's XML
    #[arg(long, value_name = "FILE", help_heading = "Verdict")]
    pub(super) junit: Option<PathBuf>,
    /// Format: text, markdown, csv, json or html [default: text]
    #[arg(short = 'O', long, value_name = "NAME", help_heading = "Report")]
    pub(super) format: Option<String>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Report")]
    pub(super) output: Option<PathBuf>,
}

/// How a server is reached: the same for its calls as for questions about its schema.
#[derive(Args, Clone, Default, Debug)]
#[group(skip)]
pub(super) struct ReachArgs {
    /// The longest a connection may take to come up, TLS included, and once more the answers of reflection
    /// [default: 10s]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, help_heading = "Connection")]
    pub(super) connect_timeout: Option<String>,
    /// Speak plaintext [default: TLS if the server has it, else plaintext with a note]
    #[arg(long, help_heading = "Connection")]
    pub(super) insecure: bool,
    /// Speak TLS and nothing else
    #[arg(long, help_heading = "Connection")]
    pub(super) tls: bool,
    /// Speak TLS, and trust the certificates in this PEM file instead of the system's
    #[arg(long, value_name = "FILE", help_heading = "Connection")]
    pub(super) cacert: Option<PathBuf>,
    /// Speak TLS, and verify neither the certificate of the server nor its name
    #[arg(long = "skipTLS", alias = "skip-tls", help_heading = "Connection")]
    pub(super) skip_tls: bool,
    /// Speak TLS, and show the server the client certificate in this PEM file; those between it and its authority follow
    /// it in the file
    #[arg(long, value_name = "FILE", help_heading = "Connection")]
    pub(super) cert: Option<PathBuf>,
    /// The private key of --cert, in PEM: PKCS#8, PKCS#1 or SEC1
    #[arg(long, value_name = "FILE", help_heading = "Connection")]
    pub(super) key: Option<PathBuf>,
    /// Speak TLS, and verify this name; the :authority of the calls, too [default: HOST]
    #[arg(long, value_name = "NAME", help_heading = "Connection")]
    pub(super) cname: Option<String>,
    /// The :authority of the calls, and the name that TLS verifies [default: HOST]
    #[arg(long, value_name = "NAME", help_heading = "Connection")]
    pub(super) authority: Option<String>,
}

/// The flags of `describe`.
#[derive(Args, Debug)]
pub(super) struct DescribeArgs {
    /// The server, if it is asked; written as for a run
    #[arg(value_name = "HOST")]
    pub(super) host: Option<String>,
    /// A service, method, message or enum with its package [default: all services are listed]
    #[arg(value_name = "NAME")]
    pub(super) name: Option<String>,
    /// Where the schema comes from.
    #[command(flatten)]
    pub(super) schema: SchemaArgs,
    /// Show a JSON text for -d that has all fields of the method's input, or of the message
    #[arg(long, help_heading = "Output")]
    pub(super) template: bool,
    /// Save what was loaded as a descriptor set, for --protoset
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) protoset_out: Option<PathBuf>,
    /// How the server is reached, if it is asked.
    #[command(flatten)]
    pub(super) reach: ReachArgs,
}

/// The flags of `sweep`.
#[derive(Args, Debug)]
#[group(skip)]
pub(super) struct SweepArgs {
    /// A server, under a name for the tables; can be repeated [default: HOST]
    #[arg(long, value_name = "NAME=HOST", help_heading = "Sweep")]
    pub(super) target: Vec<String>,
    /// The folder of the reports, which is made if it is not there
    #[arg(long, value_name = "DIR", help_heading = "Sweep")]
    pub(super) dir: Option<PathBuf>,
    /// How many times each cell is run; tables have the medians [default: 1]
    #[arg(long, value_name = "COUNT", help_heading = "Sweep")]
    pub(super) repeat: Option<String>,
    /// The time between two cells [default: 1s]
    #[arg(long, value_name = "TIME", help_heading = "Sweep")]
    pub(super) rest: Option<String>,
    /// What holds for each cell.
    #[command(flatten)]
    pub(super) run: RunArgs,
}

/// The flags of `serve`.
#[derive(Args, Debug)]
pub(super) struct ServeArgs {
    /// Where to listen; port 0 takes a free one [default: 127.0.0.1:50051]
    #[arg(value_name = "ADDR")]
    pub(super) address: Option<String>,
    /// How long each call takes: a time (5ms), or times with their shares (1ms:90%,20ms:9%,200ms:1%) [default: 0]
    #[arg(long, value_name = "TIMES", help_heading = "Faults")]
    pub(super) delay: Option<String>,
    /// A share of calls ends with this status (UNAVAILABLE:1%); can be repeated
    #[arg(long, value_name = "STATUS:SHARE", help_heading = "Faults")]
    pub(super) error: Vec<String>,
    /// No call is answered for a while, so long after the first call (1s@5s), and again and again if asked for (1s@5s/20s)
    #[arg(long, value_name = "TIME@TIME", help_heading = "Faults")]
    pub(super) stall: Option<String>,
    /// The start of the sequence of random choices, so that a run can be repeated [default: 0]
    #[arg(long, value_name = "NUMBER", help_heading = "Faults")]
    pub(super) seed: Option<String>,
    /// The most calls in flight on a connection, as told to clients [default: no bound]
    #[arg(long, value_name = "COUNT", help_heading = "Connection")]
    pub(super) max_concurrent_streams: Option<String>,
    /// Connections are sent away after this long [default: never]
    #[arg(long, value_name = "TIME", help_heading = "Connection")]
    pub(super) max_connection_age: Option<String>,
    /// Speak TLS with this certificate chain, in PEM [default: plaintext]
    #[arg(long, value_name = "FILE", requires = "tls_key", help_heading = "Connection")]
    pub(super) tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert", help_heading = "Connection")]
    pub(super) tls_key: Option<PathBuf>,
}
