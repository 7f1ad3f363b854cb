//! What can be asked of a report by name: `p99`, `service.avg`, `failed`, `status.Unavailable`, `throughput`.

use std::fmt;
use std::str::FromStr;

use super::statuses::{self, status_name};
use super::{Distribution, Report};

/// A figure of a report.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Metric {
    /// A time.
    Time(Times, Statistic),
    /// A number of calls.
    Calls(Calls),
    /// A rate.
    Rate(RateOf),
}

/// Which times.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Times {
    /// Those that the report is about: response times under a rate, service times in a closed loop.
    Headline,
    /// From the real start to the end.
    Service,
    /// From the planned start to the end; only under a rate.
    Response,
    /// From the planned start to the real one; only under a rate.
    Lag,
    /// From the real start of a streaming call to the first message of its answer.
    FirstMessage,
}

/// What is read from them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Statistic {
    /// The mean.
    Average,
    /// The shortest.
    Min,
    /// The longest.
    Max,
    /// A percentile.
    Percentile(Percentage),
}

/// A percentage above 0 and up to 100, in thousandths: 99,900 is 99.9 %.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Percentage(u32);

/// Which calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Calls {
    /// Those that ended OK.
    Ok,
    /// Those that ended with another status.
    Failed,
    /// Those that were due and never started.
    Unsent,
    /// Those that were cut off at the end.
    Abandoned,
    /// Those that ended with this status.
    Status(u32),
}

/// Which rate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RateOf {
    /// Calls that ended.
    Throughput,
    /// Calls that started.
    Sent,
}

/// The value of a metric.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// A time, in nanoseconds.
    Nanos(u64),
    /// So many of so many calls.
    Calls {
        /// How many.
        count: u64,
        /// Of how many: of those that ended, for statuses; of those sent, for abandoned ones; of those due, for unsent ones.
        whole: u64,
    },
    /// So many in a second.
    PerSecond {
        /// How many.
        rate: f64,
        /// How many were planned; `None` in a closed loop.
        offered: Option<f64>,
    },
}

/// Why a metric has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoData {
    /// Nothing is planned in a closed loop.
    ClosedLoop,
    /// Only streaming calls have it.
    NotStreaming,
    /// No call that it is about came to an end.
    NoCalls,
}

impl Metric {
    /// The percentile of the headline times.
    pub const fn percentile(percentage: Percentage) -> Metric {
        Metric::Time(Times::Headline, Statistic::Percentile(percentage))
    }

    /// Names to choose from, where not all can be listed.
    pub fn known() -> Vec<String> {
        let times = ["", "service.", "response.", "lag.", "first_message."];
        let statistics = ["avg", "min", "max", "p50", "p90", "p95", "p99", "p99.9"];
        let times = times.iter().flat_map(|times| statistics.map(|statistic| format!("{times}{statistic}")));
        let others = ["ok", "failed", "unsent", "abandoned", "throughput", "rate"].map(str::to_owned);
        times.chain(others).chain((0..=16).map(|code| format!("status.{}", status_name(code)))).collect()
    }

    /// Why it cannot have a value, whatever comes of the run, if that is so.
    pub fn never(self, open: bool, streaming: bool) -> Option<NoData> {
        match self {
            Metric::Time(Times::Lag | Times::Response, _) if !open => Some(NoData::ClosedLoop),
            Metric::Time(Times::FirstMessage, _) if !streaming => Some(NoData::NotStreaming),
            _ => None,
        }
    }

    /// The percentage, if it is a percentile.
    pub fn percentage(self) -> Option<Percentage> {
        match self {
            Metric::Time(_, Statistic::Percentile(percentage)) => Some(percentage),
            _ => None,
        }
    }

    /// Whether less is better.
    pub fn less_is_better(self) -> bool {
        match self {
            Metric::Time(..) => true,
            Metric::Calls(calls) => calls != Calls::Ok && calls != Calls::Status(0),
            Metric::Rate(_) => false,
        }
    }

    /// Its value in `report`.
    pub fn value(self, report: &Report) -> Result<Value, NoData> {
        match self {
            Metric::Time(times, statistic) => times.of(report).and_then(|times| statistic.of(times)).map(Value::Nanos),
            Metric::Calls(calls) => Ok(calls.of(report)),
            Metric::Rate(RateOf::Throughput) => {
                Ok(Value::PerSecond { rate: report.throughput, offered: report.offered_rate })
            }
            Metric::Rate(RateOf::Sent) => Ok(Value::PerSecond { rate: report.send_rate, offered: report.offered_rate }),
        }
    }
}

impl Times {
    /// These times in `report`.
    pub fn of(self, report: &Report) -> Result<&Distribution, NoData> {
        match self {
            Times::Headline => Ok(report.times.headline()),
            Times::Service => Ok(&report.times.service),
            Times::Response => report.times.response.as_ref().ok_or(NoData::ClosedLoop),
            Times::Lag => report.lag.as_ref().ok_or(NoData::ClosedLoop),
            Times::FirstMessage => {
                report.streams.as_ref().map(|streams| &streams.first_message).ok_or(NoData::NotStreaming)
            }
        }
    }
}

impl Statistic {
    fn of(self, times: &Distribution) -> Result<u64, NoData> {
        if times.is_empty() {
            return Err(NoData::NoCalls);
        }
        Ok(match self {
            Statistic::Average => times.mean(),
            Statistic::Min => times.min(),
            Statistic::Max => times.max(),
            Statistic::Percentile(percentage) => times.quantile(percentage.quantile()),
        })
    }
}

impl Calls {
    fn of(self, report: &Report) -> Value {
        let counts = &report.counts;
        let (count, whole) = match self {
            Calls::Ok => (counts.ok, counts.done),
            Calls::Failed => (counts.failed, counts.done),
            Calls::Unsent => (counts.unsent, counts.arrivals),
            Calls::Abandoned => (counts.abandoned, counts.sent),
            Calls::Status(code) => {
                let row = report.statuses.iter().find(|row| row.code == Some(code));
                (row.map_or(0, |row| row.count), counts.done)
            }
        };
        Value::Calls { count, whole }
    }
}

impl Percentage {
    /// `permille` / 10 percent.
    pub const fn of_permille(permille: u16) -> Percentage {
        Percentage(permille as u32 * 100)
    }

    /// The same as a part of 1.
    pub fn quantile(self) -> f64 {
        f64::from(self.0) / 100_000.0
    }
}

/// `p50`, `service.p99.9`, `failed`, `status.Unavailable`, `rate`.
impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Metric::Time(times, statistic) => write!(f, "{times}{statistic}"),
            Metric::Calls(Calls::Ok) => f.write_str("ok"),
            Metric::Calls(Calls::Failed) => f.write_str("failed"),
            Metric::Calls(Calls::Unsent) => f.write_str("unsent"),
            Metric::Calls(Calls::Abandoned) => f.write_str("abandoned"),
            Metric::Calls(Calls::Status(code)) => write!(f, "status.{}", status_name(*code)),
            Metric::Rate(RateOf::Throughput) => f.write_str("throughput"),
            Metric::Rate(RateOf::Sent) => f.write_str("rate"),
        }
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Times::Headline => "",
            Times::Service => "service.",
            Times::Response => "response.",
            Times::Lag => "lag.",
            Times::FirstMessage => "first_message.",
        })
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statistic::Average => f.write_str("avg"),
            Statistic::Min => f.write_str("min"),
            Statistic::Max => f.write_str("max"),
            Statistic::Percentile(percentage) => write!(f, "p{percentage}"),
        }
    }
}

/// `50`, `99.9`.
impl fmt::Display for Percentage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / 1_000, self.0 % 1_000);
        if part == 0 {
            return write!(f, "{whole}");
        }
        let part = format!("{part:03}");
        write!(f, "{whole}.{}", part.trim_end_matches('0'))
    }
}

impl fmt::Display for NoData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoData::ClosedLoop => "calls are planned under a rate only, and this load is a closed loop",
            NoData::NotStreaming => "only streaming calls have it",
            NoData::NoCalls => "no call came to such an end",
        })
    }
}

/// A text that names no metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownMetric;

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Metric, UnknownMetric> {
        let metric = match text {
            "ok" => Metric::Calls(Calls::Ok),
            "failed" => Metric::Calls(Calls::Failed),
            "unsent" => Metric::Calls(Calls::Unsent),
            "abandoned" => Metric::Calls(Calls::Abandoned),
            "throughput" => Metric::Rate(RateOf::Throughput),
            "rate" => Metric::Rate(RateOf::Sent),
            text => match text.strip_prefix("status.") {
                Some(name) => Metric::Calls(Calls::Status(statuses::status_code(name).ok_or(UnknownMetric)?)),
                None => time(text).ok_or(UnknownMetric)?,
            },
        };
        Ok(metric)
    }
}

fn time(text: &str) -> Option<Metric> {
    let named = [Times::Service, Times::Response, Times::Lag, Times::FirstMessage];
    let of = named.into_iter().find_map(|times| Some((times, text.strip_prefix(&times.to_string())?)));
    let (times, statistic) = of.unwrap_or((Times::Headline, text));
    let statistic = match statistic {
        "avg" => Statistic::Average,
        "min" => Statistic::Min,
        "max" => Statistic::Max,
        other => Statistic::Percentile(other.strip_prefix('p')?.parse().ok()?),
    };
    Some(Metric::Time(times, statistic))
}

impl FromStr for Percentage {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Percentage, UnknownMetric> {
        let (whole, part) = text.split_once('.').map_or((text, None), |(whole, part)| (whole, Some(part)));
        let part = part.unwrap_or("0");
        let digits = |text: &str, most| (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole, 3) || !digits(part, 3) {
            return Err(UnknownMetric);
        }
        let thousandths: u32 = format!("{whole}{part:0<3}").parse().map_err(|_| UnknownMetric)?;
        if (1..=100_000).contains(&thousandths) { Ok(Percentage(thousandths)) } else { Err(UnknownMetric) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for name in Metric::known() {
            assert_eq!(name.parse::<Metric>().unwrap().to_string(), name);
        }
        for (name, canonical) in [
            ("p99.90", "p99.9"),
            ("p099", "p99"),
            ("p100", "p100"),
            ("p99.999", "p99.999"),
            ("p0.001", "p0.001"),
            ("status.UNAVAILABLE", "status.Unavailable"),
            ("status.DEADLINE_EXCEEDED", "status.DeadlineExceeded"),
            ("status.cancelled", "status.Canceled"),
            ("status.14", "status.Unavailable"),
            ("status.99", "status.Code(99)"),
            ("status.Code(99)", "status.Code(99)"),
        ] {
            assert_eq!(name.parse::<Metric>().unwrap().to_string(), canonical, "{name}");
        }
        for name in [
            "",
            "p",
            "p0",
            "p100.1",
            "p99.",
            "p.9",
            "p99.9999",
            "p-1",
            "P99",
            "service",
            "service.",
            "lag.ok",
            "status.",
            "status.Fine",
            "status.-1",
        ] {
            assert!(name.parse::<Metric>().is_err(), "{name}");
        }
    }

    #[test]
    fn quantiles_are_those_of_reports() {
        for permille in [1, 500, 990, 999] {
            let ours = Percentage::of_permille(permille).quantile();
            assert_eq!(ours.to_bits(), (f64::from(permille) / 1000.0).to_bits(), "{permille}");
        }
    }
}
