//! The numbers of a JSON report, by what they mean. The one place that knows where the report has them.

use serde_json::Value;

/// How many calls came to what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Counts {
    pub(crate) arrivals: u64,
    pub(crate) sent: u64,
    pub(crate) unsent: u64,
    pub(crate) done: u64,
    pub(crate) ok: u64,
    pub(crate) failed: u64,
    pub(crate) abandoned: u64,
}

/// The counts of a report, which are checked against each other and against what ghz's keys say.
#[track_caller]
pub(crate) fn counts(report: &Value) -> Counts {
    let of = |name: &str| whole(&report["grpcbench"]["counts"][name]);
    let counts = Counts {
        arrivals: of("arrivals"),
        sent: of("sent"),
        unsent: of("unsent"),
        done: of("done"),
        ok: of("ok"),
        failed: of("failed"),
        abandoned: of("abandoned"),
    };
    assert_eq!(counts.arrivals, counts.sent + counts.unsent, "{counts:?}");
    assert_eq!(counts.sent, counts.done + counts.abandoned, "{counts:?}");
    assert_eq!(counts.done, counts.ok + counts.failed, "{counts:?}");
    assert_eq!(counts.done, whole(&report["count"]), "{counts:?}");
    assert_eq!(counts.ok, status(report, "OK"), "{counts:?}");
    let statuses = report["statusCodeDistribution"].as_object().unwrap();
    assert_eq!(counts.done, statuses.values().map(whole).sum::<u64>(), "{statuses:?}");
    let errors = report["errorDistribution"].as_object().unwrap();
    assert_eq!(counts.failed, errors.values().map(whole).sum::<u64>(), "{errors:?}");
    counts
}

/// How many calls ended with a status.
pub(crate) fn status(report: &Value, name: &str) -> u64 {
    report["statusCodeDistribution"][name].as_u64().unwrap_or(0)
}

/// How long the run took, in seconds.
#[track_caller]
pub(crate) fn total_s(report: &Value) -> f64 {
    whole(&report["total"]) as f64 / 1e9
}

/// Calls a second that were planned; `None` in a closed loop.
pub(crate) fn offered_rate(report: &Value) -> Option<f64> {
    report["grpcbench"]["rates"]["offered"].as_f64()
}

/// Times of calls that ended OK (`response`, `service`), or `lag`; `None` if there are none of that kind.
pub(crate) fn times<'a>(report: &'a Value, which: &str) -> Option<&'a Value> {
    let times = &report["grpcbench"]["times"];
    Some(if which == "lag" { &times["lag"] } else { &times["ok"][which] }).filter(|times| times.is_object())
}

/// A percentile of such times, in milliseconds.
#[track_caller]
pub(crate) fn percentile_ms(report: &Value, which: &str, percentile: &str) -> f64 {
    let times = times(report, which).unwrap_or_else(|| panic!("no {which} times in {report}"));
    whole(&times["percentiles_ns"][percentile]) as f64 / 1e6
}

#[track_caller]
pub(crate) fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("`{value}` is no whole number"))
}
