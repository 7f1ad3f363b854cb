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
    /// For how long during the run each of the CPUs was wanted and not had, on average, because the host of this virtual
    /// machine had given them to others.
    pub stolen_ns: Option<u64>,
    /// Load of the machine just before the run, over a minute: threads that ran or wanted to.
    pub load_before: Option<f64>,
}

impl Machine {
    /// What can be said of this machine and another one together: what both have alike, and of numbers the larger.
    #[must_use]
    pub fn with(&self, other: &Machine) -> Machine {
        let Machine {
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
        } = self;
        let alike = |one: &Option<String>, other: &Option<String>| one.clone().filter(|_| one == other);
        Machine {
            cpus: (*cpus).max(other.cpus),
            cpu_model: alike(cpu_model, &other.cpu_model),
            kernel: alike(kernel, &other.kernel),
            governor: alike(governor, &other.governor),
            turbo: turbo.filter(|_| *turbo == other.turbo),
            virtual_machine: virtual_machine.filter(|_| *virtual_machine == other.virtual_machine),
            cpus_quota: cpus_quota.filter(|_| *cpus_quota == other.cpus_quota),
            throttled_ns: (*throttled_ns).max(other.throttled_ns),
            stolen_ns: (*stolen_ns).max(other.stolen_ns),
            load_before: [*load_before, other.load_before].into_iter().flatten().reduce(f64::max),
        }
    }
}
