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
    let of = |name: &str| whole(&report["grpcbench"]["calls"][name]);
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

/// A quantile of `response`, `service` or `lag` times of the calls that the report is about, in milliseconds.
#[track_caller]
pub(crate) fn quantile_ms(report: &Value, which: &str, name: &str) -> f64 {
    whole(&report["grpcbench"][which][name]) as f64 / 1e6
}

#[track_caller]
pub(crate) fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("`{value}` is no whole number"))
}
