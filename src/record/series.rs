//! How a run went over time: a row for each interval.
//!
//! Each worker sorts its calls into [`Slices`]: histograms of two digits, which it hands over when their interval is past.
//! A [`Series`] merges those of all workers, and turns them into numbers as soon as every worker is past them, so that
//! memory holds the histograms of a few intervals however long the run is. Percentiles are never merged.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::{End, HIGHEST_NS, Sample};
use crate::units::Offset;

/// A run is listed up to so many intervals: 28 hours of seconds.
pub const ROWS_MAX: u64 = 100_000;

/// One interval. Times are nanoseconds, of calls that ended OK in it: response times under a rate, service times in a
/// closed loop. Where runs at the same time were merged, percentiles are 0: they are not known.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Row {
    /// When it begins, from when calls count.
    pub start: Offset,
    /// Calls started in it.
    pub started: u64,
    /// Calls that ended in it with a status.
    pub done: u64,
    /// Of these, with a status other than OK.
    pub failed: u64,
    /// Calls sent and not done at its end.
    pub in_flight: u64,
    /// Medians and so on; 0 where no call ended OK.
    pub p50_ns: u64,
    /// The 90th percentile.
    pub p90_ns: u64,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// The 99th percentile of the lag of all calls that ended in it; 0 in a closed loop.
    pub lag_p99_ns: u64,
}

/// Calls of one worker that ended in one interval.
#[derive(Clone, PartialEq, Debug)]
pub struct Slice {
    number: u64,
    done: u64,
    failed: u64,
    /// Cut off at the end.
    abandoned: u64,
    max_ns: u64,
    times: Histogram<u32>,
    lag: Option<Histogram<u32>>,
}

impl Slice {
    fn new(number: u64, open: bool) -> Slice {
        let histogram = || Histogram::new_with_bounds(1, HIGHEST_NS, 2).expect("constant, valid bounds");
        Slice { number, done: 0, failed: 0, abandoned: 0, max_ns: 0, times: histogram(), lag: open.then(histogram) }
    }

    fn add(&mut self, sample: &Sample) {
        if let Some(lag) = &mut self.lag {
            lag.saturating_record(sample.sent.since(sample.due));
        }
        match sample.end {
            End::Abandoned => self.abandoned += 1,
            End::Done => {
                self.done += 1;
                if sample.status == 0 {
                    // In a closed loop a call is due when it leaves.
                    let nanos = sample.done.since(sample.due);
                    self.times.saturating_record(nanos);
                    self.max_ns = self.max_ns.max(nanos);
                } else {
                    self.failed += 1;
                }
            }
        }
    }

    fn merge(&mut self, other: &Slice) {
        self.done += other.done;
        self.failed += other.failed;
        self.abandoned += other.abandoned;
        self.max_ns = self.max_ns.max(other.max_ns);
        self.times.add(&other.times).expect("all slices have the same bounds");
        if let (Some(mine), Some(theirs)) = (&mut self.lag, &other.lag) {
            mine.add(theirs).expect("all slices have the same bounds");
        }
    }

    /// The numbers of the interval, but for those that it takes other intervals to know.
    fn row(&self, length_ns: u64) -> (Row, u64) {
        let quantile = |quantile: f64| self.times.value_at_quantile(quantile).min(self.max_ns);
        let row = Row {
            start: Offset::from_nanos(self.number.saturating_mul(length_ns)),
            done: self.done,
            failed: self.failed,
            p50_ns: quantile(0.5),
            p90_ns: quantile(0.9),
            p99_ns: quantile(0.99),
            max_ns: self.max_ns,
            lag_p99_ns: self.lag.as_ref().map_or(0, |lag| lag.value_at_quantile(0.99)),
            ..Row::default()
        };
        (row, self.done + self.abandoned)
    }
}

/// What a worker tells as its intervals pass.
#[derive(Debug)]
pub struct Past {
    /// It is past all intervals with lower numbers.
    below: u64,
    /// What was in one of them.
    slice: Option<Slice>,
}

impl From<Slice> for Past {
    fn from(slice: Slice) -> Past {
        Past { below: slice.number + 1, slice: Some(slice) }
    }
}

/// The intervals of one worker.
#[derive(Debug)]
pub struct Slices {
    length_ns: u64,
    open: bool,
    /// Those with lower numbers are past, and take nothing in any more.
    below: u64,
    /// Calls started, by interval: a call is known when it ends, which may be many intervals later.
    started: Vec<u32>,
    current: Option<Slice>,
    /// The one before, for calls that are taken in just after the interval in which they ended.
    previous: Option<Slice>,
}

impl Slices {
    /// Of `length`, in an open or a closed loop.
    pub fn new(length: Duration, open: bool) -> Slices {
        let length_ns = Offset::from_duration(length).as_nanos().max(1);
        Slices { length_ns, open, below: 0, started: Vec::new(), current: None, previous: None }
    }

    /// Takes in a call that counts; `from` is when calls began to count. Tells what is past by that.
    pub fn record(&mut self, sample: &Sample, from: Offset) -> Option<Past> {
        let number = |at: Offset| at.since(from) / self.length_ns;
        let (started, ended) = (number(sample.sent), number(sample.done).max(self.below));
        if started < ROWS_MAX {
            let place = usize::try_from(started).expect("below the number of rows");
            if self.started.len() <= place {
                self.started.resize(place + 1, 0);
            }
            self.started[place] += 1;
        }
        let past = match &self.current {
            Some(current) if current.number >= ended => None,
            _ => {
                let next = Slice::new(ended, self.open);
                std::mem::replace(&mut self.previous, self.current.replace(next))
            }
        };
        let slice = match (&mut self.current, &mut self.previous) {
            (Some(current), _) if current.number == ended => current,
            (_, Some(previous)) => previous,
            (Some(current), None) => current,
            (None, None) => unreachable!("the current slice was just made"),
        };
        slice.add(sample);
        past.map(Past::from)
    }

    /// It is `now`, also if no call ends: tells what is past by that. Nothing is, of the interval before the present one.
    pub fn pass(&mut self, now: Offset, from: Offset, tell: &mut impl FnMut(Past)) {
        let below = (now.since(from) / self.length_ns).saturating_sub(1);
        if below <= self.below {
            return;
        }
        self.below = below;
        for slice in [&mut self.previous, &mut self.current] {
            slice.take_if(|slice| slice.number < below).map(Past::from).into_iter().for_each(&mut *tell);
        }
        tell(Past { below, slice: None });
    }

    /// What is left at the end.
    pub fn finish(self) -> (Vec<Slice>, Vec<u32>) {
        (self.previous.into_iter().chain(self.current).collect(), self.started)
    }
}

/// The intervals of all workers.
#[derive(Debug)]
pub struct Series {
    length_ns: u64,
    pending: BTreeMap<u64, Slice>,
    /// By worker: it is past all intervals below.
    past: Vec<u64>,
    /// Rows, and how many calls ended in each.
    rows: BTreeMap<u64, (Row, u64)>,
    started: Vec<u64>,
    left_out: u64,
}

impl Series {
    /// Of `workers` workers in intervals of `length`.
    pub fn new(length: Duration, workers: usize) -> Series {
        let length_ns = Offset::from_duration(length).as_nanos().max(1);
        Series {
            length_ns,
            pending: BTreeMap::new(),
            past: vec![0; workers],
            rows: BTreeMap::new(),
            started: Vec::new(),
            left_out: 0,
        }
    }

    /// Takes in what a worker tells, whose slices come in their order.
    pub fn add(&mut self, worker: usize, past: Past) {
        if let Some(slice) = past.slice {
            self.merge(slice);
        }
        self.past[worker] = self.past[worker].max(past.below);
        self.settle();
    }

    fn merge(&mut self, slice: Slice) {
        let number = slice.number;
        if number < ROWS_MAX {
            match self.pending.get_mut(&number) {
                Some(pending) => pending.merge(&slice),
                None => drop(self.pending.insert(number, slice)),
            }
        }
        self.left_out = self.left_out.max((number + 1).saturating_sub(ROWS_MAX));
    }

    /// Takes in what a worker had left when it ended.
    pub fn end(&mut self, worker: usize, slices: Vec<Slice>, started: &[u32]) {
        for slice in slices {
            self.merge(slice);
        }
        self.past[worker] = u64::MAX;
        self.settle();
        if self.started.len() < started.len() {
            self.started.resize(started.len(), 0);
        }
        for (sum, count) in self.started.iter_mut().zip(started) {
            *sum += u64::from(*count);
        }
    }

    /// Turns into rows what all workers are past.
    fn settle(&mut self) {
        let past = self.past.iter().min().copied().unwrap_or(u64::MAX);
        while let Some(entry) = self.pending.first_entry().filter(|entry| *entry.key() < past) {
            let (number, slice) = entry.remove_entry();
            self.rows.insert(number, slice.row(self.length_ns));
        }
    }

    /// How many intervals there were in which calls ended, or between them, beyond those that are listed.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The rows, also of intervals in which nothing happened: up to the last in which something did, and those that a run
    /// of `length` has whole.
    pub fn finish(mut self, length: Offset) -> Vec<Row> {
        self.past.fill(u64::MAX);
        self.settle();
        let last = self.rows.last_key_value().map_or(0, |(number, _)| number + 1);
        let whole = (length.as_nanos() / self.length_ns).min(ROWS_MAX);
        let count = last.max(self.started.len() as u64).max(whole);
        let mut in_flight = 0u64;
        let mut started = self.started.iter();
        let mut rows: Vec<Row> = (0..count)
            .map(|number| {
                let (row, ended) = self.rows.get(&number).copied().unwrap_or_default();
                let started = started.next().copied().unwrap_or(0);
                in_flight = (in_flight + started).saturating_sub(ended);
                Row { start: Offset::from_nanos(number.saturating_mul(self.length_ns)), started, in_flight, ..row }
            })
            .collect();
        // Calls that are cut off at the very end of an interval would begin another.
        while rows.len() as u64 > whole && rows.last().is_some_and(|row| row.started == 0 && row.done == 0) {
            rows.pop();
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: u64 = 1_000_000;

    fn sample(sent_ms: u64, service_ms: u64, status: u32) -> Sample {
        let [sent, done] = [sent_ms, sent_ms + service_ms].map(|ms| Offset::from_nanos(ms * MS));
        Sample { status, ..Sample::answered(sent, sent, done) }
    }

    /// The rows of calls that each worker takes in in the order of their end.
    fn rows(workers: &[Vec<Sample>]) -> Vec<Row> {
        let length = Duration::from_millis(100);
        let mut series = Series::new(length, workers.len());
        for (number, samples) in workers.iter().enumerate() {
            let mut slices = Slices::new(length, true);
            for sample in samples {
                if let Some(past) = slices.record(sample, Offset::ZERO) {
                    series.add(number, past);
                }
            }
            let (slices, started) = slices.finish();
            series.end(number, slices, &started);
        }
        series.finish(Offset::ZERO)
    }

    #[test]
    fn rows_say_what_happened_when() {
        let rows = rows(&[
            vec![sample(0, 10, 0), sample(20, 30, 0), sample(30, 310, 14), sample(250, 100, 0)],
            vec![sample(10, 20, 0), sample(320, 10, 0)],
        ]);
        let counts: Vec<_> = rows.iter().map(|row| (row.started, row.done, row.failed, row.in_flight)).collect();
        assert_eq!(counts, [(4, 3, 0, 1), (0, 0, 0, 1), (1, 0, 0, 2), (1, 3, 1, 0)]);
        assert_eq!((rows[0].max_ns, rows[3].max_ns), (30 * MS, 100 * MS), "failed ones are left out");
        assert!(rows[0].p50_ns.abs_diff(20 * MS) <= MS / 5, "{}", rows[0].p50_ns);
        assert_eq!(rows[1].max_ns, 0);
        assert_eq!(rows[2].start, Offset::from_nanos(200 * MS));
    }

    #[test]
    fn a_call_that_is_taken_in_late_finds_its_interval() {
        let rows = rows(&[vec![sample(0, 50, 0), sample(0, 110, 0), sample(0, 99, 0), sample(0, 250, 0)]]);
        assert_eq!(rows.iter().map(|row| row.done).collect::<Vec<_>>(), [2, 1, 1]);
    }

    #[test]
    fn intervals_count_from_when_calls_do() {
        let mut slices = Slices::new(Duration::from_millis(100), false);
        assert!(slices.record(&sample(1_020, 30, 0), Offset::from_nanos(1_000 * MS)).is_none());
        let (slices, started) = slices.finish();
        assert_eq!((slices[0].number, started), (0, vec![1]));
    }

    #[test]
    fn intervals_beyond_the_bound_are_counted() {
        let mut series = Series::new(Duration::from_millis(10), 2);
        for (number, sent_ms) in [(0, 1_000_005), (1, 999_985), (1, 1_000_115)] {
            let mut slices = Slices::new(Duration::from_millis(10), false);
            assert!(slices.record(&sample(sent_ms, 1, 0), Offset::ZERO).is_none());
            let (slices, started) = slices.finish();
            for slice in slices {
                series.add(number, slice.into());
            }
            assert!(started.len() <= 100_000);
        }
        assert_eq!(series.left_out(), 12);
        assert_eq!(series.finish(Offset::ZERO).len(), 99_999, "up to the last in which something happened");
    }

    #[test]
    fn a_run_that_nothing_ends_any_more_has_rows_to_its_end() {
        let mut slices = Slices::new(Duration::from_millis(100), false);
        for (sent, done) in [(0, 50), (60, 1_034), (60, 1_034)] {
            let cut_off = Sample { end: End::Abandoned, ..sample(sent, done - sent, 0) };
            slices.record(&if done < 100 { sample(sent, done, 0) } else { cut_off }, Offset::ZERO);
        }
        let mut series = Series::new(Duration::from_millis(100), 1);
        let (slices, started) = slices.finish();
        series.end(0, slices, &started);
        let rows = series.finish(Offset::from_nanos(1_034 * MS));
        let counts: Vec<_> = rows.iter().map(|row| (row.started, row.done, row.in_flight)).collect();
        assert_eq!(counts[..2], [(3, 1, 2), (0, 0, 2)]);
        assert_eq!((counts.len(), counts[9]), (10, (0, 0, 2)));
    }

    #[test]
    fn a_worker_without_calls_holds_nothing_up() {
        let length = Duration::from_millis(100);
        let at = |ms: u64| Offset::from_nanos(ms * MS);
        let mut series = Series::new(length, 2);
        let (mut busy, mut quiet) = (Slices::new(length, true), Slices::new(length, true));
        assert!(quiet.record(&sample(0, 10, 0), Offset::ZERO).is_none());
        for ms in (0..10_000).step_by(10) {
            if let Some(slice) = busy.record(&sample(ms, 5, 0), Offset::ZERO) {
                series.add(0, slice);
            }
            if ms % 1_000 == 0 {
                quiet.pass(at(ms), Offset::ZERO, &mut |past| series.add(1, past));
            }
            assert!(series.pending.len() <= 12, "{}", series.pending.len());
        }
        // It ended before the worker was said to be past it, and counts from then on.
        assert!(quiet.record(&sample(20, 10, 14), Offset::ZERO).is_none());
        for (worker, slices) in [busy, quiet].into_iter().enumerate() {
            let (slices, started) = slices.finish();
            series.end(worker, slices, &started);
        }
        let rows = series.finish(Offset::ZERO);
        assert_eq!((rows.len(), rows[0].done, rows[5].done), (100, 11, 10));
        assert_eq!(rows.iter().map(|row| row.done).sum::<u64>(), 1_002);
        assert_eq!((rows[89].failed, rows[99].in_flight), (1, 0));
    }

    proptest! {
        #[test]
        fn no_call_is_lost(
            workers in prop::collection::vec(prop::collection::vec((0u64..2_000, 0u64..900, 0u32..2), 0..60), 1..5),
        ) {
            let workers: Vec<Vec<Sample>> = workers
                .into_iter()
                .map(|calls| {
                    let mut samples: Vec<Sample> = calls.into_iter().map(|(at, ms, status)| sample(at, ms, status)).collect();
                    samples.sort_by_key(|sample| sample.done);
                    samples
                })
                .collect();
            let rows = rows(&workers);
            let all: Vec<Sample> = workers.into_iter().flatten().collect();
            let sum = |of: &dyn Fn(&Row) -> u64| rows.iter().map(of).sum::<u64>();
            prop_assert_eq!(sum(&|row| row.started), all.len() as u64);
            prop_assert_eq!(sum(&|row| row.done), all.len() as u64);
            prop_assert_eq!(sum(&|row| row.failed), all.iter().filter(|sample| sample.status > 0).count() as u64);
            for (number, row) in rows.iter().enumerate() {
                let end = (number as u64 + 1) * 100 * MS;
                let in_flight = all.iter().filter(|s| s.sent.as_nanos() < end && s.done.as_nanos() >= end).count();
                prop_assert_eq!(row.in_flight, in_flight as u64, "row {}", number);
            }
            prop_assert!(rows.last().is_none_or(|row| row.in_flight == 0));
        }
    }
}
