//! Wakes slots when their calls are due.
//!
//! Arrivals are claimed in the order in which they are due, so waiting slots form a queue, and one timer serves the head
//! of it. On Linux that is a timerfd; elsewhere, and in simulations, the runtime's own timer, which is a millisecond
//! coarse.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::task::{Poll, Waker};
use std::time::Duration;

use tokio::time::Instant;

use crate::plan::Idle;

/// The order of a slot that wakes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wake {
    /// Its call is due.
    Due,
    /// The run ends.
    Stopped,
}

/// Wakes the slots of one worker. [`Alarm::run`] must run beside them.
pub(super) struct Alarm {
    timer: Timer,
    idle: Idle,
    queue: RefCell<VecDeque<(Instant, Waker)>>,
    keeper: Cell<Option<Waker>>,
    stopped: Cell<bool>,
    /// Changes when a slot does something.
    work: Cell<u64>,
    /// Time spent on watching the clock and nothing else.
    spun: Cell<Duration>,
}

impl Alarm {
    /// With the most exact timer that there is. Errors when the system gives none.
    pub(super) fn new(idle: Idle) -> io::Result<Alarm> {
        Ok(Alarm::with_timer(Timer::exact()?, idle))
    }

    /// With the timer of the runtime, which stands still in paused time.
    #[cfg(test)]
    pub(super) fn simulated() -> Alarm {
        Alarm::with_timer(Timer::Runtime, Idle::Sleep)
    }

    fn with_timer(timer: Timer, idle: Idle) -> Alarm {
        Alarm {
            timer,
            idle,
            queue: RefCell::default(),
            keeper: Cell::default(),
            stopped: Cell::default(),
            work: Cell::default(),
            spun: Cell::default(),
        }
    }

    /// Waits until `due`; not at all if that is over. Must be called in the order of the due times.
    pub(super) async fn until(&self, due: Instant) -> Wake {
        let mut queued = false;
        std::future::poll_fn(|cx| {
            self.note_work();
            if self.stopped.get() {
                return Poll::Ready(Wake::Stopped);
            }
            if Instant::now() >= due {
                return Poll::Ready(Wake::Due);
            }
            if !std::mem::replace(&mut queued, true) {
                self.queue.borrow_mut().push_back((due, cx.waker().clone()));
                if let Some(keeper) = self.keeper.take() {
                    keeper.wake();
                }
            }
            Poll::Pending
        })
        .await
    }

    /// Whether no slot waits.
    pub(super) fn is_idle(&self) -> bool {
        self.queue.borrow().is_empty()
    }

    /// A slot has done something: the time that went by was not spent on waiting only.
    pub(super) fn note_work(&self) {
        self.work.set(self.work.get().wrapping_add(1));
    }

    /// How long it has watched the clock while nothing else was to be done, in nanoseconds.
    pub(super) fn spin_ns(&self) -> u64 {
        u64::try_from(self.spun.get().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Wakes every slot for good.
    pub(super) fn stop(&self) {
        self.stopped.set(true);
        self.queue.borrow_mut().drain(..).for_each(|(_, waker)| waker.wake());
    }

    /// Keeps the time. Never returns.
    pub(super) async fn run(&self) {
        loop {
            let head = self.head().await;
            match self.idle {
                Idle::Sleep => self.timer.sleep_until(head).await,
                Idle::Hybrid => {
                    self.timer.sleep_nearly_until(head).await;
                    self.spin_until(head).await;
                }
                Idle::Spin => self.spin_until(head).await,
            }
            let now = Instant::now();
            let mut queue = self.queue.borrow_mut();
            while queue.front().is_some_and(|(due, _)| *due <= now) {
                if let Some((_, waker)) = queue.pop_front() {
                    waker.wake();
                }
            }
        }
    }

    /// When the first slot in the queue is to be woken, once there is one.
    async fn head(&self) -> Instant {
        if self.idle == Idle::Spin {
            let mut before = (Instant::now(), self.work.get());
            while self.is_idle() {
                self.turn(&mut before).await;
            }
        }
        std::future::poll_fn(|cx| {
            if let Some((due, _)) = self.queue.borrow().front() {
                return Poll::Ready(*due);
            }
            self.keeper.set(Some(cx.waker().clone()));
            Poll::Pending
        })
        .await
    }

    /// Watches the clock; all that is ready meanwhile gets its turn.
    async fn spin_until(&self, due: Instant) {
        let mut before = (Instant::now(), self.work.get());
        while before.0 < due {
            self.turn(&mut before).await;
        }
    }

    /// Lets everything else have a turn. If nothing was to be done, the time is counted as spun.
    async fn turn(&self, before: &mut (Instant, u64)) {
        tokio::task::yield_now().await;
        let now = (Instant::now(), self.work.get());
        if now.1 == before.1 {
            self.spun.set(self.spun.get() + now.0.saturating_duration_since(before.0));
        }
        *before = now;
    }
}

enum Timer {
    #[cfg(target_os = "linux")]
    Fd(timer_fd::TimerFd),
    #[cfg_attr(target_os = "linux", cfg_attr(not(test), expect(dead_code, reason = "the other systems' timer")))]
    Runtime,
}

impl Timer {
    fn exact() -> io::Result<Timer> {
        #[cfg(target_os = "linux")]
        return timer_fd::TimerFd::new().map(Timer::Fd);
        #[cfg(not(target_os = "linux"))]
        return Ok(Timer::Runtime);
    }

    async fn sleep_until(&self, due: Instant) {
        match self {
            #[cfg(target_os = "linux")]
            Timer::Fd(timer) => timer.sleep_until(due).await,
            Timer::Runtime => tokio::time::sleep_until(due).await,
        }
    }

    /// Sleeps so that it most likely wakes before `due`, and does not sleep at all if there is no time for that.
    async fn sleep_nearly_until(&self, due: Instant) {
        match self {
            #[cfg(target_os = "linux")]
            Timer::Fd(timer) => timer.sleep_nearly_until(due).await,
            Timer::Runtime => tokio::time::sleep_until(due).await,
        }
    }
}

#[cfg(target_os = "linux")]
mod timer_fd {
    //! Sleeps by the kernel's timer, and how late it wakes.

    use std::cell::Cell;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::time::Duration;

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
    };
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;
    use tokio::time::Instant;

    #[derive(Debug)]
    pub(super) struct TimerFd {
        fd: AsyncFd<OwnedFd>,
        lateness: Lateness,
    }

    impl TimerFd {
        pub(super) fn new() -> io::Result<TimerFd> {
            let fd = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
            // Deprecated because types exist whose descriptor may change under way; an `OwnedFd` keeps its own until it
            // is dropped, which is all that the unsafe successor asks for.
            #[expect(deprecated, reason = "sound for an OwnedFd, and the successor is unsafe")]
            let fd = AsyncFd::with_interest(fd, Interest::READABLE)?;
            Ok(TimerFd { fd, lateness: Lateness::new() })
        }

        pub(super) async fn sleep_until(&self, due: Instant) {
            let mut now = Instant::now();
            if now >= due {
                return;
            }
            let wake = due.max(now + NEAREST);
            while now < wake {
                if self.sleep(wake).await.is_err() {
                    // Without the timer it is waited out: dearer, and as exact.
                    tokio::task::yield_now().await;
                }
                now = Instant::now();
            }
        }

        pub(super) async fn sleep_nearly_until(&self, due: Instant) {
            let Some(wake) = due.checked_sub(self.lateness.allowed()) else { return };
            if wake <= Instant::now() {
                return;
            }
            // If the timer cannot be used, the rest is watched.
            if self.sleep(wake).await.is_ok() {
                self.lateness.learn(Instant::now().saturating_duration_since(wake));
            }
        }

        async fn sleep(&self, until: Instant) -> io::Result<()> {
            let time = until.saturating_duration_since(Instant::now()).max(Duration::from_nanos(1));
            let once = Itimerspec {
                it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
                it_value: Timespec {
                    tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
                    tv_nsec: time.subsec_nanos().into(),
                },
            };
            timerfd_settime(&self.fd, TimerfdTimerFlags::empty(), &once)?;
            loop {
                // Setting the timer anew makes it unreadable, and each expiration is told once: it need not be read.
                self.fd.readable().await?.clear_ready();
                if Instant::now() >= until {
                    return Ok(());
                }
            }
        }
    }

    /// No timer is set for less than this. A nearer one interrupts the thread before it is asleep, which at high rates cost
    /// more than all the calls did; who sleeps this long finds several calls due, and they leave in one write.
    const NEAREST: Duration = Duration::from_micros(50);

    /// How late the kernel wakes a sleeper: some tens of microseconds, which depend on the machine and on what else it
    /// does.
    ///
    /// The estimate goes up by `UP` when a sleeper woke later and down by `DOWN` when it woke earlier, so that it settles
    /// where `UP / (UP + DOWN)` of them are in time. More would cost CPU time on each call for the few that are late.
    #[derive(Debug)]
    struct Lateness(Cell<Duration>);

    const UP: Duration = Duration::from_nanos(900);
    const DOWN: Duration = Duration::from_nanos(300);
    /// Before anything is known: what was measured on a virtual machine.
    const FIRST: Duration = Duration::from_micros(40);
    /// Beyond this the machine is overloaded, and watching the clock would make it worse.
    const MOST: Duration = Duration::from_micros(100);

    impl Lateness {
        fn new() -> Lateness {
            Lateness(Cell::new(FIRST))
        }

        fn allowed(&self) -> Duration {
            self.0.get()
        }

        fn learn(&self, late: Duration) {
            let now = self.0.get();
            self.0.set(if late > now { (now + UP).min(MOST) } else { now.saturating_sub(DOWN) });
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn three_of_four_sleepers_are_in_time() {
            let lateness = Lateness::new();
            let mut random = fastrand::Rng::with_seed(1);
            let mut in_time = 0;
            for round in 0..20_000 {
                let late = Duration::from_nanos(random.u64(20_000..60_000));
                if round >= 10_000 {
                    in_time += u32::from(late <= lateness.allowed());
                }
                lateness.learn(late);
            }
            assert!((7_200..7_800).contains(&in_time), "{in_time} of 10000");
        }

        #[test]
        fn an_overloaded_machine_is_not_spun_down() {
            let lateness = Lateness::new();
            for _ in 0..1_000 {
                lateness.learn(Duration::from_millis(5));
            }
            assert_eq!(lateness.allowed(), MOST);
        }
    }
}
