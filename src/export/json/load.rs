//! What decided that a call was made, in JSON: exactly, with rates as the fractions that they are (`10/1000000000ns`).

use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::broken::{Broken, at};
use crate::report::{
    Growth, Idle, LineRamp, Load, Population, PopulationChange, Ramp, Schedule, Setup, Spacing, Steps,
};
use crate::units::{Change, Offset, Rate};

#[derive(Serialize, Deserialize)]
pub(super) struct LoadModel {
    model: Model,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    rate: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    in_flight_max: Option<NonZeroU32>,
    arrivals: Arrivals,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    idle: IdleWord,
    #[serde(skip_deserializing)]
    text: String,
    /// The rate over time, of an open loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schedule: Option<Course>,
    /// The callers over time, of a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    callers: Option<Callers>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Model {
    Open,
    Closed,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Arrivals {
    /// Of callers, who wait for theirs.
    Answers,
    Constant,
    Poisson,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum IdleWord {
    Sleep,
    Hybrid,
    Spin,
}

/// A [`Schedule`].
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Course {
    Constant { rate: String },
    Steps(RampText),
    Line(RampText),
    Stages { stages: String },
}

/// A [`Ramp`].
#[derive(Clone, Serialize, Deserialize)]
struct RampText {
    start: String,
    step: String,
    every_ns: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    longest_ns: Option<u64>,
}

/// A [`Population`].
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Callers {
    Constant {
        callers: NonZeroU32,
    },
    Changing {
        start: u32,
        step: i32,
        every_ns: u64,
        line: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        end: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        longest_ns: Option<u64>,
    },
}

impl LoadModel {
    pub(super) fn new(setup: &Setup) -> LoadModel {
        let load = &setup.load;
        let (schedule, callers, arrivals, seed) = match load {
            Load::Closed { concurrency } => (None, Some(Callers::new(*concurrency)), Arrivals::Answers, None),
            Load::Open { schedule, spacing, in_flight: _ } => {
                let (arrivals, seed) = match *spacing {
                    Spacing::Constant => (Arrivals::Constant, None),
                    Spacing::Poisson { seed } => (Arrivals::Poisson, Some(seed)),
                };
                (Some(Course::new(schedule)), None, arrivals, seed)
            }
        };
        LoadModel {
            model: if load.is_open() { Model::Open } else { Model::Closed },
            rate: match load.schedule() {
                Some(Schedule::Constant(rate)) => Some(rate.per_second()),
                _ => None,
            },
            in_flight_max: NonZeroU32::new(load.in_flight()).filter(|_| !load.is_unlimited()),
            arrivals,
            seed: seed.or(setup.about.seed),
            idle: IdleWord::new(setup.idle),
            text: load.to_string(),
            schedule,
            callers,
        }
    }

    pub(super) fn read(&self) -> Result<Load, Broken> {
        let missing = |name| Broken::new("load", format!("`{name}` is missing"));
        match self.model {
            Model::Closed => {
                let callers = self.callers.ok_or_else(|| missing("callers"))?;
                Ok(Load::Closed { concurrency: callers.read()? })
            }
            Model::Open => Ok(Load::Open {
                schedule: self.schedule.as_ref().ok_or_else(|| missing("schedule"))?.read()?,
                spacing: match self.arrivals {
                    Arrivals::Poisson => Spacing::Poisson { seed: self.seed.ok_or_else(|| missing("seed"))? },
                    Arrivals::Answers | Arrivals::Constant => Spacing::Constant,
                },
                in_flight: self.in_flight_max.unwrap_or(Load::UNLIMITED),
            }),
        }
    }

    pub(super) fn idle(&self) -> Idle {
        match self.idle {
            IdleWord::Sleep => Idle::Sleep,
            IdleWord::Hybrid => Idle::Hybrid,
            IdleWord::Spin => Idle::Spin,
        }
    }
}

impl IdleWord {
    fn new(idle: Idle) -> IdleWord {
        match idle {
            Idle::Sleep => IdleWord::Sleep,
            Idle::Hybrid => IdleWord::Hybrid,
            Idle::Spin => IdleWord::Spin,
        }
    }
}

impl Course {
    fn new(schedule: &Schedule) -> Course {
        match schedule {
            Schedule::Constant(rate) => Course::Constant { rate: exact(*rate) },
            Schedule::Steps(steps) => Course::Steps(RampText::new(steps.ramp())),
            Schedule::Line(line) => Course::Line(RampText::new(line.ramp())),
            Schedule::Stages(stages) => Course::Stages { stages: stages.text().to_owned() },
        }
    }

    fn read(&self) -> Result<Schedule, Broken> {
        const PLACE: &str = "load.schedule";
        Ok(match self {
            Course::Constant { rate } => Schedule::Constant(rate.parse().map_err(at("load.schedule.rate"))?),
            Course::Steps(ramp) => Schedule::Steps(Steps::new(ramp.read()?).map_err(at(PLACE))?),
            Course::Line(ramp) => Schedule::Line(LineRamp::new(ramp.read()?).map_err(at(PLACE))?),
            Course::Stages { stages } => Schedule::Stages(stages.parse().map_err(at("load.schedule.stages"))?),
        })
    }
}

impl RampText {
    fn new(ramp: Ramp) -> RampText {
        let Ramp { start, step, every, end, longest } = ramp;
        RampText {
            start: exact(start),
            step: format!("{}{}", if step.is_down() { "-" } else { "" }, exact(step.size())),
            every_ns: nanos(every),
            end: end.map(exact),
            longest_ns: longest.map(nanos),
        }
    }

    fn read(&self) -> Result<Ramp, Broken> {
        Ok(Ramp {
            start: self.start.parse().map_err(at("load.schedule.start"))?,
            step: self.step.parse::<Change>().map_err(at("load.schedule.step"))?,
            every: Duration::from_nanos(self.every_ns),
            end: self.end.as_deref().map(str::parse).transpose().map_err(at("load.schedule.end"))?,
            longest: self.longest_ns.map(Duration::from_nanos),
        })
    }
}

impl Callers {
    fn new(population: Population) -> Callers {
        match population {
            Population::Constant(callers) => Callers::Constant { callers },
            Population::Changing(growth) => {
                let PopulationChange { start, step, every, line, end, longest } = growth.change();
                Callers::Changing { start, step, every_ns: nanos(every), line, end, longest_ns: longest.map(nanos) }
            }
        }
    }

    fn read(self) -> Result<Population, Broken> {
        Ok(match self {
            Callers::Constant { callers } => Population::Constant(callers),
            Callers::Changing { start, step, every_ns, line, end, longest_ns } => {
                let every = Duration::from_nanos(every_ns);
                let change =
                    PopulationChange { start, step, every, line, end, longest: longest_ns.map(Duration::from_nanos) };
                Population::Changing(Growth::new(change).map_err(at("load.callers"))?)
            }
        })
    }
}

/// A rate as text that is read back as the same fraction.
fn exact(rate: Rate) -> String {
    let (calls, per_ns) = rate.parts();
    format!("{calls}/{per_ns}ns")
}

fn nanos(duration: Duration) -> u64 {
    Offset::from_duration(duration).as_nanos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_come_back_exactly() {
        for text in ["10", "0.000000001", "1000/m", "3/7s", "1000000000", "999999999/1h", "1/500h"] {
            let rate: Rate = text.parse().unwrap();
            assert_eq!(exact(rate).parse(), Ok(rate), "{text}");
        }
    }
}
