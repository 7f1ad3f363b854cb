//! What the client cost and where it ran, in JSON. What the system does not tell is absent.

use serde::Serialize;

use crate::report::{self, Report, WorkerUse};

#[derive(Serialize)]
pub(super) struct Workers {
    lost: u32,
    cpu_ns: u64,
    used: Vec<Worker>,
}

#[derive(Serialize)]
struct Worker {
    cpu_ns: u64,
    spin_ns: u64,
    wall_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_delay_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
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
}

impl Worker {
    fn new(used: &WorkerUse) -> Worker {
        let WorkerUse { cpu_ns, wall_ns, spin_ns, run_delay_ns, preempted } = *used;
        Worker { cpu_ns, spin_ns, wall_ns, run_delay_ns, preempted }
    }
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names of the keys")]
pub(super) struct Machine<'a> {
    cpus: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    governor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turbo: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    virtual_machine: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpus_quota: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    throttled_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    load_before: Option<f64>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(machine: &'a report::Machine) -> Machine<'a> {
        Machine {
            cpus: machine.cpus,
            cpu_model: machine.cpu_model.as_deref(),
            kernel: machine.kernel.as_deref(),
            governor: machine.governor.as_deref(),
            turbo: machine.turbo,
            virtual_machine: machine.virtual_machine,
            cpus_quota: machine.cpus_quota,
            throttled_ns: machine.throttled_ns,
            load_before: machine.load_before,
        }
    }
}
