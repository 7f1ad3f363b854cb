//! What was asked for, as far as a report repeats it.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::load::{Limits, Load};
use crate::plan::{About, AtDuration, Idle, MaxFailures, Plan, Windows};

/// The plan of a run as a report repeats it: plain values, without schema and messages.
#[derive(Clone, PartialEq, Debug)]
pub struct Setup {
    /// Names and texts as they were typed.
    pub about: About,
    /// What decided that a call is made.
    pub load: Load,
    /// Where the run was to end by itself.
    pub limits: Limits,
    /// What was to happen to calls in flight when the time was over.
    pub at_duration: AtDuration,
    /// How many calls could fail before the run stopped early.
    pub max_failures: Option<MaxFailures>,
    /// What workers did while no call was due.
    pub idle: Idle,
    /// The longest a call could take.
    pub deadline: Option<Duration>,
    /// The longest a connection could take to come up.
    pub connect_timeout: Duration,
    /// `:authority` of the calls, where it is not the address.
    pub authority: Option<String>,
    /// HTTP/2 connections.
    pub connections: NonZeroU32,
    /// How much the server could send ahead.
    pub windows: Windows,
}

impl Setup {
    /// What a report repeats of `plan` and `about`.
    pub fn new(plan: &Plan, about: &About) -> Setup {
        Setup {
            about: about.clone(),
            load: plan.load.clone(),
            limits: plan.limits,
            at_duration: plan.at_duration,
            max_failures: plan.max_failures,
            idle: plan.idle,
            deadline: plan.deadline,
            connect_timeout: plan.target.connect_timeout,
            authority: plan.target.authority.clone(),
            connections: plan.connections,
            windows: plan.target.windows,
        }
    }

    /// Whether calls were due at planned instants.
    pub fn is_open(&self) -> bool {
        self.load.is_open()
    }
}
