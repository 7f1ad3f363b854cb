//! Random plans, and a reference model that says what must become of each: queues of servers, first come first served.
//!
//! Simulated time goes in milliseconds: a call that is due in between leaves at the next.

use super::*;

/// A plan, drawn from a seed.
#[derive(Clone, Debug)]
struct Drawn {
    load: Load,
    calls: Option<u64>,
    duration_ms: Option<u64>,
    warmup: Option<Warmup>,
    at_end: AtDuration,
    max_failures: Option<u64>,
    interrupt_ms: Option<u64>,
    /// By the number of the call, in rotation: how long it takes, and whether it fails.
    services: Rc<[(u64, bool)]>,
}

impl Drawn {
    fn open(random: &mut fastrand::Rng) -> Drawn {
        let rate = |random: &mut fastrand::Rng| Rate::new(random.u64(1..300), 1_000 * MS).unwrap();
        let ramp = |random: &mut fastrand::Rng| {
            let (start, end) = (rate(random), rate(random));
            let step = if end.per_second() < start.per_second() { Change::down } else { Change::up };
            let end = Some(end).filter(|end| *end != start);
            let every = Duration::from_millis(random.u64(1..300));
            let longest = random.bool().then(|| Duration::from_millis(random.u64(1..1_000)));
            Ramp { start, step: step(rate(random)), every, end, longest }
        };
        let schedule = match random.u32(0..5) {
            0 | 1 => Schedule::Constant(rate(random)),
            2 => Schedule::Steps(Steps::new(ramp(random)).unwrap()),
            3 => Schedule::Line(LineRamp::new(ramp(random)).unwrap()),
            _ => {
                let mut stage = || format!("{}ms:{}", random.u64(1..500), random.u64(0..200));
                let stages = [stage(), stage(), "200ms:50".to_owned()].join(",");
                Schedule::Stages(stages.parse().unwrap())
            }
        };
        let spacing = if random.u32(0..4) == 0 { Spacing::Poisson { seed: random.u64(..) } } else { Spacing::Constant };
        Drawn::with(Load::Open { schedule, spacing, in_flight: NonZeroU32::new(random.u32(1..8)).unwrap() }, random)
    }

    fn closed(random: &mut fastrand::Rng) -> Drawn {
        let callers = NonZeroU32::new(random.u32(1..8)).unwrap();
        let concurrency = if random.bool() {
            callers.into()
        } else {
            let change = PopulationChange {
                start: callers.get(),
                step: random.i32(1..4),
                every: Duration::from_millis(random.u64(1..200)),
                line: random.bool(),
                end: Some(callers.get() + random.u32(1..8)),
                longest: random.bool().then(|| Duration::from_millis(random.u64(1..500))),
            };
            Population::Changing(Growth::new(change).unwrap())
        };
        Drawn::with(Load::Closed { concurrency }, random)
    }

    fn with(load: Load, random: &mut fastrand::Rng) -> Drawn {
        let some = |random: &mut fastrand::Rng, of: std::ops::Range<u64>| random.bool().then(|| random.u64(of));
        let failing = random.u32(0..3);
        let slow = random.u64(2..80);
        let calls = some(random, 1..120);
        let duration_ms = some(random, 1..900).or(if calls.is_none() { Some(500) } else { None });
        let warmup = match random.u32(0..4) {
            0 => Some(Warmup::Calls(random.u64(1..40))),
            1 => Some(Warmup::Time(Duration::from_millis(random.u64(1..300)))),
            _ => None,
        };
        Drawn {
            load,
            calls,
            duration_ms,
            warmup,
            at_end: [AtDuration::Abandon, AtDuration::Drain, AtDuration::Ignore][random.usize(0..3)],
            max_failures: random.bool().then(|| random.u64(0..10)),
            interrupt_ms: (random.u32(0..4) == 0).then(|| random.u64(1..600)),
            services: (0..97).map(|_| (random.u64(1..slow), random.u32(0..10) < failing)).collect(),
        }
    }

    fn service(&self, index: u64) -> (u64, bool) {
        self.services[usize::try_from(index).unwrap() % self.services.len()]
    }

    fn simulate(&self) -> Simulated {
        let services = self.clone();
        let mut simulation = Simulation::of(self.load.clone()).limits(self.calls, self.duration_ms);
        simulation.limits = simulation.limits.after(self.warmup);
        simulation.max_failures = self.max_failures.map(MaxFailures::Calls);
        simulation
            .at_end(self.at_end)
            .interrupts(self.interrupt_ms.as_slice())
            .serve(move |index, _| {
                let (ms, fails) = services.service(index);
                Service { ms, status: if fails { 14 } else { 0 } }
            })
            .run()
    }
}

/// A call as it would be if nothing stopped the run.
#[derive(Clone, Copy, Debug)]
struct Planned {
    due: u64,
    sent: u64,
    done: u64,
    fails: bool,
    measured: bool,
}

/// What becomes of a plan. Calls as (end, response, service).
#[derive(PartialEq, Default, Debug)]
struct Outcome {
    measured: Vec<(u64, u64, u64)>,
    warmup: u64,
    unsent: (u64, u64),
    cut_off: (u64, u64, u64),
    rows: Vec<(u64, u64, u64)>,
    from: u64,
    reason: Option<EndReason>,
    elapsed: u64,
}

fn up_to_ms(nanos: u64) -> u64 {
    nanos.div_ceil(MS) * MS
}

/// All calls that the plan asks for, and when calls count. They leave in their order, each when it is due and one of the
/// slots is free. Those of a warm-up that found no free slot before it was over are passed over: they are never sent.
fn plan(drawn: &Drawn) -> (Vec<Planned>, u64, bool) {
    let calls = drawn.calls.unwrap_or(u64::MAX);
    let never = u64::MAX;
    let (mut planned, mut counted) = (Vec::new(), 0);
    let mut from = match drawn.warmup {
        None => 0,
        Some(Warmup::Time(time)) => Offset::from_duration(time).as_nanos(),
        Some(Warmup::Calls(_)) => never,
    };
    // Slots, and when they are free again; nothing for those that have made no call. New callers come when the
    // population has grown.
    let mut free = vec![None; drawn.load.in_flight() as usize];
    if let Load::Closed { concurrency } = drawn.load {
        for (slot, free) in free.iter_mut().enumerate() {
            let mut joins = Offset::ZERO;
            while concurrency.at(joins) as usize <= slot {
                joins = concurrency.changes_after(joins).unwrap();
            }
            *free = Some(up_to_ms(joins.as_nanos()));
        }
    }
    let dues = match &drawn.load {
        Load::Closed { .. } => None,
        load @ Load::Open { .. } => {
            Some(Arrivals::new(load, Limits::new(Some(5_000), None).unwrap(), Share::WHOLE, tickets()))
        }
    };
    let dues: Option<Vec<u64>> = dues.map(|mut dues| {
        let next = || dues.next(false, || Offset::ZERO)?.due;
        std::iter::from_fn(next).map(Offset::as_nanos).collect()
    });
    if let (Some(dues), Some(Warmup::Calls(first))) = (&dues, drawn.warmup) {
        from = dues.get(usize::try_from(first).unwrap()).copied().unwrap_or(never);
    }
    // A slot takes a call when it is free; one that has had none begins when the call before leaves.
    let mut before = 0;
    for index in 0.. {
        let scarce = free.iter().filter(|free| free.is_none()).count() <= 1;
        let taken = free.iter().map(|free| free.unwrap_or(before)).min().unwrap();
        let slot = free.iter_mut().min().unwrap();
        let ready = slot.unwrap_or(0);
        let due = match &dues {
            None => ready,
            Some(dues) => dues.get(usize::try_from(index).unwrap()).copied().unwrap_or(never),
        };
        let measured = match drawn.warmup {
            None => true,
            Some(Warmup::Calls(first)) => index >= first,
            Some(Warmup::Time(_)) => due >= from,
        };
        if measured && from == never {
            from = due;
        }
        let end = from.saturating_add(drawn.duration_ms.map_or(never, |ms| ms * MS));
        if measured && counted == calls {
            return (planned, from, false);
        }
        if due >= end || due == never {
            return (
                planned,
                from,
                due >= end && drawn.load.schedule().is_none_or(|s| s.ends().is_none_or(|e| e.as_nanos() >= end)),
            );
        }
        counted += u64::from(measured);
        if !measured && dues.is_some() && scarce && taken >= from {
            planned.push(Planned { due, sent: never, done: never, fails: false, measured });
            continue;
        }
        let sent = up_to_ms(due).max(ready);
        before = sent;
        let (ms, fails) = drawn.service(index);
        let done = sent + ms * MS;
        *slot = Some(done);
        planned.push(Planned { due, sent, done, fails, measured });
    }
    unreachable!("it ends by its limits")
}

fn tickets() -> Arc<Tickets> {
    Arc::new(Tickets::new(Limits::new(Some(1), None).unwrap(), 1))
}

/// What the plan comes to; `None` if it depends on which of two things in one instant comes first.
fn expected(drawn: &Drawn) -> Option<Outcome> {
    let (planned, from, by_time) = plan(drawn);
    let end = drawn.duration_ms.filter(|_| from < u64::MAX).map(|ms| up_to_ms(from + ms * MS));
    let mut failures: Vec<u64> =
        planned.iter().filter(|call| call.fails && call.measured).map(|call| call.done).collect();
    failures.sort_unstable();
    let last = planned.iter().map(|call| call.done).filter(|done| *done < u64::MAX).max().unwrap_or(0);
    let too_many = drawn.max_failures.and_then(|max| failures.get(usize::try_from(max).unwrap()).copied());
    let stops = [
        (end, EndReason::Duration),
        (too_many, EndReason::Failures),
        (drawn.interrupt_ms.map(|ms| ms * MS), EndReason::Interrupt),
    ];
    let mut stops: Vec<(u64, EndReason)> = stops.iter().filter_map(|(at, why)| Some(((*at)?, *why))).collect();
    stops.sort_unstable();
    // A run that has made all its calls has ended; one that has not lasts until its time is over.
    let by_itself = if by_time { u64::MAX } else { last };
    let stop = stops.first().copied().filter(|(at, _)| *at <= by_itself);
    let (at, reason) = stop.unwrap_or((u64::MAX, EndReason::Count));
    // Calls that end or leave as the run stops. Whose failure stops it does not make the next one.
    let (ended, left) = planned
        .iter()
        .fold((0, 0), |(ended, left), call| (ended + u32::from(call.done == at), left + u32::from(call.sent == at)));
    let by_call = u32::from(reason == EndReason::Failures);
    let own = u32::from(by_call == 1 && matches!(drawn.load, Load::Closed { concurrency: Population::Constant(_) }));
    let same_instant = stops.get(1).is_some_and(|(other, _)| *other == at)
        || ended > by_call
        || left > own
        || (planned.is_empty() && stop.is_none())
        || at == by_itself && reason != EndReason::Failures;
    let cut = match reason {
        EndReason::Duration if drawn.at_end != AtDuration::Drain => at,
        // The run has been stopped; who interrupts it then does not want to wait for the rest.
        EndReason::Failures => drawn.interrupt_ms.map_or(u64::MAX, |ms| ms * MS),
        _ => u64::MAX,
    };
    if same_instant || cut > at && planned.iter().any(|call| call.done == cut) {
        return None;
    }
    let ignored = reason == EndReason::Duration && drawn.at_end == AtDuration::Ignore;
    // When calls count is what is planned under a rate, and what happened in a closed loop.
    let from = if from < at || drawn.load.is_open() { from } else { drawn.warmup.map_or(0, |_| from) };
    let mut outcome = Outcome { from, reason: Some(reason), ..Outcome::default() };
    let mut drained = 0;
    for call in &planned {
        if call.sent >= at {
            let unsent = if call.measured { &mut outcome.unsent.0 } else { &mut outcome.unsent.1 };
            *unsent += u64::from(call.due < at.min(end.unwrap_or(u64::MAX)) && drawn.load.is_open());
        } else if call.done >= cut {
            let [measured, warmup, ignored] =
                [!ignored && call.measured, !ignored && !call.measured, ignored].map(u64::from);
            drained = cut;
            let (a, b, c) = outcome.cut_off;
            outcome.cut_off = (a + measured, b + warmup, c + ignored);
        } else {
            drained = drained.max(call.done);
            if call.measured {
                outcome.measured.push((call.done, call.done - call.due, call.done - call.sent));
            } else {
                outcome.warmup += 1;
            }
        }
    }
    outcome.measured.sort_unstable();
    outcome.elapsed = if reason == EndReason::Count { drained } else { drained.max(at) };
    outcome.rows = rows(ignored, &planned, at, cut, from);
    Some(outcome)
}

/// Calls started, done and failed by interval.
fn rows(ignored: bool, planned: &[Planned], stop: u64, cut: u64, from: u64) -> Vec<(u64, u64, u64)> {
    let mut rows: Vec<(u64, u64, u64)> = Vec::new();
    let interval = INTERVAL.as_millis() as u64 * MS;
    for call in planned.iter().filter(|call| call.measured && call.sent < stop) {
        let (ends, fails) = (call.done < cut, call.done < cut && call.fails);
        if !ends && ignored {
            continue;
        }
        let [started, done] =
            [call.sent, call.done.min(cut)].map(|at| usize::try_from((at - from) / interval).unwrap());
        if rows.len() <= done {
            rows.resize(done + 1, (0, 0, 0));
        }
        rows[started].0 += 1;
        rows[done].1 += u64::from(ends);
        rows[done].2 += u64::from(fails);
    }
    while rows.last() == Some(&(0, 0, 0)) {
        rows.pop();
    }
    rows
}

fn found(run: &Simulated) -> Outcome {
    let calls = &run.recorder;
    let of_warmup = |count: fn(&Recorder) -> u64| run.warmup.as_ref().map_or(0, count);
    let rows = calls.details.rows().iter();
    let mut measured: Vec<_> = rows.map(|call| (call.done.as_nanos(), call.response_ns, call.service_ns)).collect();
    measured.sort_unstable();
    Outcome {
        measured,
        warmup: of_warmup(Recorder::done),
        unsent: (calls.unsent, of_warmup(|warmup| warmup.unsent)),
        cut_off: (calls.abandoned, of_warmup(|warmup| warmup.abandoned), calls.ignored),
        rows: run.rows.iter().map(|row| (row.started, row.done, row.failed)).collect(),
        from: run.from.as_nanos(),
        reason: Some(run.end_reason),
        elapsed: run.elapsed.as_nanos(),
    }
}

fn do_what_the_model_says(draw: fn(&mut fastrand::Rng) -> Drawn, seeds: std::ops::Range<u64>) {
    let (mut reasons, mut ambiguous, count) = ([0; 4], 0, seeds.end - seeds.start);
    for seed in seeds {
        let drawn = draw(&mut fastrand::Rng::with_seed(seed));
        let Some(mut expected) = expected(&drawn) else {
            ambiguous += 1;
            continue;
        };
        let run = drawn.simulate();
        let found = found(&run);
        if run.recorder.sent() + run.recorder.ignored == 0 && !drawn.load.is_open() {
            // No call has decided when calls count.
            expected.from = found.from;
        }
        assert_eq!(found, expected, "seed {seed}: {drawn:?}");
        reasons[run.end_reason as usize] += 1;
    }
    assert!(ambiguous < count / 2, "{ambiguous} of {count} plans are left out");
    assert!(reasons.iter().all(|times| *times > count / 50), "each end occurs: {reasons:?}");
}

// In halves, so that two of them run side by side.

#[test]
fn random_open_plans_do_what_the_model_says() {
    do_what_the_model_says(Drawn::open, 0..1_000);
}

#[test]
fn more_random_open_plans_do_what_the_model_says() {
    do_what_the_model_says(Drawn::open, 1_000..2_000);
}

#[test]
fn random_closed_plans_do_what_the_model_says() {
    do_what_the_model_says(Drawn::closed, 0..1_000);
}
