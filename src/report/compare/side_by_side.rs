//! Runs side by side: counts, times and percentiles, a column for each.

use super::super::metric::{Calls, Metric, NoData, Percentage, RateOf, Statistic, Times, Value};
use super::super::table::{Cell, Table};
use super::super::{Report, Verdict, status_name};

/// Statuses that have a row even if no call ended with them.
const STATUSES: [u32; 3] = [0, 4, 14];
/// The percentiles that have a row, in thousandths.
const PERMILLES: [u16; 6] = [500, 750, 900, 950, 990, 999];

/// One run, or several that repeat it: then each figure is the median of theirs.
#[derive(Clone, Debug)]
pub struct Column<'a> {
    /// What stands above.
    pub name: String,
    /// The runs; none for a column that has nothing yet.
    pub runs: Vec<&'a Report>,
}

/// A table of `columns`: Count, the statuses, Total, Slowest, Fastest, Average, Requests/sec, then percentiles, and what
/// is to be believed.
pub fn side_by_side(title: impl Into<String>, columns: &[Column<'_>]) -> Table {
    let mut table = Table::new(title, columns.iter().map(|column| column.name.clone()));
    let mut row = |label: &str, of: &dyn Fn(&Report) -> Option<Cell>| {
        table.push(label, columns.iter().map(|column| column.median(of)));
    };
    let time = |statistic| move |run: &Report| cell(Metric::Time(Times::Headline, statistic).value(run));
    row("Count", &|run| Some(Cell::Count(run.counts.done)));
    for code in statuses(columns) {
        row(&status_name(code), &|run| cell(Metric::Calls(Calls::Status(code)).value(run)));
    }
    for (label, of) in counts() {
        if columns.iter().flat_map(|column| &column.runs).any(|run| of(run) > 0) {
            row(label, &|run| Some(Cell::Count(of(run))));
        }
    }
    row("Total", &|run| Some(Cell::Nanos(run.elapsed.as_nanos())));
    row("Slowest", &time(Statistic::Max));
    row("Fastest", &time(Statistic::Min));
    row("Average", &time(Statistic::Average));
    row("Requests/sec", &|run| cell(Metric::Rate(RateOf::Throughput).value(run)));
    for percentage in PERMILLES.map(Percentage::of_permille) {
        row(&format!("p{percentage}"), &time(Statistic::Percentile(percentage)));
    }
    table.push("Verdict", columns.iter().map(Column::verdict));
    if columns.iter().any(|column| column.runs.len() > 1) {
        table.notes.push("Where a column stands for several runs, each figure is the median of theirs.".to_owned());
    }
    table
}

/// A row of counts: its label, and what it counts.
type Counted = (&'static str, fn(&Report) -> u64);

/// Rows that are there only if they are not 0.
fn counts() -> [Counted; 3] {
    [
        ("Other statuses", |run| run.statuses.iter().filter(|row| row.code.is_none()).map(|row| row.count).sum()),
        ("Abandoned", |run| run.counts.abandoned),
        ("Unsent", |run| run.counts.unsent),
    ]
}

/// The statuses that have a row, in their order: those that always do, and all that occur.
fn statuses(columns: &[Column<'_>]) -> Vec<u32> {
    let occur = columns.iter().flat_map(|column| &column.runs).flat_map(|run| &run.statuses).filter_map(|row| row.code);
    let mut statuses: Vec<u32> = occur.filter(|code| !STATUSES.contains(code)).collect();
    statuses.sort_unstable();
    statuses.dedup();
    STATUSES.into_iter().chain(statuses).collect()
}

impl Column<'_> {
    /// The median of what `of` has for each run; of an even number, the mean of the middle two.
    fn median(&self, of: &dyn Fn(&Report) -> Option<Cell>) -> Cell {
        let mut cells: Vec<Cell> = self.runs.iter().filter_map(|run| of(run)).collect();
        cells.sort_by(|one, other| size(one).total_cmp(&size(other)));
        let middle = cells.len() / 2;
        match (cells.get(middle), cells.len() % 2) {
            (None, _) => Cell::None,
            (Some(cell), 1) => cell.clone(),
            (Some(upper), _) => between(&cells[middle - 1], upper),
        }
    }

    /// The worst of all runs.
    fn verdict(&self) -> Cell {
        let worst: Option<Verdict> = self.runs.iter().map(|run| run.verdict).max();
        worst.map_or(Cell::None, |verdict| Cell::Text(verdict.to_string()))
    }
}

fn cell(value: Result<Value, NoData>) -> Option<Cell> {
    value.ok().map(|value| match value {
        Value::Nanos(nanos) => Cell::Nanos(nanos),
        Value::Calls { count, .. } => Cell::Count(count),
        Value::PerSecond { rate, .. } => Cell::PerSecond(rate),
    })
}

fn size(cell: &Cell) -> f64 {
    match *cell {
        Cell::Count(whole) | Cell::Nanos(whole) => whole as f64,
        Cell::PerSecond(rate) => rate,
        _ => 0.0,
    }
}

fn between(lower: &Cell, upper: &Cell) -> Cell {
    match (lower, upper) {
        (Cell::Count(lower), Cell::Count(upper)) => Cell::Count(u64::midpoint(*lower, *upper)),
        (Cell::Nanos(lower), Cell::Nanos(upper)) => Cell::Nanos(u64::midpoint(*lower, *upper)),
        (Cell::PerSecond(lower), Cell::PerSecond(upper)) => Cell::PerSecond(f64::midpoint(*lower, *upper)),
        _ => upper.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{closed, recording, sample};
    use super::*;

    const MS: u64 = 1_000_000;

    /// Calls of so many milliseconds, one after the other; those of 0 are refused.
    fn run(times_ms: &[u64], refused: u32) -> Report {
        let samples: Vec<_> = times_ms
            .iter()
            .enumerate()
            .map(|(at, ms)| {
                let mut call = sample(at as u64 * 100 * MS, 0, ms * MS);
                call.status = if *ms == 0 { refused } else { 0 };
                call
            })
            .collect();
        Report::of(&recording(false, &samples), closed())
    }

    fn row(table: &Table, label: &str) -> Vec<String> {
        let row = table.rows.iter().find(|row| row.label == label).unwrap_or_else(|| panic!("{label}"));
        row.cells.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_rows_are_those_that_everybody_knows() {
        let (one, other) = (run(&[1, 2, 3, 4], 0), run(&[5, 0, 0, 0], 8));
        let columns = [("one", vec![&one]), ("other", vec![&other]), ("none", vec![])]
            .map(|(name, runs)| Column { name: name.to_owned(), runs });
        let table = side_by_side("Runs", &columns);
        let labels: Vec<&str> = table.rows.iter().map(|row| row.label.as_str()).collect();
        assert_eq!(
            labels,
            [
                "Count",
                "OK",
                "DeadlineExceeded",
                "Unavailable",
                "ResourceExhausted",
                "Total",
                "Slowest",
                "Fastest",
                "Average",
                "Requests/sec",
                "p50",
                "p75",
                "p90",
                "p95",
                "p99",
                "p99.9",
                "Verdict",
            ]
        );
        assert_eq!(row(&table, "Count"), ["4", "4", "-"]);
        assert_eq!(row(&table, "OK"), ["4", "1", "-"]);
        assert_eq!(row(&table, "Unavailable"), ["0", "0", "-"]);
        assert_eq!(row(&table, "ResourceExhausted"), ["0", "3", "-"]);
        assert_eq!(row(&table, "Total"), ["304.00 ms", "300.00 ms", "-"]);
        assert_eq!(row(&table, "Slowest"), ["4.00 ms", "5.00 ms", "-"]);
        assert_eq!(row(&table, "Average"), ["2.50 ms", "5.00 ms", "-"]);
        assert_eq!(table.notes, [""; 0]);
    }

    #[test]
    fn repeated_runs_show_their_median() {
        let runs = [run(&[1], 0), run(&[9], 0), run(&[2], 0), run(&[4], 0)];
        let column = |count: usize| Column { name: count.to_string(), runs: runs.iter().take(count).collect() };
        let table = side_by_side("Runs", &[column(1), column(2), column(3), column(4)]);
        assert_eq!(row(&table, "Slowest"), ["1.00 ms", "5.00 ms", "2.00 ms", "3.00 ms"]);
        assert_eq!(table.notes.len(), 1);
    }
}
