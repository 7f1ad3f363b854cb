//! What the client cost and where it ran, in JSON. What the system does not tell is absent.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::broken::{Broken, bounded};
use crate::report::{self, Report, WorkerUse};

/// No run has more workers, nor have a thousand runs that are merged.
const WORKERS_MAX: usize = 1 << 20;

#[derive(Serialize, Deserialize)]
pub(super) struct Workers {
    pub(super) lost: u32,
    #[serde(skip_deserializing)]
    cpu_ns: u64,
    used: Vec<Worker>,
}

#[derive(Serialize, Deserialize)]
struct Worker {
    cpu_ns: u64,
    spin_ns: u64,
    wall_ns: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run_delay_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    preempted: Option<u64>,
}

impl Workers {
    pub(super) fn new(report: &Report) -> Workers {
        Workers {
            lost: report.workers_lost,
            cpu_ns: report.workers.iter().map(|used| used.cpu_ns).sum(),
            used: report.workers.iter().map(Worker::new).collect(),
        }
    }

    pub(super) fn read(&self) -> Result<Vec<WorkerUse>, Broken> {
        Ok(bounded("workers.used", &self.used, WORKERS_MAX)?.iter().map(Worker::read).collect())
    }
}

impl Worker {
    fn new(used: &WorkerUse) -> Worker {
        let WorkerUse { cpu_ns, wall_ns, spin_ns, run_delay_ns, preempted } = *used;
        Worker { cpu_ns, spin_ns, wall_ns, run_delay_ns, preempted }
    }

    fn read(&self) -> WorkerUse {
        let Worker { cpu_ns, spin_ns, wall_ns, run_delay_ns, preempted } = *self;
        WorkerUse { cpu_ns, wall_ns, spin_ns, run_delay_ns, preempted }
    }
}

#[derive(Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names of the keys")]
pub(super) struct Machine<'a> {
    cpus: u32,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    cpu_model: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    kernel: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    governor: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turbo: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    virtual_machine: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cpus_quota: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    throttled_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stolen_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    load_before: Option<f64>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(machine: &'a report::Machine) -> Machine<'a> {
        let report::Machine {
            cpus,
            cpu_model,
            kernel,
            governor,
            turbo,
            virtual_machine,
            cpus_quota,
            throttled_ns,
            stolen_ns,
            load_before,
        } = machine;
        Machine {
            cpus: *cpus,
            cpu_model: cpu_model.as_deref().map(Cow::Borrowed),
            kernel: kernel.as_deref().map(Cow::Borrowed),
            governor: governor.as_deref().map(Cow::Borrowed),
            turbo: *turbo,
            virtual_machine: *virtual_machine,
            cpus_quota: *cpus_quota,
            throttled_ns: *throttled_ns,
            stolen_ns: *stolen_ns,
            load_before: *load_before,
        }
    }

    pub(super) fn read(&self) -> report::Machine {
        let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
        report::Machine {
            cpus: self.cpus,
            cpu_model: owned(&self.cpu_model),
            kernel: owned(&self.kernel),
            governor: owned(&self.governor),
            turbo: self.turbo,
            virtual_machine: self.virtual_machine,
            cpus_quota: self.cpus_quota,
            throttled_ns: self.throttled_ns,
            stolen_ns: self.stolen_ns,
            load_before: self.load_before,
        }
    }
}
