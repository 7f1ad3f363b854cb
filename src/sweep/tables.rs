//! What came of a sweep, side by side: a table for each load with a column for each target, and where the knees are.

use super::curve::{Axis, Curve, Reading};
use super::figures::{Figures, Times};
use super::grid::{Cell, Grid};
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
        for name in self.statuses(&columns) {
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
    fn statuses(&self, columns: &[Option<Figures>]) -> Vec<String> {
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
