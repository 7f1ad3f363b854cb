//! What came of a sweep, side by side: a table for each load with a column for each target, and where the knees are.

use super::curve::{Axis, Curve, Reading};
use super::figures::{Figures, Times};
use super::grid::{Cell, Grid, Target};
use super::knee::Knee;
use crate::report::table::{self, Table};

/// Statuses that have a row in every table, after OK: what an overloaded server answers with.
const USUAL: [&str; 3] = ["OK", "DeadlineExceeded", "Unavailable"];

/// What came of a cell.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The cell.
    pub cell: Cell,
    /// The figures of its report, or why there is none.
    pub figures: Result<Figures, String>,
}

/// What came of a sweep, as far as it has been run.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    grid: Grid,
    outcomes: Vec<Outcome>,
}

impl Results {
    /// Of the cells of `grid`; those that have not been run are left out.
    pub fn new(grid: Grid, outcomes: Vec<Outcome>) -> Results {
        Results { grid, outcomes }
    }

    /// Who was called.
    pub fn targets(&self) -> &[Target] {
        &self.grid.targets
    }

    /// What came of each cell.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// A table for each load, and one of the knees if there are several loads.
    pub fn tables(&self) -> Vec<Table> {
        let of_loads = (0..self.grid.points.len()).map(|point| self.table(point));
        of_loads.chain((self.grid.points.len() > 1).then(|| self.knees())).collect()
    }

    /// How throughput and times change with the load: a curve for each target, and for each concurrency if rates are
    /// swept under several.
    pub fn curves(&self) -> Vec<Curve> {
        let points = &self.grid.points;
        let axis = Axis::of(points);
        let mut families: Vec<Option<String>> = Vec::new();
        let family = |point: usize| match (axis, points[point].concurrency) {
            (Axis::Rate, Some(most)) if points.iter().any(|other| other.concurrency != points[0].concurrency) => {
                Some(format!("at most {most} in flight"))
            }
            _ => None,
        };
        for point in 0..points.len() {
            if !families.contains(&family(point)) {
                families.push(family(point));
            }
        }
        let curve = |target: usize, of: &Option<String>| {
            let name = &self.grid.targets[target].name;
            let of_family = (0..points.len()).filter(|point| family(*point) == *of);
            let mut readings: Vec<Reading> = of_family.filter_map(|point| self.reading(axis, target, point)).collect();
            readings.sort_by(|one, other| one.at.total_cmp(&other.at));
            let name = of.as_ref().map_or_else(|| name.clone(), |family| format!("{name}, {family}"));
            Curve { name, axis, readings }
        };
        families
            .iter()
            .flat_map(|of| (0..self.grid.targets.len()).map(move |target| (target, of)))
            .map(|(target, of)| curve(target, of))
            .collect()
    }

    /// The figures of all rounds of a cell that have any.
    fn rounds(&self, target: usize, point: usize) -> Vec<&Figures> {
        self.of(target, point).filter_map(|outcome| outcome.figures.as_ref().ok()).collect()
    }

    fn of(&self, target: usize, point: usize) -> impl Iterator<Item = &Outcome> {
        self.outcomes.iter().filter(move |outcome| (outcome.cell.target, outcome.cell.point) == (target, point))
    }

    fn reading(&self, axis: Axis, target: usize, point: usize) -> Option<Reading> {
        let figures = Figures::median(&self.rounds(target, point))?;
        // Without a call that ended OK there are none, and no load is carried.
        let times = figures.times.unwrap_or_default();
        Some(Reading {
            at: axis.place(&self.grid.points[point])?,
            offered: figures.offered,
            ok_rate: figures.ok_rate,
            pace: figures.pace,
            ok_share: figures.ok_share,
            mean_ns: times.average_ns,
            p99_ns: times.p99_ns,
        })
    }

    /// The targets under one load.
    fn table(&self, point: usize) -> Table {
        let targets = &self.grid.targets;
        let columns: Vec<Option<Figures>> =
            (0..targets.len()).map(|target| Figures::median(&self.rounds(target, point))).collect();
        let mut table =
            Table::new(self.grid.points[point].to_string(), targets.iter().map(|target| target.name.clone()));
        let mut row = |label: &str, of: &dyn Fn(&Figures) -> table::Cell| {
            table.push(label, columns.iter().map(|figures| figures.as_ref().map_or(table::Cell::None, of)));
        };
        row("Count", &|figures| table::Cell::Count(figures.count));
        for name in Results::statuses(&columns) {
            row(&name, &|figures| table::Cell::Count(figures.status(&name)));
        }
        if columns.iter().flatten().any(|figures| figures.unsent > 0) {
            row("Unsent", &|figures| table::Cell::Count(figures.unsent));
        }
        if columns.iter().flatten().any(|figures| figures.abandoned > 0) {
            row("Abandoned", &|figures| table::Cell::Count(figures.abandoned));
        }
        row("Total", &|figures| table::Cell::Nanos(figures.total_ns));
        let time = |figures: &Figures, of: fn(&Times) -> u64| {
            figures.times.as_ref().map_or(table::Cell::None, |times| table::Cell::Nanos(of(times)))
        };
        row("Slowest", &|figures| time(figures, |times| times.slowest_ns));
        row("Fastest", &|figures| time(figures, |times| times.fastest_ns));
        row("Average", &|figures| time(figures, |times| times.average_ns));
        row("Requests/sec", &|figures| table::Cell::PerSecond(figures.throughput));
        let labels = columns.iter().flatten().find_map(|figures| figures.times.as_ref());
        for (at, (label, _)) in labels.into_iter().flat_map(|times| &times.percentiles).enumerate() {
            let of = |figures: &Figures| Some(figures.times.as_ref()?.percentiles.get(at)?.1);
            row(label, &|figures| of(figures).map_or(table::Cell::None, table::Cell::Nanos));
        }
        row("Verdict", &|figures| table::Cell::Text(figures.verdict.to_string()));
        table.notes = self.notes(point);
        table
    }

    /// The statuses that have a row.
    fn statuses(columns: &[Option<Figures>]) -> Vec<String> {
        let mut names: Vec<String> = USUAL.map(str::to_owned).to_vec();
        for (name, _) in columns.iter().flatten().flat_map(|figures| &figures.statuses) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// What a table does not say.
    fn notes(&self, point: usize) -> Vec<String> {
        let mut notes = Vec::new();
        for (at, target) in self.grid.targets.iter().enumerate() {
            let (rounds, of) = (self.rounds(at, point).len(), self.grid.repeat.get());
            let why = self.of(at, point).find_map(|outcome| outcome.figures.as_ref().err());
            match why {
                Some(why) => notes.push(format!("{}: unreachable: {why}", target.name)),
                None if rounds == 0 => notes.push(format!("{}: not run yet", target.name)),
                None if rounds < of as usize => notes.push(format!("{}: {rounds} of {of} rounds", target.name)),
                None => {}
            }
        }
        if self.grid.repeat.get() > 1 {
            notes.push(format!("each figure is the median of {} rounds", self.grid.repeat));
        }
        notes
    }

    fn knees(&self) -> Table {
        let curves = self.curves();
        let targets = self.grid.targets.len();
        let mut table = Table::new("Knees", self.grid.targets.iter().map(|target| target.name.clone()));
        // Curves come family by family, and in each target by target.
        for family in curves.chunks(targets) {
            let label =
                family[0].name.split_once(", ").map_or("Knee".to_owned(), |(_, family)| format!("Knee, {family}"));
            table.push(label, family.iter().map(|curve| table::Cell::Text(Knee::of(curve).text(curve.axis))));
        }
        let loops = [true, false].into_iter().filter(|open| {
            curves.iter().flat_map(|curve| &curve.readings).any(|reading| reading.offered.is_some() == *open)
        });
        table.notes = loops.map(Knee::rule).collect();
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Verdict;
    use crate::sweep::Target;

    /// A target `a` that keeps pace up to 20/s, and `b` that has been run once, at 10/s.
    fn results(concurrencies: &[u32]) -> Results {
        let target = |name: &str| Target { name: name.to_owned(), host: String::new() };
        let rates = ["10", "20", "40"].map(|rate| Some(rate.parse().unwrap()));
        let concurrencies: Vec<_> = concurrencies.iter().map(|count| (*count).try_into().unwrap()).collect();
        let grid = Grid::new(vec![target("a"), target("b")], &rates, &concurrencies, 2.try_into().unwrap());
        let figures = |cell: Cell| Figures {
            count: 100 + u64::from(cell.round) * 2,
            statuses: vec![("OK".to_owned(), 100)],
            unsent: 0,
            abandoned: 0,
            total_ns: 1_000,
            times: Some(Times { p99_ns: if cell.point % 3 == 2 { 60 } else { 10 }, ..Times::default() }),
            throughput: 100.0,
            offered: Some(10.0),
            ok_rate: 10.0,
            pace: 10.0,
            ok_share: 1.0,
            verdict: Verdict::Valid,
        };
        let outcome = |cell: Cell| match (cell.target, cell.point, cell.round) {
            (0, ..) | (1, 0, 0) => Some(Outcome { cell, figures: Ok(figures(cell)) }),
            (1, 1, 0) => Some(Outcome { cell, figures: Err("connection refused".to_owned()) }),
            _ => None,
        };
        let outcomes = grid.cells().into_iter().filter_map(outcome).collect();
        Results::new(grid, outcomes)
    }

    #[test]
    fn there_is_a_table_for_each_load_and_one_of_knees() {
        let tables = results(&[]).tables();
        let titles: Vec<&str> = tables.iter().map(|table| table.title.as_str()).collect();
        assert_eq!(titles, ["10/s", "20/s", "40/s", "Knees"]);
        let cells = |table: usize, label: &str| {
            let row = tables[table].rows.iter().find(|row| row.label == label).unwrap();
            row.cells.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(cells(0, "Count"), ["101", "100"], "the median of the rounds that there are");
        assert_eq!(cells(1, "Unavailable"), ["0", "-"]);
        assert_eq!(cells(3, "Knee"), ["20/s", "unknown: it takes at least two loads"]);
        let median = "each figure is the median of 2 rounds";
        assert_eq!(tables[0].notes, ["b: 1 of 2 rounds", median]);
        assert_eq!(tables[1].notes, ["b: unreachable: connection refused", median]);
        assert_eq!(tables[2].notes, ["b: not run yet", median]);
        assert_eq!(tables[3].notes, [Knee::rule(true)]);
    }

    #[test]
    fn rates_under_several_limits_are_several_curves() {
        let results = results(&[2, 5]);
        let names: Vec<String> = results.curves().into_iter().map(|curve| curve.name).collect();
        let expected =
            ["a, at most 2 in flight", "b, at most 2 in flight", "a, at most 5 in flight", "b, at most 5 in flight"];
        assert_eq!(names, expected);
        let tables = results.tables();
        let labels: Vec<&str> = tables[6].rows.iter().map(|row| row.label.as_str()).collect();
        assert_eq!(labels, ["Knee, at most 2 in flight", "Knee, at most 5 in flight"]);
    }
}
