//! ghz's `options`: what was asked for, by the names of ghz's flags. What ghz leaves out when empty is left out.

use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;

use super::Pairs;
use crate::report::{Load, Population, Ramp, Schedule, Setup, WarmupLimit};
use crate::units::{Offset, Rate};

/// What ghz writes as the number of calls when only time limits a run.
const CALLS_UNLIMITED: u64 = i32::MAX as u64;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "ghz has so many switches")]
pub(super) struct Options<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    call: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    host: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    proto: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    protoset: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    import_paths: &'a [String],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    enable_compression: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cacert: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cert: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cname: Option<&'a str>,
    #[serde(rename = "skipTLS", skip_serializing_if = "std::ops::Not::not")]
    skip_tls: bool,
    insecure: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    authority: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rps: Option<Number>,
    #[serde(flatten)]
    load: LoadSchedule,
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency: Option<u32>,
    #[serde(flatten)]
    population: ConcurrencySchedule,
    total: u64,
    #[serde(rename = "async", skip_serializing_if = "std::ops::Not::not")]
    is_async: bool,
    connections: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<u64>,
    dial_timeout: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    keepalive: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Data>,
    binary: bool,
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    metadata: Pairs<'a>,
    #[serde(rename = "CPUs")]
    cpus: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(rename = "skipFirst", skip_serializing_if = "Option::is_none")]
    skip_first: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    count_errors: bool,
}

/// How the rate changes; ghz's names of its pacers.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::struct_field_names, reason = "the names of ghz's keys")]
struct LoadSchedule {
    load_schedule: &'static str,
    load_start: Number,
    load_end: Number,
    load_step: Number,
    load_step_duration: u64,
    load_max_duration: u64,
}

impl LoadSchedule {
    fn new(load: &Load) -> LoadSchedule {
        let (load_schedule, ramp) = match load.schedule() {
            None | Some(Schedule::Constant(_)) => ("const", None),
            // A course that ghz cannot be asked for; its text is among our own keys.
            Some(Schedule::Stages(_)) => ("stages", None),
            Some(Schedule::Steps(steps)) => ("step", Some(steps.ramp())),
            Some(Schedule::Line(line)) => ("line", Some(line.ramp())),
        };
        let number = |of: fn(&Ramp) -> f64| Number::of(ramp.as_ref().map_or(0.0, of));
        LoadSchedule {
            load_schedule,
            load_start: number(|ramp| ramp.start.per_second()),
            load_end: number(|ramp| ramp.end.map_or(0.0, Rate::per_second)),
            load_step: number(|ramp| ramp.step.per_second()),
            load_step_duration: ramp.map_or(0, |ramp| nanos(ramp.every)),
            load_max_duration: ramp.and_then(|ramp| ramp.longest).map_or(0, nanos),
        }
    }
}

/// How the number of callers changes.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::struct_field_names, reason = "the names of ghz's keys")]
struct ConcurrencySchedule {
    concurrency_schedule: &'static str,
    concurrency_start: u32,
    concurrency_end: u32,
    concurrency_step: i32,
    concurrency_step_duration: u64,
    concurrency_max_duration: u64,
}

impl ConcurrencySchedule {
    fn new(load: &Load) -> ConcurrencySchedule {
        match load {
            Load::Closed { concurrency: Population::Changing(growth) } => {
                let change = growth.change();
                ConcurrencySchedule {
                    concurrency_schedule: if change.line { "line" } else { "step" },
                    concurrency_start: change.start,
                    concurrency_end: change.end.unwrap_or(0),
                    concurrency_step: change.step,
                    concurrency_step_duration: nanos(change.every),
                    concurrency_max_duration: change.longest.map_or(0, nanos),
                }
            }
            _ => ConcurrencySchedule {
                concurrency_schedule: "const",
                concurrency_start: 0,
                concurrency_end: 0,
                // What ghz writes there when nothing was asked for.
                concurrency_step: 1,
                concurrency_step_duration: 0,
                concurrency_max_duration: 0,
            },
        }
    }
}

impl<'a> Options<'a> {
    pub(super) fn new(setup: &'a Setup) -> Options<'a> {
        let about = &setup.about;
        // A time is ghz's `duration` where it alone ends the run; beside a number of calls it was given with -x, which
        // ghz does not report.
        let skip_first = match setup.limits.warmup() {
            Some(WarmupLimit::Calls(calls)) if about.skip_first => Some(calls),
            _ => None,
        };
        let duration = setup.limits.duration().filter(|_| setup.limits.calls().is_none());
        Options {
            call: &about.call,
            host: &about.host,
            proto: about.protos.join(","),
            protoset: about.protosets.join(","),
            import_paths: &about.import_paths,
            enable_compression: about.compressed,
            cacert: about.cacert.as_deref(),
            cert: about.cert.as_deref(),
            key: about.key.as_deref(),
            cname: about.cname.as_deref(),
            skip_tls: about.skip_tls,
            insecure: about.plaintext,
            authority: setup.authority.as_deref(),
            rps: match setup.load.schedule() {
                Some(Schedule::Constant(rate)) => Some(Number::of(rate.per_second())),
                _ => None,
            },
            load: LoadSchedule::new(&setup.load),
            concurrency: match &setup.load {
                Load::Closed { concurrency: Population::Changing(_) } => None,
                load => Some(load.in_flight()).filter(|_| !load.is_unlimited()),
            },
            population: ConcurrencySchedule::new(&setup.load),
            total: setup.limits.calls().map_or(CALLS_UNLIMITED, |calls| calls + skip_first.unwrap_or(0)),
            is_async: setup.load.is_unlimited(),
            connections: setup.connections.get(),
            duration: duration.map(nanos),
            timeout: setup.deadline.map(nanos),
            dial_timeout: nanos(setup.connect_timeout),
            keepalive: about.keepalive.map(nanos),
            data: about.data.as_deref().map(Data::of),
            binary: about.binary,
            metadata: Pairs(&about.metadata),
            cpus: about.cpus,
            name: about.name.as_deref().filter(|name| !name.is_empty()),
            skip_first,
            count_errors: about.count_errors,
        }
    }
}

fn nanos(duration: Duration) -> u64 {
    Offset::from_duration(duration).as_nanos()
}

impl Options<'_> {
    /// The data as it stands in the document; `None` where that is a string that stands for other text, or a `null`,
    /// which readers take for no data at all.
    pub(super) fn data(&self) -> Option<&str> {
        match self.data.as_ref()? {
            Data::Json(json) => Some(json.get()).filter(|json| *json != "null"),
            Data::Text(_) => None,
        }
    }
}

/// A rate as ghz writes it where it can, which is a whole number.
#[derive(Serialize)]
#[serde(untagged)]
enum Number {
    Whole(i64),
    Real(f64),
}

impl Number {
    fn of(rate: f64) -> Number {
        #[expect(clippy::cast_possible_truncation, reason = "rates are at most a billion")]
        let whole = rate as i64;
        if (whole as f64).to_bits() == rate.to_bits() { Number::Whole(whole) } else { Number::Real(rate) }
    }
}

/// The data of the calls as it was typed: the very JSON, so that no digit is lost; or a string where it is no JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum Data {
    Json(Box<RawValue>),
    Text(String),
}

impl Data {
    fn of(text: &str) -> Data {
        match serde_json::from_str::<&RawValue>(text).map(|_| RawValue::from_string(on_one_line(text))) {
            Ok(Ok(json)) => Data::Json(json),
            _ => Data::Text(text.to_owned()),
        }
    }
}

/// JSON without the white space between its tokens, which must not break the lines of a document in one line.
fn on_one_line(json: &str) -> String {
    let mut in_string = false;
    let mut escaped = false;
    json.chars()
        .filter(|c| {
            if in_string {
                in_string = escaped || *c != '"';
                escaped = !escaped && *c == '\\';
                return true;
            }
            in_string = *c == '"';
            !matches!(c, ' ' | '\t' | '\n' | '\r')
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        serde_json::to_string(&Data::of(text)).unwrap()
    }

    #[test]
    fn data_keeps_every_digit() {
        let data = r#"{"id":18446744073709551615,"big":1e400,"pi":3.14159265358979323846,"a":1,"a":2}"#;
        assert_eq!(written(data), data);
    }

    #[test]
    fn data_is_put_on_one_line() {
        assert_eq!(
            written(" { \"a b\" :\n\t\"c \\\" d\\\\\" , \"e\":[ 1 ,2 ]\r\n}\n"),
            r#"{"a b":"c \" d\\","e":[1,2]}"#
        );
    }

    #[test]
    fn what_is_no_json_is_a_string() {
        assert_eq!(written("{\"name\": {{.RequestNumber}}}\n"), r#""{\"name\": {{.RequestNumber}}}\n""#);
        assert_eq!(written(""), r#""""#);
    }

    #[test]
    fn rates_are_whole_where_they_can_be() {
        for (rate, text) in [(10.0, "10"), (-10.0, "-10"), (0.0, "0"), (0.5, "0.5"), (1_000_000_000.0, "1000000000")] {
            assert_eq!(serde_json::to_string(&Number::of(rate)).unwrap(), text);
        }
    }
}
