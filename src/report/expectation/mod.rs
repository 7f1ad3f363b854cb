//! What a run is expected to give: `p99 < 20ms`, `failed <= 1%`, `rate >= 99% of offered`.
//!
//! An expectation is a metric, a comparator and a bound of the metric's kind. Whether it held is decided from the report
//! alone; where the report has no value to compare, it did not hold, and says why.

mod bound;

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::Report;
use super::metric::{Metric, NoData, Value};
use bound::exact;
pub use bound::{Bound, Share};

/// Something that a run is expected to give.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expectation {
    /// What is looked at.
    pub metric: Metric,
    /// How it is compared.
    pub comparator: Comparator,
    /// With what.
    pub bound: Bound,
}

/// How a value is compared with its bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparator {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
}

/// An expectation, and what came of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    /// What was expected.
    pub expectation: Expectation,
    /// What was found.
    pub value: Result<Value, NoData>,
    /// Whether it is as expected.
    pub held: bool,
}

impl Expectation {
    /// Why it cannot hold, whatever comes of the run, if that is so.
    pub fn never(&self, open: bool, streaming: bool) -> Option<NoData> {
        let of_bound = (self.bound.needs_rate() && !open).then_some(NoData::ClosedLoop);
        self.metric.never(open, streaming).or(of_bound)
    }

    /// Whether `report` is as expected.
    pub fn check(self, report: &Report) -> Outcome {
        let value = self.metric.value(report);
        let compared = value.and_then(|value| self.bound.compare(value));
        let held = compared.is_ok_and(|ordering| self.comparator.holds(ordering));
        Outcome { expectation: self, value: compared.and(value), held }
    }
}

impl Comparator {
    const ALL: [Comparator; 5] =
        [Comparator::AtMost, Comparator::AtLeast, Comparator::Equal, Comparator::Less, Comparator::More];

    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Comparator::Less => ordering.is_lt(),
            Comparator::AtMost => ordering.is_le(),
            Comparator::More => ordering.is_gt(),
            Comparator::AtLeast => ordering.is_ge(),
            Comparator::Equal => ordering.is_eq(),
        }
    }

    fn symbol(self) -> &'static str {
        match self {
            Comparator::Less => "<",
            Comparator::AtMost => "<=",
            Comparator::More => ">",
            Comparator::AtLeast => ">=",
            Comparator::Equal => "==",
        }
    }
}

impl Outcome {
    /// What was found, for people: `1.665023 ms`, `2 of 200 (1 %)`, or why there is nothing.
    pub fn found(&self) -> String {
        match self.value {
            Err(reason) => format!("no value: {reason}"),
            Ok(Value::Nanos(nanos)) => {
                let (number, unit) = exact(nanos);
                format!("{number} {unit}")
            }
            Ok(Value::Calls { count, whole }) if whole > 0 => {
                format!("{count} of {whole} calls ({} %)", short(count as f64 * 100.0 / whole as f64))
            }
            Ok(Value::Calls { count, .. }) => count.to_string(),
            Ok(Value::PerSecond { rate, offered: Some(offered) }) if offered > 0.0 => {
                format!("{rate:.2}/s ({} % of the offered {offered:.2}/s)", short(rate * 100.0 / offered))
            }
            Ok(Value::PerSecond { rate, .. }) => format!("{rate:.2}/s"),
        }
    }
}

/// A percentage without digits that say nothing.
fn short(percent: f64) -> String {
    format!("{percent:.3}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `p99 < 20ms`: what is read back as the same.
impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.metric, self.comparator.symbol(), self.bound)
    }
}

/// Why a text is no expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpectationError {
    /// It breaks this rule.
    Rule(&'static str),
    /// It looks at something that is no metric.
    NoSuchMetric(String),
}

impl FromStr for Expectation {
    type Err = ExpectationError;

    fn from_str(text: &str) -> Result<Expectation, ExpectationError> {
        const RULE: &str = "an expectation is a metric, one of < <= > >= ==, and a bound, such as p99 < 20ms";
        let at = text.find(['<', '>', '=', '!']).ok_or(ExpectationError::Rule(RULE))?;
        let (name, rest) = (text[..at].trim(), &text[at..]);
        let comparator = Comparator::ALL
            .into_iter()
            .find(|comparator| rest.starts_with(comparator.symbol()))
            .ok_or(ExpectationError::Rule(RULE))?;
        let bound = rest[comparator.symbol().len()..].trim();
        if name.is_empty() || bound.is_empty() {
            return Err(ExpectationError::Rule(RULE));
        }
        let metric: Metric = name.parse().map_err(|_| ExpectationError::NoSuchMetric(name.to_owned()))?;
        let bound = Bound::parse(bound, metric).map_err(ExpectationError::Rule)?;
        Ok(Expectation { metric, comparator, bound })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at_ten_a_second, closed, open, recording, sample};
    use super::*;

    const MS: u64 = 1_000_000;

    /// One call after the other, of so many nanoseconds and with such a status each.
    fn closed_loop(calls: impl Iterator<Item = (u64, u32)>) -> Report {
        let samples: Vec<_> = calls
            .scan(0, |at, (nanos, status)| {
                let mut call = sample(*at, 0, nanos);
                call.status = status;
                *at += nanos;
                Some(call)
            })
            .collect();
        Report::of(&recording(false, &samples), closed())
    }

    fn under_a_rate() -> Report {
        Report::of(&at_ten_a_second(200, 60_000, 2 * MS, |_, _| {}), open("10"))
    }

    fn expectation(text: &str) -> Expectation {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
    }

    #[test]
    fn texts_are_read_and_shown() {
        for (text, shown) in [
            ("p99 < 20ms", "p99 < 20ms"),
            ("  p99<20ms ", "p99 < 20ms"),
            ("p99.9 <= 1.5s", "p99.9 <= 1.5s"),
            ("service.avg > 0", "service.avg > 0ns"),
            ("lag.p99<=250us", "lag.p99 <= 0.25ms"),
            ("failed == 0", "failed == 0"),
            ("failed <= 0.10%", "failed <= 0.1%"),
            ("ok >= 99 %", "ok >= 99%"),
            ("status.UNAVAILABLE < 5", "status.Unavailable < 5"),
            ("throughput >= 1000/m", "throughput >= 16.666666666666668/s"),
            ("throughput >= 100", "throughput >= 100/s"),
            ("rate >= offered", "rate >= 100% of offered"),
            ("rate >= 99.5% of offered", "rate >= 99.5% of offered"),
            ("rate>=99%of offered", "rate >= 99% of offered"),
        ] {
            assert_eq!(expectation(text).to_string(), shown, "{text}");
        }
    }

    #[test]
    fn shown_expectations_are_read_back() {
        for text in ["p99 < 20ms", "failed <= 0.10%", "rate >= offered", "throughput > 2.5", "max < 1h", "p50 < 9999ns"]
        {
            let read = expectation(text);
            assert_eq!(expectation(&read.to_string()), read, "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "p99", "p99 <", "< 20ms", "p99 20ms", "p99 = 20ms", "p99 != 20ms", "p99 =< 20ms"] {
            let Err(ExpectationError::Rule(rule)) = text.parse::<Expectation>() else { panic!("{text}") };
            assert!(rule.starts_with("an expectation is"), "{text}: {rule}");
        }
        for (text, rule) in [
            ("p99 < 20", "a time is"),
            ("p99 < 5%", "a time is"),
            ("p99 < offered", "a time is"),
            ("failed < 20ms", "calls are"),
            ("failed < 0.5", "calls are"),
            ("failed < -1", "calls are"),
            ("rate > 5%", "a rate is"),
            ("rate > 20ms", "a rate is"),
            ("rate > of offered", "a rate is"),
        ] {
            let Err(ExpectationError::Rule(found)) = text.parse::<Expectation>() else { panic!("{text}") };
            assert!(found.starts_with(rule), "{text}: {found}");
        }
        let unknown = ExpectationError::NoSuchMetric("latency".to_owned());
        assert_eq!("latency < 20ms".parse::<Expectation>(), Err(unknown));
    }

    /// 90 calls OK of 1 to 90 ms, and 10 that are Unavailable.
    fn run() -> Report {
        closed_loop((1..=100).map(|ms| (ms * MS, if ms > 90 { 14 } else { 0 })))
    }

    #[test]
    fn values_are_compared_exactly() {
        let report = run();
        for (text, held) in [
            ("max == 90ms", true),
            ("max < 90ms", false),
            ("max <= 90ms", true),
            ("max >= 90.000001ms", false),
            ("min == 1ms", true),
            ("avg == 45.5ms", true),
            ("p50 < 46ms", true),
            ("p100 == 90ms", true),
            ("service.max == 90ms", true),
            ("ok == 90", true),
            ("ok >= 90%", true),
            ("ok > 90%", false),
            ("failed <= 10%", true),
            ("failed < 10%", false),
            ("failed < 11", true),
            ("status.Unavailable == 10", true),
            ("status.OK == 90%", true),
            ("status.Internal == 0%", true),
            ("unsent == 0", true),
            ("abandoned <= 0%", true),
            ("throughput > 0", true),
            ("rate > 1000000", false),
        ] {
            let outcome = expectation(text).check(&report);
            assert_eq!(outcome.held, held, "{text}: {}", outcome.found());
        }
    }

    #[test]
    fn without_a_value_it_does_not_hold_and_says_why() {
        let closed = run();
        for (text, reason) in [
            ("lag.p99 < 1h", NoData::ClosedLoop),
            ("response.p99 < 1h", NoData::ClosedLoop),
            ("rate >= 0% of offered", NoData::ClosedLoop),
            ("first_message.p99 < 1h", NoData::NotStreaming),
        ] {
            let outcome = expectation(text).check(&closed);
            assert_eq!((outcome.held, outcome.value), (false, Err(reason)), "{text}");
            assert_eq!(outcome.expectation.never(false, false), Some(reason), "{text}");
            assert_eq!(outcome.expectation.never(true, true), None, "{text}");
        }
        let none_ok = closed_loop([(MS, 14)].into_iter());
        for text in ["p99 < 1h", "avg < 1h"] {
            assert_eq!(expectation(text).check(&none_ok).value, Err(NoData::NoCalls), "{text}");
        }
        let nothing = closed_loop(std::iter::empty());
        assert!(!expectation("failed < 1%").check(&nothing).held, "of no calls");
        assert!(expectation("failed == 0").check(&nothing).held);
    }

    #[test]
    fn a_rate_is_held_against_the_plan() {
        let report = under_a_rate();
        let check = |text| expectation(text).check(&report);
        assert!(check("rate >= 99% of offered").held, "{}", check("rate >= 99% of offered").found());
        assert!(!check("rate >= 110% of offered").held);
        assert!(check("lag.max < 1h").held);
        assert!(check("response.p99 >= 1ns").held);
    }

    #[test]
    fn what_was_found_can_be_told_from_the_bound() {
        let report = run();
        for (text, found) in [
            ("max < 20ms", "90 ms"),
            ("failed == 0", "10 of 100 calls (10 %)"),
            ("lag.p99 < 1s", "no value: calls are planned under a rate only, and this load is a closed loop"),
        ] {
            assert_eq!(expectation(text).check(&report).found(), found);
        }
        assert_eq!(exact(20_004_000), (20.004, "ms"));
    }
}
