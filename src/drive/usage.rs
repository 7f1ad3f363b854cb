//! What a thread costs, as the system counts it.

/// What the system has counted of this thread so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadUse {
    pub(super) cpu_ns: u64,
    /// Ready to run, and waiting for a CPU.
    pub(super) run_delay_ns: Option<u64>,
    pub(super) preempted: Option<u64>,
}

impl ThreadUse {
    pub(super) fn now() -> ThreadUse {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let (run_delay_ns, preempted) = scheduler();
        ThreadUse {
            cpu_ns: time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs(),
            run_delay_ns,
            preempted,
        }
    }

    /// From `earlier` to here.
    pub(super) fn since(self, earlier: ThreadUse) -> ThreadUse {
        let between = |later: Option<u64>, earlier: Option<u64>| Some(later?.saturating_sub(earlier?));
        ThreadUse {
            cpu_ns: self.cpu_ns.saturating_sub(earlier.cpu_ns),
            run_delay_ns: between(self.run_delay_ns, earlier.run_delay_ns),
            preempted: between(self.preempted, earlier.preempted),
        }
    }
}

/// Linux tells of a thread how long it waited in a run queue (`schedstat`: time on a CPU, time waiting, turns), and how
/// often it was made to leave its CPU.
fn scheduler() -> (Option<u64>, Option<u64>) {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/thread-self/{name}")).ok();
    let run_delay_ns = read("schedstat").and_then(|text| text.split_whitespace().nth(1)?.parse().ok());
    let preempted = read("status").and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:"))?;
        line.trim().parse().ok()
    });
    (run_delay_ns, preempted)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_works_is_seen_to() {
        let before = ThreadUse::now();
        let mut sum = 0u64;
        while ThreadUse::now().since(before).cpu_ns < 2_000_000 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        let used = ThreadUse::now().since(before);
        assert!((2_000_000..2_000_000_000).contains(&used.cpu_ns), "{used:?}");
        assert!(used.run_delay_ns.is_some() && used.preempted.is_some(), "{used:?}");
    }
}
