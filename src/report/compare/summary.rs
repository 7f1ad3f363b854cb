//! What a comparison found, as tables with the sentences that belong to them.

use super::super::metric::Metric;
use super::super::table::{Cell, Table};
use super::super::{Report, Warning};
use super::groups::{Change, Comparison, Finding, can_tell};
use super::pair::apart;
use super::shift::whole;
use super::side_by_side::{Column, side_by_side};

/// What a single run gave: its figures with what speaks against them, and what came of the expectations.
pub fn tables(name: &str, report: &Report) -> Vec<Table> {
    let column = [Column { name: name.to_owned(), runs: vec![report] }];
    let mut figures = side_by_side(report.setup.load.to_string(), &column);
    figures.notes.extend(report.reasons().map(Warning::text));
    std::iter::once(figures).chain(expected(&column)).collect()
}

/// A row for each metric of two groups of runs: their medians, the change with its interval, and the verdict.
pub fn verdicts(comparison: &Comparison, before: &str, after: &str) -> Table {
    let head = [before, after, "Change", "from", "to", "p", "Verdict"];
    let mut table =
        Table::new(format!("{after} ({} runs) against {before} ({} runs)", comparison.after, comparison.before), head);
    for change in &comparison.changes {
        table.push(change.metric.to_string(), cells(change));
    }
    table.notes = notes(comparison);
    table
}

fn cells(change: &Change) -> [Cell; 7] {
    let Change { metric, before, after, estimate, interval, p, finding } = *change;
    let (from, to) = interval.map_or((Cell::None, Cell::None), |(from, to)| (Cell::Change(from), Cell::Change(to)));
    let p = if finding == Finding::TooFewRuns { Cell::None } else { Cell::Real(p) };
    let finding = Cell::Text(finding.to_string());
    [figure(metric, before), figure(metric, after), Cell::Change(estimate), from, to, p, finding]
}

fn notes(comparison: &Comparison) -> Vec<String> {
    let (before, after) = (comparison.before, comparison.after);
    let mut notes = Vec::new();
    if can_tell(before, after) {
        notes.push(
            "Each run is one observation. The intervals hold for all metrics at once in 95 of 100 comparisons, and p is how \
             often chance alone takes some metric as far (permutations of the Mann-Whitney ranks, maxT)."
                .to_owned(),
        );
    } else {
        notes.push(format!(
            "{before} and {after} runs are too few ever to tell: the most extreme of all ways to share them out is no rarer \
             than 1 in 20. With 4 runs on each side a large difference can be shown, with 10 a small one.",
        ));
    }
    for metric in &comparison.left_out {
        notes.push(format!("{metric} is left out: not every run has enough calls for it."));
    }
    notes
}

/// Two single runs: how far apart they are, beside how much each moved while it ran. No verdict comes of that.
pub fn pair(before: (&str, &Report), after: (&str, &Report)) -> Table {
    let head = [before.0, after.0, "Change", "from", "to"];
    let mut table = Table::new(format!("{} against {}, in their median intervals", after.0, before.0), head);
    for apart in apart(before.1, after.1) {
        let (from, to) = apart.interval;
        let (one, other) = (figure(apart.metric, apart.before), figure(apart.metric, apart.after));
        table.push(
            apart.metric.to_string(),
            [one, other, Cell::Change(apart.estimate), Cell::Change(from), Cell::Change(to)],
        );
    }
    table.notes.push(
        "This is one pair of runs: it cannot tell the server from the day. The intervals say how steady each run was in itself \
         (block bootstrap over its time series, 95 %), and not what another run would give. Repeat the runs and compare the \
         groups with --a and --b."
            .to_owned(),
    );
    if table.rows.is_empty() {
        let need = "intervals need runs with at least ten whole intervals of one length (--interval), and enough calls in each";
        table.notes.push(format!("There is nothing to show in this table: {need}."));
    }
    table
}

/// A value in the unit of its metric.
fn figure(metric: Metric, value: f64) -> Cell {
    match metric {
        Metric::Time(..) => Cell::Nanos(whole(value.round()) as u64),
        Metric::Calls(_) => Cell::Count(whole(value.round()) as u64),
        Metric::Rate(_) => Cell::PerSecond(value),
    }
}

/// What came of the expectations, a row for each.
pub fn expected(columns: &[Column<'_>]) -> Option<Table> {
    let first = columns.iter().find_map(|column| column.runs.first())?;
    let mut table = Table::new("Expectations", columns.iter().map(|column| column.name.clone()));
    for (at, outcome) in first.expectations.iter().enumerate() {
        table.push(outcome.expectation.to_string(), columns.iter().map(|column| held(column, at)));
    }
    Some(table).filter(|table| !table.rows.is_empty())
}

/// What came of expectation `at` in the runs of a column.
fn held(column: &Column<'_>, at: usize) -> Cell {
    let outcomes: Vec<_> = column.runs.iter().map(|run| run.expectations[at]).collect();
    let held = outcomes.iter().filter(|outcome| outcome.held).count();
    let text = if held == outcomes.len() { "held" } else { "failed" };
    Cell::Text(match outcomes.as_slice() {
        [outcome] => format!("{text}: {}", outcome.found()),
        outcomes => format!("{text}: {held} of {} runs held", outcomes.len()),
    })
}
