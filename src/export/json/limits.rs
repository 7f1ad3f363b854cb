//! Where the run was to end, in JSON.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::broken::Broken;
use super::quantity::Count;
use crate::report::{self, AtDuration, MaxFailures, Setup, WarmupLimit};
use crate::units::Offset;

#[derive(Serialize, Deserialize)]
pub(super) struct Limits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration_ns: Option<u64>,
    duration_stop: DurationStop,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    warmup_calls: Option<Count>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    warmup_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failures_max: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failures_share_max: Option<f64>,
}

/// ghz's words.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DurationStop {
    Close,
    Wait,
    Ignore,
}

impl Limits {
    pub(super) fn new(setup: &Setup) -> Limits {
        let limits = setup.limits;
        let (warmup_calls, warmup_ns) = match limits.warmup() {
            None => (None, None),
            Some(WarmupLimit::Calls(calls)) => (Some(Count(calls)), None),
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
                AtDuration::Abandon => DurationStop::Close,
                AtDuration::Drain => DurationStop::Wait,
                AtDuration::Ignore => DurationStop::Ignore,
            },
            warmup_calls,
            warmup_ns,
            failures_max,
            failures_share_max,
        }
    }

    pub(super) fn read(&self) -> Result<report::Limits, Broken> {
        let warmup = match (self.warmup_calls, self.warmup_ns) {
            (Some(calls), _) => Some(WarmupLimit::Calls(calls.0)),
            (None, Some(nanos)) => Some(WarmupLimit::Time(Duration::from_nanos(nanos))),
            (None, None) => None,
        };
        let limits = report::Limits::new(self.calls, self.duration_ns.map(Duration::from_nanos));
        let limits = limits.ok_or_else(|| Broken::new("limits", "there is one at least, and none is 0"))?;
        Ok(limits.after(warmup))
    }

    pub(super) fn at_duration(&self) -> AtDuration {
        match self.duration_stop {
            DurationStop::Close => AtDuration::Abandon,
            DurationStop::Wait => AtDuration::Drain,
            DurationStop::Ignore => AtDuration::Ignore,
        }
    }

    pub(super) fn max_failures(&self) -> Option<MaxFailures> {
        self.failures_max.map(MaxFailures::Calls).or(self.failures_share_max.map(MaxFailures::Share))
    }
}

fn nanos(duration: Duration) -> u64 {
    Offset::from_duration(duration).as_nanos()
}
