//! The machine that makes the calls, as far as Linux tells. What cannot be read is left out, and nothing here fails.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::record::Machine;

/// Looks at the machine before the run, and at what it held back after it.
#[derive(Debug)]
pub(super) struct Observer {
    machine: Machine,
    throttled: Option<Duration>,
    stolen: Option<Duration>,
}

impl Observer {
    pub(super) fn before() -> Observer {
        let cpu = "/sys/devices/system/cpu";
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let machine = Machine {
            cpus: std::thread::available_parallelism().map_or(1, |cpus| u32::try_from(cpus.get()).unwrap_or(u32::MAX)),
            cpu_model: field(&info, "model name"),
            kernel: read("/proc/sys/kernel/osrelease").map(|release| {
                read("/proc/sys/kernel/ostype").map_or(release.clone(), |name| format!("{name} {release}"))
            }),
            governor: read(&format!("{cpu}/cpu0/cpufreq/scaling_governor")),
            turbo: read(&format!("{cpu}/intel_pstate/no_turbo"))
                .map(|off| off == "0")
                .or_else(|| read(&format!("{cpu}/cpufreq/boost")).map(|on| on == "1")),
            virtual_machine: field(&info, "flags").map(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
            cpus_quota: quota(),
            throttled_ns: None,
            stolen_ns: None,
            load_before: read("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()),
        };
        Observer { machine, throttled: throttled(), stolen: stolen() }
    }

    pub(super) fn after(self) -> Machine {
        let during = |after: Option<Duration>, before| {
            let time = after?.saturating_sub(before?);
            Some(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
        };
        let (throttled_ns, stolen_ns) = (during(throttled(), self.throttled), during(stolen(), self.stolen));
        Machine { throttled_ns, stolen_ns, ..self.machine }
    }
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The value of a `name : value` line.
fn field(text: &str, name: &str) -> Option<String> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
}

/// The folders of the control groups that limit this process's CPU time, innermost first. Version 2 has one tree for
/// all; version 1 one for each controller.
fn groups() -> Vec<PathBuf> {
    let memberships = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut groups = Vec::new();
    for line in memberships.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let root = match controllers {
            "" => "/sys/fs/cgroup",
            _ if controllers.split(',').any(|name| name == "cpu") => "/sys/fs/cgroup/cpu",
            _ => continue,
        };
        // In a container the path may be the host's; then only the root is there to be seen.
        let mut folder = PathBuf::from(format!("{root}/{}", path.trim_start_matches('/')));
        loop {
            groups.push(folder.clone());
            if folder.as_os_str().len() <= root.len() || !folder.pop() {
                break;
            }
        }
    }
    groups
}

/// CPU time in each unit of time, by the tightest limit above this process.
fn quota() -> Option<f64> {
    let number = |text: Option<&str>| text?.trim().parse::<f64>().ok().filter(|number| *number > 0.0);
    let limits = groups().into_iter().filter_map(|group| {
        if let Ok(text) = fs::read_to_string(group.join("cpu.max")) {
            let mut words = text.split_whitespace();
            return Some(number(words.next())? / number(words.next())?);
        }
        let read = |name: &str| fs::read_to_string(group.join(name)).ok();
        Some(number(read("cpu.cfs_quota_us").as_deref())? / number(read("cpu.cfs_period_us").as_deref())?)
    });
    limits.min_by(f64::total_cmp)
}

/// How long the control groups above this process have been held back so far.
fn throttled() -> Option<Duration> {
    let times = groups().into_iter().filter_map(|group| {
        let text = fs::read_to_string(group.join("cpu.stat")).ok()?;
        text.lines().find_map(|line| match line.split_once(' ')? {
            ("throttled_usec", micros) => micros.parse().ok().map(Duration::from_micros),
            ("throttled_time", nanos) => nanos.parse().ok().map(Duration::from_nanos),
            _ => None,
        })
    });
    times.max()
}

/// How long each CPU that this thread may use has been wanted and not had so far, on average: the steal time of
/// `proc_stat(5)`, which a virtual machine is told by its host.
#[cfg(target_os = "linux")]
fn stolen() -> Option<Duration> {
    let allowed = rustix::thread::sched_getaffinity(None).ok()?;
    stolen_of(&fs::read_to_string("/proc/stat").ok()?, |cpu| allowed.is_set(cpu))
}

#[cfg(not(target_os = "linux"))]
fn stolen() -> Option<Duration> {
    None
}

/// The same from the text of /proc/stat, for the CPUs that are `allowed`.
fn stolen_of(stat: &str, allowed: impl Fn(usize) -> bool) -> Option<Duration> {
    /// What the kernel counts in is fixed for programs, whatever it works with itself.
    const TICKS_PER_SECOND: u32 = 100;
    const STEAL: usize = 8;
    let cpus = stat.lines().filter_map(|line| {
        let mut words = line.strip_prefix("cpu")?.split(' ');
        let cpu: usize = words.next()?.parse().ok()?;
        let ticks: u32 = words.nth(STEAL - 1)?.parse().ok()?;
        allowed(cpu).then_some(Duration::from_secs(1) * ticks / TICKS_PER_SECOND)
    });
    let (sum, count) = cpus.fold((Duration::ZERO, 0), |(sum, count), one| (sum + one, count + 1));
    sum.checked_div(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_is_that_of_the_cpus_that_may_be_used() {
        let stat =
            "cpu  9 9 9 9 9 9 9 900 0 0\ncpu0 1 2 3 4 5 6 7 150 8 9\ncpu1 1 2 3 4 5 6 7 50 8 9\ncpu2 1 2\nintr 5\n";
        assert_eq!(stolen_of(stat, |_| true), Some(Duration::from_secs(1)));
        assert_eq!(stolen_of(stat, |cpu| cpu == 0), Some(Duration::from_millis(1_500)));
        assert_eq!(stolen_of(stat, |_| false), None);
        assert_eq!(stolen_of("", |_| true), None);
    }

    #[test]
    fn fields_are_found() {
        let text = "processor\t: 0\nmodel name\t: A: CPU\nflags\t\t: fpu hypervisor\n";
        assert_eq!(field(text, "model name").as_deref(), Some("A: CPU"));
        assert_eq!(field(text, "flags").as_deref(), Some("fpu hypervisor"));
        assert_eq!(field(text, "name"), None);
    }

    #[test]
    fn looking_never_fails() {
        let machine = Observer::before().after();
        assert!(machine.cpus > 0);
        assert!(machine.cpus_quota.is_none_or(|quota| quota > 0.0));
    }
}
