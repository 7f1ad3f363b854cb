//! The load of several equal runs that are made side by side: so many times the rate, or the callers, of one.

use std::fmt::Write as _;
use std::num::NonZeroU32;

use super::{Growth, LineRamp, Load, Population, PopulationChange, Ramp, Schedule, Stages, Steps};
use crate::units::{Change, Rate, UnitError};

impl Load {
    /// `runs` of this load at the same time. Calls by chance stay calls by chance, of one seed among theirs.
    ///
    /// Errors when that is more than one run could be asked for.
    pub fn times(&self, runs: NonZeroU32) -> Result<Load, UnitError> {
        Ok(match self {
            Load::Closed { concurrency } => Load::Closed { concurrency: callers(*concurrency, runs)? },
            Load::Open { schedule, spacing, in_flight } => Load::Open {
                schedule: scheduled(schedule, runs)?,
                spacing: *spacing,
                // No limit stays none.
                in_flight: in_flight.saturating_mul(runs),
            },
        })
    }
}

fn callers(population: Population, runs: NonZeroU32) -> Result<Population, UnitError> {
    Ok(match population {
        Population::Constant(callers) => Population::Constant(callers.saturating_mul(runs)),
        Population::Changing(growth) => {
            let PopulationChange { start, step, every, line, end, longest } = growth.change();
            let step = step.saturating_mul(i32::try_from(runs.get()).unwrap_or(i32::MAX));
            let many = |callers: u32| callers.saturating_mul(runs.get());
            let change = PopulationChange { start: many(start), step, every, line, end: end.map(many), longest };
            Population::Changing(Growth::new(change)?)
        }
    })
}

fn scheduled(schedule: &Schedule, runs: NonZeroU32) -> Result<Schedule, UnitError> {
    Ok(match schedule {
        Schedule::Constant(rate) => Schedule::Constant(many(*rate, runs)?),
        Schedule::Steps(steps) => Schedule::Steps(Steps::new(ramp(steps.ramp(), runs)?)?),
        Schedule::Line(line) => Schedule::Line(LineRamp::new(ramp(line.ramp(), runs)?)?),
        Schedule::Stages(stages) => Schedule::Stages(staged(stages, runs)?),
    })
}

fn many(rate: Rate, runs: NonZeroU32) -> Result<Rate, UnitError> {
    let (calls, per_ns) = rate.parts();
    Rate::new(calls.saturating_mul(runs.get().into()), per_ns)
}

fn ramp(ramp: Ramp, runs: NonZeroU32) -> Result<Ramp, UnitError> {
    let Ramp { start, step, every, end, longest } = ramp;
    let size = many(step.size(), runs)?;
    let step = if step.is_down() { Change::down(size) } else { Change::up(size) };
    Ok(Ramp { start: many(start, runs)?, step, every, end: end.map(|end| many(end, runs)).transpose()?, longest })
}

fn staged(stages: &Stages, runs: NonZeroU32) -> Result<Stages, UnitError> {
    let mut text = String::new();
    for stage in stages.text().split(',') {
        let (length, rate) = stage.split_once(':').unwrap_or((stage, "0"));
        let rate = match rate.trim() {
            "0" => "0".to_owned(),
            rate => {
                let rate = many(rate.parse()?, runs)?;
                let (calls, per_ns) = rate.parts();
                // As people write it, where that is the same rate.
                let short = rate.to_string().trim_end_matches("/s").to_owned();
                if short.parse() == Ok(rate) { short } else { format!("{calls}/{per_ns}ns") }
            }
        };
        let _ = write!(text, "{}{length}:{rate}", if text.is_empty() { "" } else { "," });
    }
    text.parse()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Spacing;
    use super::*;

    fn three(schedule: Schedule) -> String {
        let load = Load::Open { schedule, spacing: Spacing::Constant, in_flight: NonZeroU32::new(50).unwrap() };
        load.times(NonZeroU32::new(3).unwrap()).unwrap().to_string()
    }

    #[test]
    fn rates_and_callers_add_up() {
        let ramp = Ramp {
            start: "10".parse().unwrap(),
            step: "-1".parse().unwrap(),
            every: Duration::from_secs(1),
            end: Some("5".parse().unwrap()),
            longest: None,
        };
        for (schedule, text) in [
            (Schedule::Constant("1/3s".parse().unwrap()), "open loop, constant 1/s, at most 150 in flight"),
            (
                Schedule::Steps(Steps::new(ramp).unwrap()),
                "open loop, steps from 30/s by -3/s every 1s to 15/s after 5s, at most 150 in flight",
            ),
            (
                Schedule::Line(LineRamp::new(ramp).unwrap()),
                "open loop, line from 30/s by -3/s a second to 15/s after 5s, at most 150 in flight",
            ),
            (
                Schedule::Stages("10s:100,1s:0.5,5s:1/7s,2s:0".parse().unwrap()),
                "open loop, stages 10s:300,1s:1.5,5s:3/7000000000ns,2s:0, at most 150 in flight",
            ),
        ] {
            assert_eq!(three(schedule), text);
        }
        let growth = PopulationChange {
            start: 2,
            step: -1,
            every: Duration::from_secs(1),
            line: false,
            end: Some(1),
            longest: None,
        };
        let load = Load::Closed { concurrency: Population::Changing(Growth::new(growth).unwrap()) };
        let load = load.times(NonZeroU32::new(3).unwrap()).unwrap();
        assert_eq!(load.to_string(), "closed loop, from 6 to 3 callers, 3 fewer every 1s");
    }

    #[test]
    fn what_no_run_can_do_is_refused() {
        let load = Load::Open {
            schedule: Schedule::Constant("1000000000".parse().unwrap()),
            spacing: Spacing::Constant,
            in_flight: Load::UNLIMITED,
        };
        assert!(load.times(NonZeroU32::new(2).unwrap()).is_err());
        assert!(load.times(NonZeroU32::MIN).unwrap().is_unlimited());
    }
}
