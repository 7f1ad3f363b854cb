//! What the flags say of the load: how calls come to be made, and until when.

use std::num::NonZeroU32;
use std::time::Duration;

use super::args::{ArrivalsArg, RunArgs, ScheduleArg};
use super::values::{count, invalid, parsed, rate, time};
use crate::error::{Problems, UsageError};
use crate::load::{
    Growth, Limits, LineRamp, Load, Population, PopulationChange, Ramp, Schedule, Spacing, Stages, Steps, Warmup,
};
use crate::plan::MaxFailures;
use crate::units::Rate;

/// Defaults, as ghz has them.
pub(super) const TOTAL: u64 = 200;
pub(super) const CONCURRENCY: u32 = 50;

/// How many calls are in flight at most: each has a place in memory from the start.
pub(super) const CONCURRENCY_MAX: u32 = 1_000_000;

const SECOND: Duration = Duration::from_secs(1);

/// The seed of all that is left to chance. One that is made up stays below 2^53, so that every reader of JSON reads it to
/// the last digit.
pub(super) fn seed(args: &RunArgs) -> Result<u64, UsageError> {
    count("--seed", args.seed.as_deref(), fastrand::u64(..1 << 53), 0..=u64::MAX)
}

/// A rate makes an open loop. A rate of 0 means none, as in ghz.
pub(super) fn load(args: &RunArgs, seed: u64, notes: &mut Vec<String>) -> Result<Load, Problems> {
    let mut problems = Problems::new();
    let concurrency: Option<NonZeroU32> =
        problems.keep(count("--concurrency", args.concurrency.as_deref(), CONCURRENCY, 1..=CONCURRENCY_MAX));
    let schedule = problems.keep(schedule(args, notes)).flatten();
    let population = problems.keep(population(args)).flatten();
    if let (Some(schedule), Some(population)) = (&schedule, &population) {
        problems.push(conflict(
            format!("a rate ({schedule})"),
            format!("a number of callers that changes ({population})"),
            "calls are due by their rate, or made by callers who wait for their answers",
        ));
    }
    if args.is_async && schedule.is_none() && problems.iter().next().is_none() {
        problems.push(UsageError::Missing {
            what: "a rate",
            example: "--async makes each call at its time, whatever is in flight; say when with -r, such as -r 100",
        });
    }
    problems.into_result()?;
    let concurrency = concurrency.expect("no problems");
    Ok(match schedule {
        None => Load::Closed { concurrency: population.unwrap_or(concurrency.into()) },
        Some(schedule) => Load::Open {
            schedule,
            spacing: match args.arrivals {
                None | Some(ArrivalsArg::Constant) => Spacing::Constant,
                Some(ArrivalsArg::Poisson) => Spacing::Poisson { seed },
            },
            in_flight: if args.is_async { Load::UNLIMITED } else { concurrency },
        },
    })
}

/// The rate and how it changes; `None` without one.
fn schedule(args: &RunArgs, notes: &mut Vec<String>) -> Result<Option<Schedule>, Problems> {
    let mut problems = Problems::new();
    let rate = problems.keep(rate("--rps", args.rps.as_deref())).flatten();
    let stages = args.stages.as_deref().and_then(|text| {
        problems.keep(text.parse::<Stages>().map_err(|rule| invalid("--stages", text, rule.to_string())))
    });
    let ramp = match args.load_schedule {
        None | Some(ScheduleArg::Const) => None,
        Some(shape) => problems.keep(ramp(args, shape)).map(|ramp| (shape, ramp)),
    };
    if args.stages.is_some() {
        for (flag, given) in [("--rps", rate.is_some()), ("--load-schedule", ramp.is_some())] {
            if given {
                let because = "each of them says what the rate is";
                problems.push(conflict("--stages".to_owned(), flag.to_owned(), because));
            }
        }
    }
    let ramp = ramp.and_then(|(shape, ramp)| problems.keep(ramped(shape, ramp)));
    problems.into_result()?;
    if ramp.is_some() && rate.is_some() {
        notes.push("-r is not used, because --load-schedule says what the rate is".to_owned());
    }
    Ok(stages.map(Schedule::Stages).or(ramp).or(rate.map(Schedule::Constant)))
}

fn ramped(shape: ScheduleArg, ramp: Ramp) -> Result<Schedule, UsageError> {
    let (name, schedule) = match shape {
        ScheduleArg::Line => ("line", LineRamp::new(ramp).map(Schedule::Line)),
        ScheduleArg::Const | ScheduleArg::Step => ("step", Steps::new(ramp).map(Schedule::Steps)),
    };
    schedule.map_err(|rule| invalid("--load-schedule", name, rule.to_string()))
}

fn ramp(args: &RunArgs, shape: ScheduleArg) -> Result<Ramp, Problems> {
    let mut problems = Problems::new();
    let missing = |what, example| UsageError::Missing { what, example };
    let start = args
        .load_start
        .as_deref()
        .ok_or(missing("--load-start", "a load that changes starts with some rate, such as --load-start 50"));
    let start = problems.keep(start).and_then(|text| problems.keep(parsed::<Rate>("--load-start", text)));
    let step = args
        .load_step
        .as_deref()
        .ok_or(missing("--load-step", "say by how much the rate changes, such as --load-step 10 or --load-step -10"));
    let step = problems.keep(step).and_then(|text| problems.keep(parsed("--load-step", text)));
    let end = problems.keep(rate("--load-end", args.load_end.as_deref())).flatten();
    let longest = problems.keep(some_time("--load-max-duration", args.load_max_duration.as_deref())).flatten();
    let example = "say how long a step takes, such as --load-step-duration 5s";
    let every = step_duration(shape, "--load-step-duration", args.load_step_duration.as_deref(), example);
    let every = problems.keep(every);
    problems.into_result()?;
    let all = (|| Some(Ramp { start: start?, step: step?, every: every?, end, longest }))();
    Ok(all.expect("whatever is missing is among the problems"))
}

/// A number of callers that changes; `None` if it does not.
fn population(args: &RunArgs) -> Result<Option<Population>, Problems> {
    let shape = match args.concurrency_schedule {
        None | Some(ScheduleArg::Const) => return Ok(None),
        Some(shape) => shape,
    };
    let mut problems = Problems::new();
    let start = count("--concurrency-start", args.concurrency_start.as_deref(), 1u32, 1..=CONCURRENCY_MAX);
    let start = problems.keep(start);
    let most = i32::try_from(CONCURRENCY_MAX).unwrap_or(i32::MAX);
    let step = problems.keep(count("--concurrency-step", args.concurrency_step.as_deref(), 1i32, -most..=most));
    let end = count("--concurrency-end", args.concurrency_end.as_deref(), 0u32, 0..=CONCURRENCY_MAX);
    let end = problems.keep(end.map(|end: u32| Some(end).filter(|end| *end > 0))).flatten();
    let longest = some_time("--concurrency-max-duration", args.concurrency_max_duration.as_deref());
    let longest = problems.keep(longest).flatten();
    let example = "say how long a step takes, such as --concurrency-step-duration 5s";
    let every = step_duration(shape, "--concurrency-step-duration", args.concurrency_step_duration.as_deref(), example);
    let every = problems.keep(every);
    problems.into_result()?;
    let line = shape == ScheduleArg::Line;
    let change = (|| Some(PopulationChange { start: start?, step: step?, every: every?, line, end, longest }))();
    let growth = Growth::new(change.expect("whatever is missing is among the problems"));
    let name = if line { "line" } else { "step" };
    Ok(Some(Population::Changing(growth.map_err(|rule| invalid("--concurrency-schedule", name, rule.to_string()))?)))
}

/// How long a step takes. Of a line it is a second.
fn step_duration(
    shape: ScheduleArg,
    what: &'static str,
    text: Option<&str>,
    example: &'static str,
) -> Result<Duration, UsageError> {
    match some_time(what, text)? {
        _ if shape == ScheduleArg::Line => Ok(SECOND),
        Some(every) => Ok(every),
        None => Err(UsageError::Missing { what, example }),
    }
}

/// `-z` is a time and no count; `-x` bounds the time and leaves the count; of two times the smaller one holds.
pub(super) fn limits(args: &RunArgs, load: Option<&Load>, notes: &mut Vec<String>) -> Result<Limits, Problems> {
    let mut problems = Problems::new();
    let total = problems.keep(args.total.as_deref().map(total).transpose()).flatten();
    let duration = problems.keep(some_time("--duration", args.duration.as_deref())).flatten();
    let max_duration = problems.keep(some_time("--max-duration", args.max_duration.as_deref())).flatten();
    let warmup = problems.keep(warmup(args.warmup.as_deref())).flatten();
    let skipped = problems.keep(count("--skipFirst", args.skip_first.as_deref(), 0u64, 0..=u64::MAX)).unwrap_or(0u64);
    if warmup.is_some() && skipped > 0 {
        let because = "each of them says which calls are not counted";
        problems.push(conflict("--warmup".to_owned(), "--skipFirst".to_owned(), because));
    }

    // Stages have a length of their own.
    let staged = match load.and_then(Load::schedule) {
        Some(Schedule::Stages(stages)) => Some(stages.length()),
        _ => None,
    };
    if duration.is_some() && total.is_some() {
        notes.push("-n is not used, because -z says how long to run; with -x in its place both hold".to_owned());
    }
    let mut calls = match (duration, staged) {
        (None, None) => Some(total.unwrap_or(TOTAL)),
        (None, Some(_)) => total,
        (Some(_), _) => None,
    };
    if skipped > 0
        && let Some(calls) = &mut calls
    {
        match calls.checked_sub(skipped).filter(|left| *left > 0) {
            Some(left) => *calls = left,
            None => problems.push(invalid(
                "--skipFirst",
                &skipped.to_string(),
                format!("of {calls} calls it leaves none to be counted"),
            )),
        }
    }
    problems.into_result()?;
    let shortest = [duration, max_duration, staged].into_iter().flatten().min();
    let limits = Limits::new(calls, shortest).expect("there is a count or a time, and none is 0");
    Ok(limits.after(warmup.or(Some(skipped).filter(|calls| *calls > 0).map(Warmup::Calls))))
}

fn total(text: &str) -> Result<u64, UsageError> {
    match text.trim().parse() {
        Ok(0) => Err(UsageError::NoCalls),
        Ok(total) => Ok(total),
        Err(_) => Err(invalid("--total", text, "it is a whole number above 0")),
    }
}

/// A number is one of calls; with a unit it is a time.
fn warmup(text: Option<&str>) -> Result<Option<Warmup>, UsageError> {
    let Some(text) = text else { return Ok(None) };
    if let Ok(calls) = text.trim().parse::<u64>() {
        return Ok(Some(calls).filter(|calls| *calls > 0).map(Warmup::Calls));
    }
    match some_time("--warmup", Some(text)) {
        Ok(time) => Ok(time.map(Warmup::Time)),
        Err(_) => Err(invalid("--warmup", text, "it is a time, such as 2s, or a number of calls, such as 500")),
    }
}

/// A number of calls, or a share of those done.
pub(super) fn max_failures(text: Option<&str>) -> Result<Option<MaxFailures>, UsageError> {
    let Some(text) = text else { return Ok(None) };
    let max = match text.trim().strip_suffix('%') {
        None => text.trim().parse().ok().map(MaxFailures::Calls),
        Some(percent) => {
            let percent = percent.trim_end().parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent));
            percent.map(|percent| MaxFailures::Share(percent / 100.0))
        }
    };
    let rule = "it is a number of calls, such as 10, or a share of those done, such as 5%";
    max.map(Some).ok_or_else(|| invalid("--max-failures", text, rule))
}

/// A time, where 0 means none.
fn some_time(what: &'static str, text: Option<&str>) -> Result<Option<Duration>, UsageError> {
    Ok(time(what, text)?.filter(|time| !time.is_zero()))
}

fn conflict(one: String, other: String, because: &'static str) -> UsageError {
    UsageError::Conflict { one, other, because }
}
