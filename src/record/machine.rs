//! What is known of the machine that made the calls: what a reader needs to repeat the run, and to judge it.

/// The client's machine. What could not be read is absent.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Machine {
    /// CPUs that this process may use.
    pub cpus: u32,
    /// The name of the CPU.
    pub cpu_model: Option<String>,
    /// The kernel and its release.
    pub kernel: Option<String>,
    /// How the frequency of the CPU is chosen, as Linux calls it: `performance`, `powersave`, ...
    pub governor: Option<String>,
    /// Whether the CPU may run above its nominal frequency.
    pub turbo: Option<bool>,
    /// Whether it is a virtual machine.
    pub virtual_machine: Option<bool>,
    /// CPU time in each unit of time that the control group allows, if it sets a limit.
    pub cpus_quota: Option<f64>,
    /// How long the control group was held back during the run because it had used up its CPU time.
    pub throttled_ns: Option<u64>,
    /// Load of the machine just before the run, over a minute: threads that ran or wanted to.
    pub load_before: Option<f64>,
}
