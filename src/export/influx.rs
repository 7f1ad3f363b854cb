//! `InfluxDB`'s line protocol, by ghz's names: a line for the run, or a line for each call that is listed.
//!
//! A tag whose value is empty is left out, as the protocol has no such tags; line breaks are written as `\n`, since
//! they would end the line.

use std::io;
use std::time::{Duration, SystemTime};

use super::json::Pairs;
use crate::report::{Detail, Load, Percentile, Population, Report, Schedule, Setup, WarmupLimit, status_name};
use crate::units::Rate;

/// What ghz writes as the number of calls when only time limits a run.
const CALLS_UNLIMITED: u64 = i32::MAX as u64;

/// The line of the run.
pub(super) fn summary(report: &Report) -> String {
    let times = report.times.headline();
    let failed = report.counts.failed;
    let mut line = Line::new("ghz_run", &report.setup);
    line.tag("errors", &failed.to_string());
    line.tag("has_errors", if failed > 0 { "true" } else { "false" });
    line.number("count", report.counts.done);
    line.number("total", report.elapsed.as_nanos());
    line.number("average", times.mean());
    line.number("fastest", times.min());
    line.number("slowest", times.max());
    line.field("rps", &format!("{:.2}", report.throughput));
    line.number("median", Percentile::of(times, 500).ns);
    line.number("p95", Percentile::of(times, 950).ns);
    line.number("p99", Percentile::of(times, 990).ns);
    line.number("errors", failed);
    line.text("verdict", &report.verdict.to_string());
    line.at(report.ended_at())
}

/// Writes a line for each call that is listed.
pub(super) fn details(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    let run = Line::new("ghz_detail", &report.setup);
    for row in report.details.rows() {
        let Detail { done, response_ns, service_ns: _, status, failure: _ } = *row;
        let mut line = run.clone();
        line.tag("hasError", if status == 0 { "false" } else { "true" });
        line.number("latency", response_ns);
        line.text("error", &report.call_error(row));
        line.text("status", &status_name(status));
        io::Write::write_all(&mut out, line.at(report.started_at + done.as_duration()).as_bytes())?;
    }
    io::Write::flush(&mut out)
}

/// A line that grows from left to right: tags, fields, time.
#[derive(Clone)]
struct Line {
    text: String,
    has_fields: bool,
}

impl Line {
    /// With the tags of the run, in ghz's order.
    fn new(measurement: &str, setup: &Setup) -> Line {
        let about = &setup.about;
        let mut line = Line { text: measurement.to_owned(), has_fields: false };
        let seconds = |time: Duration| time.as_secs_f64().to_string();
        line.tag("name", about.name.as_deref().unwrap_or_default());
        line.tag("proto", &about.protos.join(","));
        line.tag("Protoset", &about.protosets.join(","));
        line.tag("call", &about.call);
        line.tag("host", &about.host);
        line.tag("n", &calls(setup).to_string());
        line.load(&setup.load);
        let time_alone = setup.limits.duration().filter(|_| setup.limits.calls().is_none());
        line.tag("z", &time_alone.map_or(0, |time| time.as_nanos()).to_string());
        line.tag("timeout", &setup.deadline.map_or_else(|| "0".to_owned(), seconds));
        line.tag("dial_timeout", &seconds(setup.connect_timeout));
        line.tag("keepalive", &about.keepalive.map_or_else(|| "0".to_owned(), seconds));
        line.tag("data", about.data.as_deref().unwrap_or_default());
        line.tag("metadata", &pairs(&about.metadata));
        line.tag("tags", &pairs(&about.tags));
        line
    }

    fn load(&mut self, load: &Load) {
        match load {
            Load::Closed { concurrency: Population::Changing(growth) } => {
                let change = growth.change();
                self.tag("concurrency-schedule", if change.line { "line" } else { "step" });
                self.tag("concurrency-start", &change.start.to_string());
                self.tag("concurrency-end", &change.end.unwrap_or(0).to_string());
                self.tag("concurrency-step", &change.step.to_string());
                self.tag("concurrency-step-duration", &change.every.as_nanos().to_string());
                self.tag("concurrency-max-duration", &change.longest.unwrap_or_default().as_nanos().to_string());
            }
            load if load.is_unlimited() => {}
            load => self.tag("c", &load.in_flight().to_string()),
        }
        let ramp = match load.schedule() {
            None => return self.tag("rps", "0"),
            Some(Schedule::Constant(rate)) => return self.tag("rps", &rate.per_second().to_string()),
            Some(Schedule::Stages(stages)) => {
                self.tag("load-schedule", "stages");
                return self.tag("load-stages", stages.text());
            }
            Some(Schedule::Steps(steps)) => {
                self.tag("load-schedule", "step");
                steps.ramp()
            }
            Some(Schedule::Line(line)) => {
                self.tag("load-schedule", "line");
                line.ramp()
            }
        };
        self.tag("load-start", &ramp.start.per_second().to_string());
        self.tag("load-end", &ramp.end.map_or(0.0, Rate::per_second).to_string());
        self.tag("load-step", &ramp.step.per_second().to_string());
        self.tag("load-step-duration", &ramp.every.as_nanos().to_string());
        self.tag("load-max-duration", &ramp.longest.unwrap_or_default().as_nanos().to_string());
    }

    fn tag(&mut self, name: &str, value: &str) {
        if value.is_empty() {
            return;
        }
        self.text.push(',');
        self.text.push_str(name);
        self.text.push('=');
        for c in value.chars() {
            match c {
                ',' | '=' | ' ' => self.text.extend(['\\', c]),
                c if c.is_control() => self.text.extend(c.escape_default()),
                c => self.text.push(c),
            }
        }
        // A backslash at the end would take the separator behind it for a part of the value.
        if value.ends_with('\\') {
            self.text.push_str("\\ ");
        }
    }

    fn number(&mut self, name: &str, value: u64) {
        self.field(name, &value.to_string());
    }

    fn text(&mut self, name: &str, value: &str) {
        let mut quoted = String::from('"');
        for c in value.chars() {
            match c {
                '"' | '\\' => quoted.extend(['\\', c]),
                // The backslash of the escape is one of the value, and escaped too.
                c if c.is_control() => quoted.extend(c.escape_default().flat_map(|c| {
                    let twice = (c == '\\').then_some('\\');
                    twice.into_iter().chain([c])
                })),
                c => quoted.push(c),
            }
        }
        quoted.push('"');
        self.field(name, &quoted);
    }

    fn field(&mut self, name: &str, value: &str) {
        self.text.push(if self.has_fields { ',' } else { ' ' });
        self.has_fields = true;
        self.text.push_str(name);
        self.text.push('=');
        self.text.push_str(value);
    }

    fn at(mut self, time: SystemTime) -> String {
        let nanos = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        self.text.push(' ');
        self.text.push_str(&nanos.to_string());
        self.text.push('\n');
        self.text
    }
}

/// ghz's `n`.
fn calls(setup: &Setup) -> u64 {
    let skipped = match setup.limits.warmup() {
        Some(WarmupLimit::Calls(calls)) if setup.about.skip_first => calls,
        _ => 0,
    };
    setup.limits.calls().map_or(CALLS_UNLIMITED, |calls| calls.saturating_add(skipped))
}

/// Names with texts as a JSON object; nothing without any.
fn pairs(pairs: &[(String, String)]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    serde_json::to_string(&Pairs(pairs)).expect("texts can be written as JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Line {
        Line { text: "m".to_owned(), has_fields: false }
    }

    #[test]
    fn tags_are_escaped_and_never_empty() {
        let mut tags = line();
        tags.tag("empty", "");
        tags.tag("a", "J, D=1 \"q\"");
        tags.tag("b", "x\ny\\");
        tags.tag("c", "z");
        assert_eq!(tags.text, r#"m,a=J\,\ D\=1\ "q",b=x\ny\\ ,c=z"#);
    }

    #[test]
    fn texts_are_quoted_on_one_line() {
        let mut fields = line();
        fields.text("error", "no, \"really\" a=b\\c\n2nd");
        fields.number("latency", 7);
        assert_eq!(fields.text, r#"m error="no, \"really\" a=b\\c\\n2nd",latency=7"#);
    }

    #[test]
    fn a_name_that_comes_again_keeps_all_its_texts() {
        let given = [("b", "1"), ("a", "x"), ("b", "2")].map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(pairs(&given), r#"{"b":"1,2","a":"x"}"#);
        assert_eq!(pairs(&[]), "");
    }
}
