//! Several runs of one plan as one: all that they recorded is added up, bucket for bucket.
//!
//! Runs that were made at the same time, by several processes or machines, are one run with so many times the load. Runs
//! that followed each other are one that lasted as long as all of them.

use std::num::NonZeroU32;
use std::time::{Duration, SystemTime};

use super::rates::next_due;
use super::{About, Load, Recording, Report, Setup, Spacing};
use crate::plan::MaxFailures;

/// The most runs: sums over so many fit.
const RUNS_MAX: usize = 1_000;

/// A run and the setup that made it.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// What was asked for.
    pub setup: Setup,
    /// What came of it.
    pub recording: Recording,
}

/// Something in which two runs are unlike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// What.
    pub what: &'static str,
    /// In the first run.
    pub first: String,
    /// In the other.
    pub other: String,
}

/// Why runs are not merged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unlike {
    /// A run is of another plan than the first.
    Plan {
        /// Its place among the runs, from 0.
        run: usize,
        /// All in which it differs.
        differences: Vec<Difference>,
    },
    /// The plan cannot be made so many times at once, or the numbers are too large together.
    TooLarge {
        /// Why.
        rule: String,
    },
}

impl Run {
    /// Its report.
    pub fn report(self) -> Report {
        Report::of(&self.recording, self.setup)
    }

    /// All `runs` as one run; `None` if there are none.
    ///
    /// Errors when one of them is of another plan than the first.
    pub fn merged(runs: Vec<Run>) -> Result<Option<Run>, Unlike> {
        let too_large = |rule: String| Unlike::TooLarge { rule };
        if runs.len() > RUNS_MAX {
            return Err(too_large(format!("{} runs are more than {RUNS_MAX}", runs.len())));
        }
        let Some(first) = runs.first() else { return Ok(None) };
        for (place, run) in runs.iter().enumerate() {
            let differences = differences(first, run);
            if !differences.is_empty() {
                return Err(Unlike::Plan { run: place, differences });
            }
        }
        let together = any_together(&runs);
        let mut rest = runs.into_iter();
        let Some(Run { mut setup, mut recording }) = rest.next() else { return Ok(None) };
        let (mut count, load) = (1u32, setup.load.clone());
        for run in rest {
            if together {
                recording.merge_beside(run.recording);
            } else {
                let from = next_due(&recording, &load);
                recording.merge_after(run.recording, from);
            }
            count += 1;
            setup.about.cpus = setup.about.cpus.saturating_add(run.setup.about.cpus);
            setup.about.unoptimised |= run.setup.about.unoptimised;
            setup.about.security_found_out |= run.setup.about.security_found_out;
        }
        let count = NonZeroU32::new(count).expect("there is a first");
        if together {
            setup.load = load.times(count).map_err(|rule| too_large(rule.to_string()))?;
            setup.connections = setup.connections.saturating_mul(count);
        }
        setup.limits = setup.limits.times(count);
        setup.max_failures = setup.max_failures.map(|most| match most {
            MaxFailures::Calls(calls) => MaxFailures::Calls(calls.saturating_mul(count.get().into())),
            MaxFailures::Share(share) => MaxFailures::Share(share),
        });
        match recording.contradiction() {
            Some(contradiction) => Err(too_large(contradiction)),
            None => Ok(Some(Run { setup, recording })),
        }
    }
}

/// Whether any two of them were made at the same time.
fn any_together(runs: &[Run]) -> bool {
    let mut times: Vec<(SystemTime, Duration)> = runs
        .iter()
        .map(|Run { recording, .. }| {
            (recording.started_at, (recording.measured_from + recording.elapsed.as_duration()).as_duration())
        })
        .collect();
    times.sort_unstable();
    times.windows(2).any(|pair| pair[1].0 < pair[0].0 + pair[0].1)
}

/// All in which `other` is not of the plan of `first`. Files may lie elsewhere on another machine, and what is left to
/// chance may be left to another one.
fn differences(first: &Run, other: &Run) -> Vec<Difference> {
    let facts = |run: &Run| {
        let Setup {
            about,
            load,
            limits,
            at_duration,
            max_failures,
            idle,
            deadline,
            connect_timeout: _,
            authority,
            connections,
            windows,
        } = &run.setup;
        let About {
            name: _,
            tags: _,
            host,
            call,
            protos: _,
            import_paths: _,
            protosets: _,
            cacert: _,
            cert: _,
            key: _,
            cname: _,
            compressed,
            keepalive,
            skip_tls: _,
            plaintext,
            security_found_out: _,
            binary,
            seed: _,
            data,
            metadata,
            skip_first: _,
            count_errors,
            cpus: _,
            utc_offset_s: _,
            unoptimised: _,
        } = about;
        [
            ("target", host.clone()),
            ("method", call.clone()),
            ("data", data.clone().unwrap_or_default()),
            ("metadata", format!("{metadata:?}")),
            ("encoded messages", binary.to_string()),
            ("compression", compressed.to_string()),
            ("plaintext", plaintext.to_string()),
            ("authority", authority.clone().unwrap_or_default()),
            ("load", unseeded(load).to_string()),
            ("limits", limits.to_string()),
            ("end of the duration", format!("{at_duration:?}")),
            ("most failures", format!("{max_failures:?}")),
            ("idle", format!("{idle:?}")),
            ("deadline", format!("{deadline:?}")),
            ("keepalive", format!("{keepalive:?}")),
            ("connections", connections.to_string()),
            ("windows", windows.to_string()),
            ("failed calls in latencies", count_errors.to_string()),
            ("interval", format!("{:?}", Duration::from_nanos(run.recording.interval_ns))),
            ("streaming", run.recording.calls.streams.is_some().to_string()),
        ]
    };
    let pairs = facts(first).into_iter().zip(facts(other));
    let mut found: Vec<Difference> = pairs
        .filter(|((_, first), (_, other))| first != other)
        .map(|((what, first), (_, other))| Difference { what, first, other })
        .collect();
    // Rates that differ by less than their text shows.
    let same_load = unseeded(&first.setup.load) == unseeded(&other.setup.load);
    if found.is_empty() && !same_load {
        let [first, other] = [first, other].map(|run| format!("{:?}", run.setup.load));
        found.push(Difference { what: "load", first, other });
    }
    found
}

/// The load with another seed for what is left to chance.
fn unseeded(load: &Load) -> Load {
    match load.clone() {
        Load::Open { schedule, spacing: Spacing::Poisson { .. }, in_flight } => {
            Load::Open { schedule, spacing: Spacing::Poisson { seed: 0 }, in_flight }
        }
        load => load,
    }
}
