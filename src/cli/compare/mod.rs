//! `grpcbench compare`: runs side by side, and what can be said of their difference.
//!
//! Runs of one name are repetitions of one thing and share a column; `--a` and `--b` make two columns of what they name. The
//! first column, or the one that `--baseline` names, is what the others are held against.

mod runs;

use std::path::PathBuf;

use super::args::CompareArgs;
use super::claims::Claims;
use super::expect::Gate;
use super::output::Place;
use super::step_summary::StepSummary;
use super::values::{parsed, word};
use super::{Exit, diagnose, expect};
use crate::error::{GateError, Problems, UsageError};
use crate::export::TableFormat;
use crate::report::compare::{self, Column, Comparison, FailOn, Finding, can_tell};
use crate::report::metric::Metric;
use crate::report::table::Table;
use crate::report::{Difference, Report};
use runs::{Run, columns, files};

/// Compares what `args` name.
pub(super) fn compare(args: &CompareArgs) -> Result<Exit, Problems> {
    let files = files(args);
    let asked = Asked::new(args, &files)?;
    let runs = Run::all(files, &asked.gate)?;
    let columns = columns(args, &runs)?;
    if asked.fail_on.is_some() {
        can_fail(&columns)?;
    }
    let differences = unlike(&runs, args.force)?;

    let named = columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut tables = vec![compare::side_by_side(named, &columns)];
    tables[0].notes.extend(differences);
    let mut failures = Vec::new();
    if let Some((baseline, others)) = columns.split_first() {
        for other in others {
            let (table, failed) = against(baseline, other, &asked);
            tables.push(table);
            failures.extend(failed);
        }
    }
    tables.extend(compare::expected(&columns));
    let written = asked.place.put(|out| asked.format.write(&tables, out));
    let summary = asked.summary.map_or(Ok(()), |summary| summary.write(&tables));

    let reports: Vec<(&str, &Report)> = runs.iter().map(|run| (run.name.as_str(), &run.report)).collect();
    let (held, told) = asked.gate.close(&reports);
    for failure in &failures {
        diagnose::failure(failure);
    }
    let mut exit = if held && failures.is_empty() { Exit::Fine } else { Exit::Failed };
    for error in [written, told, summary].into_iter().filter_map(Result::err) {
        diagnose::show(&error.into());
        exit = Exit::Failed;
    }
    Ok(exit)
}

/// What the flags say besides the runs.
struct Asked {
    metrics: Vec<Metric>,
    fail_on: Option<FailOn>,
    gate: Gate,
    place: Place,
    format: TableFormat,
    summary: Option<StepSummary>,
}

impl Asked {
    fn new(args: &CompareArgs, files: &[PathBuf]) -> Result<Asked, Problems> {
        let mut problems = Problems::new();
        let format = problems.keep(format(args.format.as_deref()));
        let fail_on = problems.keep(args.fail_on.as_deref().map(fail_on).transpose());
        let metrics = args.metric.iter().filter_map(|name| problems.keep(expect::metric("--metric", name)));
        let metrics: Vec<Metric> = metrics.collect();
        let mut claims = Claims::default();
        claims.read("the comparison", files);
        let gate = problems.keep(Gate::new(&args.expect, args.junit.as_deref(), false, &mut claims));
        let place = problems.keep(Place::open(args.output.as_deref(), &mut claims));
        problems.into_result()?;
        let everything = (|| {
            let metrics = if metrics.is_empty() { compare::metrics().collect() } else { metrics };
            let (fail_on, gate, place, format) = (fail_on?, gate?, place?, format?);
            Some(Asked { metrics, fail_on, gate, place, format, summary: StepSummary::open() })
        })();
        Ok(everything.expect("whatever is missing is among the problems"))
    }
}

fn format(name: Option<&str>) -> Result<TableFormat, UsageError> {
    name.map_or(Ok(TableFormat::Text), |name| word("--format", name))
}

fn fail_on(text: &str) -> Result<FailOn, UsageError> {
    parsed("--fail-on", text)
}

/// Errors if there are too few runs for a verdict: then `--fail-on` would say that all is well, whatever happened.
fn can_fail(columns: &[Column<'_>]) -> Result<(), GateError> {
    let Some((baseline, others)) = columns.split_first() else { return Ok(()) };
    let before = baseline.runs.len();
    match others.iter().map(|other| other.runs.len()).find(|after| !can_tell(before, *after)) {
        Some(after) => Err(GateError::GateStaysOpen { before, after }),
        None => Ok(()),
    }
}

/// In what the plans of the runs are unlike, as notes for a table; a mistake unless that is meant.
fn unlike(runs: &[Run], meant: bool) -> Result<Vec<String>, GateError> {
    let differences = compare::differences(runs.iter().map(|run| (run.name.as_str(), &run.report)));
    let told = |(name, Difference { what, first, other }): &(&str, Difference)| {
        format!("the {what} is {first}, and {other} in `{name}`")
    };
    let differences: Vec<String> = differences.iter().map(told).collect();
    match differences.as_slice() {
        [] => Ok(Vec::new()),
        _ if meant => Ok(vec![format!("These runs had different plans: {}.", differences.join("; "))]),
        _ => Err(GateError::UnlikePlans { differences }),
    }
}

/// What can be said of two columns, and what of it fails the comparison.
fn against(baseline: &Column<'_>, other: &Column<'_>, asked: &Asked) -> (Table, Vec<String>) {
    if let ([before], [after]) = (baseline.runs.as_slice(), other.runs.as_slice()) {
        return (compare::pair((&baseline.name, before), (&other.name, after)), Vec::new());
    }
    let comparison = Comparison::of_reports(asked.metrics.iter().copied(), &baseline.runs, &other.runs);
    let failures = asked.fail_on.iter().flat_map(|fail_on| fail_on.failures(&comparison));
    let failures = failures.map(|change| {
        format!("{}: {} is {} by {:+.1} %", other.name, change.metric, Finding::Worse, change.estimate * 100.0)
    });
    let failures = failures.collect();
    (compare::verdicts(&comparison, &baseline.name, &other.name), failures)
}
