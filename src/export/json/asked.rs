//! What was asked for, as far as ghz's `options` have no place for it.

use std::time::Duration;

use serde::Serialize;

use crate::report::{AtDuration, Idle, Load, MaxFailures, Report, Schedule, Spacing, WarmupLimit};
use crate::units::Offset;

#[derive(Serialize)]
pub(super) struct LoadModel {
    model: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_flight_max: Option<u32>,
    arrivals: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    idle: &'static str,
    text: String,
}

impl LoadModel {
    pub(super) fn new(report: &Report) -> LoadModel {
        let setup = &report.setup;
        let (arrivals, seed) = match setup.load {
            Load::Closed { .. } => ("answers", None),
            Load::Open { spacing: Spacing::Constant, .. } => ("constant", None),
            Load::Open { spacing: Spacing::Poisson { seed }, .. } => ("poisson", Some(seed)),
        };
        LoadModel {
            model: if setup.is_open() { "open" } else { "closed" },
            rate: match setup.load.schedule() {
                Some(Schedule::Constant(rate)) => Some(rate.per_second()),
                _ => None,
            },
            in_flight_max: Some(setup.load.in_flight()).filter(|_| !setup.load.is_unlimited()),
            arrivals,
            seed: seed.or(setup.about.seed),
            idle: match setup.idle {
                Idle::Sleep => "sleep",
                Idle::Hybrid => "hybrid",
                Idle::Spin => "spin",
            },
            text: setup.load.to_string(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Limits {
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ns: Option<u64>,
    duration_stop: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    warmup_calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warmup_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failures_max: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failures_share_max: Option<f64>,
}

impl Limits {
    pub(super) fn new(report: &Report) -> Limits {
        let (setup, limits) = (&report.setup, report.setup.limits);
        let (warmup_calls, warmup_ns) = match limits.warmup() {
            None => (None, None),
            Some(WarmupLimit::Calls(calls)) => (Some(calls), None),
            Some(WarmupLimit::Time(time)) => (None, Some(nanos(time))),
        };
        let (failures_max, failures_share_max) = match setup.max_failures {
            None => (None, None),
            Some(MaxFailures::Calls(calls)) => (Some(calls), None),
            Some(MaxFailures::Share(share)) => (None, Some(share)),
        };
        Limits {
            calls: limits.calls(),
            duration_ns: limits.duration().map(nanos),
            duration_stop: match setup.at_duration {
                AtDuration::Abandon => "close",
                AtDuration::Drain => "wait",
                AtDuration::Ignore => "ignore",
            },
            warmup_calls,
            warmup_ns,
            failures_max,
            failures_share_max,
        }
    }
}

fn nanos(duration: Duration) -> u64 {
    Offset::from_duration(duration).as_nanos()
}
