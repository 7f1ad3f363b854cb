//! ghz's `options`: what was asked for, by the names of ghz's flags. What ghz leaves out when empty is left out.

use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;

use super::Pairs;
use crate::report::Setup;
use crate::units::Offset;

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
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    import_paths: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    cacert: Option<&'a str>,
    #[serde(rename = "skipTLS", skip_serializing_if = "std::ops::Not::not")]
    skip_tls: bool,
    insecure: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    authority: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rps: Option<Number>,
    load_schedule: &'static str,
    load_start: u64,
    load_end: u64,
    load_step: u64,
    load_step_duration: u64,
    load_max_duration: u64,
    concurrency: u32,
    concurrency_schedule: &'static str,
    concurrency_start: u64,
    concurrency_end: u64,
    concurrency_step: u64,
    concurrency_step_duration: u64,
    concurrency_max_duration: u64,
    total: u64,
    connections: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<u64>,
    dial_timeout: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Data>,
    binary: bool,
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    metadata: Pairs<'a>,
    #[serde(rename = "CPUs")]
    cpus: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    count_errors: bool,
}

impl<'a> Options<'a> {
    pub(super) fn new(setup: &'a Setup, rate: Option<f64>) -> Options<'a> {
        let about = &setup.about;
        // A time is ghz's `duration` where it alone ends the run; beside a number of calls it was given with -x, which
        // ghz does not report.
        let duration = setup.limits.duration().filter(|_| setup.limits.calls().is_none());
        Options {
            call: &about.call,
            host: &about.host,
            proto: about.protos.join(","),
            import_paths: &about.import_paths,
            cacert: about.cacert.as_deref(),
            skip_tls: about.skip_tls,
            insecure: about.plaintext,
            authority: setup.authority.as_deref(),
            rps: rate.map(Number::of),
            load_schedule: "const",
            load_start: 0,
            load_end: 0,
            load_step: 0,
            load_step_duration: 0,
            load_max_duration: 0,
            concurrency: setup.load.in_flight(),
            concurrency_schedule: "const",
            concurrency_start: 0,
            concurrency_end: 0,
            concurrency_step: 1,
            concurrency_step_duration: 0,
            concurrency_max_duration: 0,
            total: setup.limits.calls().unwrap_or(CALLS_UNLIMITED),
            connections: setup.connections.get(),
            duration: duration.map(nanos),
            timeout: setup.deadline.map(nanos),
            dial_timeout: nanos(setup.connect_timeout),
            data: about.data.as_deref().map(Data::of),
            binary: about.binary,
            metadata: Pairs(&about.metadata),
            cpus: about.cpus,
            name: about.name.as_deref().filter(|name| !name.is_empty()),
            count_errors: about.count_errors,
        }
    }
}

fn nanos(duration: Duration) -> u64 {
    Offset::from_duration(duration).as_nanos()
}

/// A rate as ghz writes it where it can, which is a whole number.
#[derive(Serialize)]
#[serde(untagged)]
enum Number {
    Whole(u64),
    Real(f64),
}

impl Number {
    fn of(rate: f64) -> Number {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rates are from 0 to a billion")]
        let whole = rate as u64;
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
        for (rate, text) in [(10.0, "10"), (0.5, "0.5"), (1_000_000_000.0, "1000000000")] {
            assert_eq!(serde_json::to_string(&Number::of(rate)).unwrap(), text);
        }
    }
}
