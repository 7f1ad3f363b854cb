//! Flags that have no effect beside the others. Whoever gave one expects something that will not be, and is told.

use super::args::{DurationStop, RunArgs, ScheduleArg};
use crate::load::Load;
use crate::schema::Kind;

/// A note for each flag of `args` that a run of this kind and load does not use.
pub(super) fn notes(args: &RunArgs, kind: Kind, load: &Load) -> Vec<String> {
    let mut notes = Vec::new();
    let mut told = |unused: bool, because: &str, flags: &[(&str, bool)]| {
        let given = flags.iter().filter(|(_, given)| unused && *given);
        notes.extend(given.map(|(flag, _)| format!("{flag} is not used: {because}")));
    };
    told(
        !ScheduleArg::changes(args.load_schedule),
        "no --load-schedule says that the rate changes",
        &[
            ("--load-start", set(args.load_start.as_deref())),
            ("--load-step", set(args.load_step.as_deref())),
            ("--load-step-duration", set(args.load_step_duration.as_deref())),
            ("--load-end", set(args.load_end.as_deref())),
            ("--load-max-duration", set(args.load_max_duration.as_deref())),
        ],
    );
    told(
        !ScheduleArg::changes(args.concurrency_schedule),
        "no --concurrency-schedule says that the number of callers changes",
        &[
            ("--concurrency-start", set(args.concurrency_start.as_deref())),
            ("--concurrency-step", set(args.concurrency_step.as_deref())),
            ("--concurrency-step-duration", set(args.concurrency_step_duration.as_deref())),
            ("--concurrency-end", set(args.concurrency_end.as_deref())),
            ("--concurrency-max-duration", set(args.concurrency_max_duration.as_deref())),
        ],
    );
    let every_second = "a line takes its step in every second";
    let of_load = ("--load-step-duration", set(args.load_step_duration.as_deref()));
    told(args.load_schedule == Some(ScheduleArg::Line), every_second, &[of_load]);
    let of_callers = ("--concurrency-step-duration", set(args.concurrency_step_duration.as_deref()));
    told(args.concurrency_schedule == Some(ScheduleArg::Line), every_second, &[of_callers]);
    let without_rate = "without a rate, calls are made when callers are free";
    told(!load.is_open(), without_rate, &[("--arrivals", args.arrivals.is_some())]);
    let ends_by_time = [&args.duration, &args.max_duration, &args.stages].into_iter().any(|time| set(time.as_deref()));
    let no_time = "this run has no time at which it stops";
    told(
        !ends_by_time,
        no_time,
        &[("--duration-stop", args.duration_stop.is_some_and(|stop| stop != DurationStop::Close))],
    );
    told(
        kind == Kind::Unary,
        "the method is unary",
        &[
            ("--stream-interval", set(args.stream_interval.as_deref())),
            ("--stream-call-count", set(args.stream_call_count.as_deref())),
            ("--stream-call-duration", set(args.stream_call_duration.as_deref())),
        ],
    );
    told(
        kind == Kind::ServerStreaming,
        "the calls of this method send one message",
        &[("--stream-interval", set(args.stream_interval.as_deref()))],
    );
    told(
        args.binary_file.is_none() && !args.binary,
        "the data is not encoded",
        &[("--binary-format", args.binary_format.is_some())],
    );
    let concurrency = &[("-c", set(args.concurrency.as_deref()))];
    told(args.is_async, "--async sets no limit to the calls in flight", concurrency);
    told(
        ScheduleArg::changes(args.concurrency_schedule),
        "--concurrency-schedule says how many callers there are",
        concurrency,
    );
    told(args.reach.skip_tls, "--skipTLS takes any certificate", &[("--cacert", args.reach.cacert.is_some())]);
    notes
}

/// Whether a value is there that is more than nothing: ghz writes out its configs with a 0 for all that was not set.
fn set(value: Option<&str>) -> bool {
    value.is_some_and(|text| text.bytes().any(|byte| matches!(byte, b'1'..=b'9')))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::super::args::Cli;
    use super::super::load;
    use super::*;

    fn flags(line: &str, kind: Kind) -> Vec<String> {
        let args = Cli::try_parse_from(std::iter::once("grpcbench").chain(line.split_whitespace())).unwrap().run;
        let load = load::load(&args, 0, &mut Vec::new()).unwrap();
        let words = |note: String| note.split_once(' ').unwrap().0.to_owned();
        notes(&args, kind, &load).into_iter().map(words).collect()
    }

    #[test]
    fn what_has_no_effect_is_told() {
        let ramp = "--load-start 5 --load-step 5 --load-step-duration 2s";
        for (line, unused) in [
            ("-n 5 -r 5 --arrivals poisson", &[][..]),
            ("--arrivals poisson", &["--arrivals"]),
            (ramp, &["--load-start", "--load-step", "--load-step-duration"]),
            (&format!("--load-schedule step {ramp}"), &[]),
            (&format!("--load-schedule line {ramp}"), &["--load-step-duration"]),
            ("--load-schedule const --load-end 5", &["--load-end"]),
            ("--load-step 0 --load-end 0 --load-step-duration 0s", &[]),
            ("--concurrency-end 5 --concurrency-step 1", &["--concurrency-step", "--concurrency-end"]),
            ("--concurrency-schedule line --concurrency-end 5", &[]),
            ("--duration-stop wait", &["--duration-stop"]),
            ("--duration-stop wait -z 1s", &[]),
            ("--duration-stop close", &[]),
            ("--duration-stop wait --stages 1s:5", &[]),
            ("-b --binary-format single", &[]),
            ("-d {} --binary-format single", &["--binary-format"]),
            ("--async -r 5 -c 5", &["-c"]),
            ("--concurrency-schedule line --concurrency-end 5 -c 5", &["-c"]),
            ("--skipTLS --cacert ca.pem", &["--cacert"]),
            ("--stream-call-count 5 --stream-interval 0", &["--stream-call-count"]),
        ] {
            assert_eq!(flags(line, Kind::Unary), unused, "{line}");
        }
        let streams = "--stream-call-count 5 --stream-interval 1s";
        assert_eq!(flags(streams, Kind::ServerStreaming), ["--stream-interval"]);
        assert_eq!(flags(streams, Kind::Bidi), [""; 0]);
    }
}
