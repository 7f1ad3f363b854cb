//! A rate that changes evenly with time, in one ramp or several in a row: exact areas under straight lines.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::ramp::Ramp;
use super::scale::{Scale, divisor};
use super::search::{first, guess};
use crate::units::{Offset, Rate, UnitError, parse_duration};

const SECOND: Duration = Duration::from_secs(1);

/// Straight lines in a row, and after them the last rate for ever, or nothing.
///
/// All numbers are whole: rates in units of a common scale, numbers of calls in halves of these units. So is the area
/// under each line: twice the mean rate times its length.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Course {
    scale: Scale,
    lines: Arc<[Line]>,
    /// The rate after the last line.
    after: u64,
}

/// One straight line.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Line {
    start_ns: u64,
    length_ns: u64,
    from: u64,
    to: u64,
    /// Calls before it, in halves of the scale.
    base: u128,
}

impl Line {
    fn end_ns(&self) -> u64 {
        self.start_ns + self.length_ns
    }

    /// Twice the area up to `at` nanoseconds from its start, times its length: from there the area is
    /// from * at + (to - from) * at^2 / (2 * length).
    fn area(&self, at: u64) -> u128 {
        let [at, length] = [at, self.length_ns].map(i128::from);
        let [from, to] = [self.from, self.to].map(i128::from);
        // Never negative: a rate is not.
        ((2 * from * length + (to - from) * at) * at).unsigned_abs()
    }

    /// Calls up to its end, in halves of the scale.
    fn end(&self) -> u128 {
        self.base + u128::from(self.from + self.to) * u128::from(self.length_ns)
    }

    /// When it has reached so many calls, which it does, in nanoseconds from its start.
    fn reaches(&self, halves: u128) -> u64 {
        let target = halves - self.base;
        let (twice_from, length) = (2.0 * self.from as f64, self.length_ns as f64);
        let slope = (self.to as f64 - self.from as f64) / length;
        let root = (twice_from * twice_from + 4.0 * slope * target as f64).max(0.0).sqrt();
        let near = guess(2.0 * target as f64 / (twice_from + root));
        let target = target * u128::from(self.length_ns);
        first(0, self.length_ns, near, |at| self.area(at) >= target)
    }
}

impl Course {
    /// `lines` of (length, rate at the end) in units of `scale`. `hold` says whether the last rate stays. `None` if
    /// there are more calls than can be counted.
    fn new(scale: Scale, start: u64, lines: impl IntoIterator<Item = (u64, u64)>, hold: bool) -> Option<Course> {
        let (mut from, mut start_ns, mut base) = (start, 0u64, 0u128);
        let mut drawn = Vec::new();
        for (length_ns, to) in lines {
            // A line without length is a jump.
            if length_ns > 0 {
                let line = Line { start_ns, length_ns, from, to, base };
                // The largest number that is computed above, with a bit for the sign and one to spare.
                let highest =
                    u128::from(2 * from.max(to)).checked_mul(length_ns.into())?.checked_mul(length_ns.into())?;
                start_ns = start_ns.checked_add(length_ns)?;
                base = line.end();
                (highest < 1 << 125 && base < 1 << 125).then_some(())?;
                drawn.push(line);
            }
            from = to;
        }
        Some(Course { scale, lines: drawn.into(), after: if hold { from } else { 0 } })
    }

    fn end_ns(&self) -> u64 {
        self.lines.last().map_or(0, Line::end_ns)
    }

    fn base_after(&self) -> u128 {
        self.lines.last().map_or(0, Line::end)
    }

    pub(super) fn reaches(&self, calls: u128) -> Offset {
        let halves = self.scale.halves(calls);
        let line = self.lines.partition_point(|line| line.end() < halves);
        let nanos = match self.lines.get(line) {
            Some(line) => Some(u128::from(line.start_ns + line.reaches(halves))),
            None if self.after == 0 => None,
            None => {
                let left = halves - self.base_after();
                Some(left.div_ceil(2 * u128::from(self.after)) + u128::from(self.end_ns()))
            }
        };
        Offset::from_nanos(nanos.and_then(|nanos| u64::try_from(nanos).ok()).unwrap_or(u64::MAX))
    }

    pub(super) fn due_before(&self, end: Offset) -> u64 {
        let Some(last) = end.as_nanos().checked_sub(1) else { return 0 };
        let line = self.lines.partition_point(|line| line.end_ns() <= last);
        let halves = match self.lines.get(line) {
            Some(line) => line.base + line.area(last - line.start_ns) / u128::from(line.length_ns),
            None => self.base_after() + 2 * u128::from(self.after) * u128::from(last - self.end_ns()),
        };
        // Without a first line that begins with nothing, nothing was ever due.
        self.scale.calls_up_to(halves)
    }

    pub(super) fn ends(&self) -> Option<Offset> {
        (self.after == 0).then(|| Offset::from_nanos(self.end_ns()))
    }
}

/// One ramp, and then a constant rate.
#[derive(Clone, PartialEq, Debug)]
pub struct LineRamp {
    ramp: Ramp,
    pub(super) course: Course,
}

impl LineRamp {
    /// The line that `ramp` asks for: its rate changes evenly, by the step in each step duration, until it has reached
    /// the end rate or the longest time is over, whichever comes first. Without either it rises as far as rates can, or
    /// falls to nothing, after which no call is due.
    ///
    /// Errors when the ramp contradicts itself, or is too large to be counted exactly.
    pub fn new(ramp: Ramp) -> Result<LineRamp, UnitError> {
        ramp.check()?;
        let course = line(ramp).ok_or_else(|| UnitError::new("this line makes more calls than can be counted"))?;
        Ok(LineRamp { ramp, course })
    }

    /// What was asked for.
    pub fn ramp(&self) -> Ramp {
        self.ramp
    }
}

/// A ramp as one straight line. Its length is rounded up to whole nanoseconds.
fn line(ramp: Ramp) -> Option<Course> {
    let scale = Scale::of([Some(ramp.start), Some(ramp.step.size()), ramp.end].into_iter().flatten())?;
    let every_ns = Offset::from_duration(ramp.every).as_nanos();
    let down = ramp.step.is_down();
    let [start, size] = [ramp.start, ramp.step.size()].map(|rate| scale.units(rate));
    let end = ramp.end.map_or(if down { 0 } else { scale.highest() }, |end| scale.units(end));
    let whole_ns = (u128::from(start.abs_diff(end)) * u128::from(every_ns)).div_ceil(size.into());
    if ramp.end.is_none() && ramp.longest.is_none() && !down {
        // It would rise to a billion a second, in years perhaps: it rises for as long as can be counted, which is days
        // even at millions a second.
        let whole = u32::try_from(whole_ns / u128::from(every_ns)).unwrap_or(u32::MAX);
        let steps = std::iter::successors(Some(whole), |steps| Some(steps / 2)).take_while(|steps| *steps > 0);
        let lengths = steps.filter_map(|steps| ramp.every.checked_mul(steps));
        return lengths.map(|longest| line(Ramp { longest: Some(longest), ..ramp })).find_map(|course| course);
    }
    let longest_ns = ramp.longest.map_or(u128::MAX, |longest| longest.as_nanos());
    if whole_ns <= longest_ns {
        return Course::new(scale, start, [(u64::try_from(whole_ns).ok()?, end)], true);
    }
    // Cut off on its way, where the rate need not be whole in these units.
    let length_ns = u64::try_from(longest_ns).ok()?;
    let part = every_ns / divisor(every_ns, length_ns);
    let scale = scale.finer(part)?;
    let [start, size] = [ramp.start, ramp.step.size()].map(|rate| scale.units(rate));
    let change = u64::try_from(u128::from(size) * u128::from(length_ns) / u128::from(every_ns)).ok()?;
    let end = if down { start.checked_sub(change)? } else { start.checked_add(change)? };
    Course::new(scale, start, [(length_ns, end)], true)
}

/// `line from 50/s by 10/s a second to 150/s after 10s`.
impl fmt::Display for LineRamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ramp { start, step, every, .. } = self.ramp;
        write!(f, "line from {start} by {step}")?;
        if every == SECOND {
            f.write_str(" a second")?;
        } else {
            write!(f, " in {every:?}")?;
        }
        if self.ramp.end.is_none() && self.ramp.longest.is_none() {
            return Ok(());
        }
        match self.course.scale.rate(self.course.after) {
            Some(end) => write!(f, " to {end}")?,
            None => f.write_str(" to nothing")?,
        }
        write!(f, " after {:?}", Duration::from_nanos(self.course.end_ns()))
    }
}

/// Ramps in a row, from nothing; after the last one no call is due.
#[derive(Clone, PartialEq, Debug)]
pub struct Stages {
    text: Arc<str>,
    pub(super) course: Course,
}

impl Stages {
    /// As they are read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How long they take.
    pub fn length(&self) -> Duration {
        Duration::from_nanos(self.course.end_ns())
    }
}

/// Reads `10s:100,30s:500,10s:0`: each stage has its length and the rate at its end. The rate starts with 0 and changes
/// evenly; a stage of `0s` is a jump.
impl std::str::FromStr for Stages {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Stages, UnitError> {
        let mut stages = Vec::new();
        for stage in text.split(',').map(str::trim) {
            let rule = || {
                UnitError::new(format!(
                    "`{stage}` is no stage: a stage is a time and the rate at its end, such as 10s:100"
                ))
            };
            let (length, rate) = stage.split_once(':').ok_or_else(rule)?;
            let length = parse_duration(length).map_err(|_| rule())?;
            let rate = match rate.trim() {
                "0" => None,
                rate => Some(rate.parse::<Rate>().map_err(|_| rule())?),
            };
            stages.push((Offset::from_duration(length).as_nanos(), rate));
        }
        let too_large = || UnitError::new("these stages make more calls than can be counted");
        let scale = Scale::of(stages.iter().filter_map(|(_, rate)| *rate)).ok_or_else(too_large)?;
        let lines = stages.iter().map(|(length, rate)| (*length, rate.map_or(0, |rate| scale.units(rate))));
        let course = Course::new(scale, 0, lines, false).ok_or_else(too_large)?;
        if course.base_after() == 0 {
            return Err(UnitError::new("no call is due in these stages"));
        }
        let text = text.split(',').map(str::trim).collect::<Vec<_>>().join(",");
        Ok(Stages { text: text.into(), course })
    }
}

/// `stages 10s:100,30s:500,10s:0`.
impl fmt::Display for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stages {}", self.text)
    }
}
