//! Whether runs can be compared: they have to do the same thing, or their figures mean different things.

use std::num::NonZeroU32;

use super::super::{Difference, Report, Setup};
use crate::load::{Load, Spacing};

/// Messages whose mean sizes differ by more than this part are different ones: templates make them a little longer or shorter.
const SIZE_TOLERANCE: f64 = 0.05;

/// All in which the plans of `runs` are unlike: the first run is held against each other one. A difference comes with the
/// name of the first run that has it.
pub fn differences<'a>(runs: impl IntoIterator<Item = (&'a str, &'a Report)>) -> Vec<(&'a str, Difference)> {
    let mut runs = runs.into_iter();
    let Some((_, first)) = runs.next() else { return Vec::new() };
    let mut found: Vec<(&str, Difference)> = Vec::new();
    for (name, other) in runs {
        for difference in unlike(first, other) {
            if !found.iter().any(|(_, known)| *known == difference) {
                found.push((name, difference));
            }
        }
    }
    found
}

fn unlike(one: &Report, other: &Report) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut note = |what, first: String, other: String| {
        if first != other {
            found.push(Difference { what, first, other });
        }
    };
    let (setup, others) = (&one.setup, &other.setup);
    note("call", setup.about.call.replace('/', "."), others.about.call.replace('/', "."));
    match (&setup.load, &others.load) {
        (Load::Closed { concurrency: one }, Load::Closed { concurrency: other }) => {
            note("concurrency", one.to_string(), other.to_string());
        }
        (
            Load::Open { schedule, spacing, in_flight },
            Load::Open { schedule: other_schedule, spacing: other_spacing, in_flight: other_in_flight },
        ) => {
            note("rate", schedule.to_string(), other_schedule.to_string());
            note("spacing of calls", spacing_of(*spacing), spacing_of(*other_spacing));
            note("limit of calls in flight", limit(*in_flight), limit(*other_in_flight));
        }
        (one, other) => note("load model", one.to_string(), other.to_string()),
    }
    note("choice of calls that times are of", counted(setup), counted(others));
    if let (Some(one), Some(other)) = (size(one), size(other))
        && (one - other).abs() > SIZE_TOLERANCE * one.max(other)
    {
        note("mean size of a message", format!("{one:.1} bytes"), format!("{other:.1} bytes"));
    }
    found
}

/// Without the seed: chance is to be another in each run.
fn spacing_of(spacing: Spacing) -> String {
    match spacing {
        Spacing::Constant => "even",
        Spacing::Poisson { .. } => "by chance",
    }
    .to_owned()
}

fn limit(in_flight: NonZeroU32) -> String {
    if in_flight == Load::UNLIMITED { "none".to_owned() } else { in_flight.to_string() }
}

fn counted(setup: &Setup) -> String {
    if setup.about.count_errors { "all that ended" } else { "those that ended OK" }.to_owned()
}

/// The mean size of the messages that were sent.
fn size(report: &Report) -> Option<f64> {
    let traffic = &report.traffic;
    (traffic.messages_sent > 0).then(|| traffic.message_bytes_sent as f64 / traffic.messages_sent as f64)
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{at_ten_a_second, closed, open, recording, sample};
    use super::*;

    fn run(change: impl Fn(&mut Report)) -> Report {
        let mut report = Report::of(&recording(false, &[sample(0, 0, 1_000_000)]), closed());
        report.setup.about.call = "helloworld.Greeter.SayHello".to_owned();
        change(&mut report);
        report
    }

    fn texts(runs: &[(&str, Report)]) -> Vec<String> {
        let found = differences(runs.iter().map(|(name, run)| (*name, run)));
        found
            .into_iter()
            .map(|(name, Difference { what, first, other })| format!("{name}: {what}: {first}, {other}"))
            .collect()
    }

    #[test]
    fn runs_of_one_plan_are_alike() {
        let longer = run(|run| {
            run.setup.about.call = "helloworld.Greeter/SayHello".to_owned();
            run.setup.about.host = "other:1".to_owned();
            run.traffic.messages_sent = 1_000;
            run.traffic.message_bytes_sent = 5_100;
        });
        assert_eq!(texts(&[("a", run(|_| ())), ("b", longer)]), [""; 0]);
        assert_eq!(texts(&[]), [""; 0]);
    }

    #[test]
    fn each_difference_is_told_once() {
        let other = |run: &mut Report| {
            run.setup.about.call = "helloworld.Greeter.Other".to_owned();
            run.setup.about.count_errors = true;
            run.setup.load = Load::Closed { concurrency: NonZeroU32::MIN.into() };
            run.traffic.message_bytes_sent = 500;
        };
        assert_eq!(
            texts(&[("a", run(|_| ())), ("b", run(other)), ("c", run(other))]),
            [
                "b: call: helloworld.Greeter.SayHello, helloworld.Greeter.Other",
                "b: concurrency: 50 callers, 1 caller",
                "b: choice of calls that times are of: those that ended OK, all that ended",
                "b: mean size of a message: 5.0 bytes, 500.0 bytes",
            ]
        );
    }

    #[test]
    fn loads_are_told_apart_by_what_makes_them() {
        let at = |rate: &str| Report::of(&at_ten_a_second(20, 1_000, 1_000_000, |_, _| ()), open(rate));
        assert_eq!(texts(&[("a", at("10")), ("b", at("20"))]), ["b: rate: constant 10/s, constant 20/s"]);
        let mut chance = at("10");
        chance.setup.load = Load::Open {
            schedule: chance.setup.load.schedule().unwrap().clone(),
            spacing: Spacing::Poisson { seed: 3 },
            in_flight: Load::UNLIMITED,
        };
        let mut again = chance.clone();
        if let Load::Open { spacing, .. } = &mut again.setup.load {
            *spacing = Spacing::Poisson { seed: 4 };
        }
        assert_eq!(texts(&[("a", chance.clone()), ("b", again)]), [""; 0], "the seed makes no difference");
        assert_eq!(
            texts(&[("a", at("10")), ("b", chance)]),
            ["b: spacing of calls: even, by chance", "b: limit of calls in flight: 50, none",]
        );
        assert_eq!(texts(&[("a", run(|_| ())), ("b", at("10"))]).len(), 2, "the model and the call");
    }
}
