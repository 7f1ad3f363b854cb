//! What workers tell while they run, and what it says of the rest of the run.

use std::time::Duration;

use crate::plan::{Basis, Forecast, Plan};
use crate::record::{Past, Recorder};

/// What a worker tells.
pub(super) enum News {
    /// Intervals are past.
    Past(Box<Past>),
    /// The warm-up is over; these of its calls have ended.
    WarmedUp(Times),
}

/// The service times of some calls.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Times {
    calls: u64,
    sum_ns: u128,
}

impl Times {
    /// Of all calls that ended, failed ones too: they have held a place as well.
    pub(super) fn of(calls: &Recorder) -> Times {
        let mut all = calls.failed_times();
        all.merge(&calls.ok);
        Times { calls: all.service.count(), sum_ns: all.service.sum() }
    }

    fn mean(self) -> Option<Duration> {
        let mean = self.sum_ns.checked_div(self.calls.into())?;
        Some(Duration::from_nanos(u64::try_from(mean).unwrap_or(u64::MAX)))
    }
}

/// Tells, once, when the plan can be known to fail.
pub(super) struct Foresight<'a> {
    plan: &'a Plan,
    tell: Option<fn(Forecast)>,
    fastest_connect: Option<Duration>,
    warmup: Times,
}

impl<'a> Foresight<'a> {
    pub(super) fn new(plan: &'a Plan, tell: Option<fn(Forecast)>) -> Foresight<'a> {
        Foresight { plan, tell, fastest_connect: None, warmup: Times::default() }
    }

    /// A worker has its connections, the fastest of which came up within this time.
    pub(super) fn connected(&mut self, fastest: Option<Duration>) {
        self.fastest_connect = self.fastest_connect.into_iter().chain(fastest).min();
    }

    /// All workers have.
    pub(super) fn all_connected(&mut self) {
        self.foresee(Basis::Connect, self.fastest_connect);
    }

    /// A worker is past its warm-up.
    pub(super) fn warmed_up(&mut self, times: Times) {
        self.warmup.calls += times.calls;
        self.warmup.sum_ns += times.sum_ns;
        self.foresee(Basis::Warmup, self.warmup.mean());
    }

    fn foresee(&mut self, basis: Basis, each: Option<Duration>) {
        if let Some(forecast) = each.and_then(|each| self.plan.forecast(basis, each))
            && let Some(tell) = self.tell.take()
        {
            tell(forecast);
        }
    }
}
