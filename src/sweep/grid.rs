//! What is run in a sweep: the cross product of targets and loads, and its order.

use std::fmt;
use std::num::NonZeroU32;

use crate::units::Rate;

/// Who is called, under a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// What tables call it.
    pub name: String,
    /// As it was typed.
    pub host: String,
}

/// A load: what is not given is as in a run without it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// The rate of an open loop.
    pub rate: Option<Rate>,
    /// Callers, or under a rate the most calls in flight.
    pub concurrency: Option<NonZeroU32>,
}

/// `10/s`, `25 callers`, `10/s, at most 25 in flight`.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.rate, self.concurrency) {
            (Some(rate), None) => write!(f, "{rate}"),
            (Some(rate), Some(most)) => write!(f, "{rate}, at most {most} in flight"),
            (None, Some(callers)) => write!(f, "{callers} caller{}", if callers.get() == 1 { "" } else { "s" }),
            (None, None) => f.write_str("the load of the flags"),
        }
    }
}

/// All that is to be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Who is called.
    pub targets: Vec<Target>,
    /// Under which loads, each target alike.
    pub points: Vec<Point>,
    /// How many times.
    pub repeat: NonZeroU32,
}

/// One run: places in the lists of its grid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    /// The target.
    pub target: usize,
    /// The load.
    pub point: usize,
    /// Which of the repetitions, from 0.
    pub round: u32,
}

impl Grid {
    /// Under each of `rates` and each of `concurrencies`; an empty list stands for what a run does without that flag.
    pub fn new(targets: Vec<Target>, rates: &[Option<Rate>], concurrencies: &[NonZeroU32], repeat: NonZeroU32) -> Grid {
        let rates: &[Option<Rate>] = if rates.is_empty() { &[None] } else { rates };
        let concurrencies: Vec<Option<NonZeroU32>> = match concurrencies {
            [] => vec![None],
            some => some.iter().copied().map(Some).collect(),
        };
        let points = concurrencies
            .iter()
            .flat_map(|concurrency| rates.iter().map(|rate| Point { rate: *rate, concurrency: *concurrency }))
            .collect();
        Grid { targets, points, repeat }
    }

    /// The cells in the order in which they run.
    ///
    /// All targets take turns at a load before the next load, so that a machine that becomes slower or faster does so for
    /// all of them; another one begins each time, so that none is always the first or always behind the same one; and
    /// every second round takes the loads backwards, so that none is always late.
    pub fn cells(&self) -> Vec<Cell> {
        let (targets, points) = (self.targets.len(), self.points.len());
        let round = |round: u32| {
            (0..points).flat_map(move |place| {
                let point = if round.is_multiple_of(2) { place } else { points - 1 - place };
                let first = place + round as usize;
                (0..targets).map(move |turn| Cell { target: (first + turn) % targets, point, round })
            })
        };
        (0..self.repeat.get()).flat_map(round).collect()
    }

    /// A name for a cell among those of the grid that can be the name of a file: `sync1_r10_c50_1`.
    pub fn file_name(&self, cell: Cell) -> String {
        let Point { rate, concurrency } = self.points[cell.point];
        let rate = rate.map_or_else(String::new, |rate| format!("_r{}", rate.to_string().trim_end_matches("/s")));
        let concurrency = concurrency.map_or_else(String::new, |concurrency| format!("_c{concurrency}"));
        format!("{}{rate}{concurrency}_{}", self.targets[cell.target].name, cell.round + 1)
    }

    /// What a cell is, for people: `sync1 at 10/s`.
    pub fn title(&self, cell: Cell) -> String {
        let (target, point) = (&self.targets[cell.target].name, self.points[cell.point]);
        let preposition = if point.rate.is_some() { "at" } else { "with" };
        let round = if self.repeat.get() > 1 { format!(", round {}", cell.round + 1) } else { String::new() };
        format!("{target} {preposition} {point}{round}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn grid(targets: usize, rates: &[&str], concurrencies: &[u32], repeat: u32) -> Grid {
        let targets = (0..targets).map(|at| Target { name: format!("t{at}"), host: format!("h:{at}") }).collect();
        let rates: Vec<Option<Rate>> = rates.iter().map(|rate| Some(rate.parse().unwrap())).collect();
        let concurrencies: Vec<NonZeroU32> = concurrencies.iter().map(|count| (*count).try_into().unwrap()).collect();
        Grid::new(targets, &rates, &concurrencies, repeat.try_into().unwrap())
    }

    #[test]
    fn targets_take_turns_and_loads_turn_back() {
        let order: Vec<(usize, usize, u32)> =
            grid(2, &["10", "20", "30"], &[], 2).cells().iter().map(|c| (c.target, c.point, c.round)).collect();
        assert_eq!(
            order,
            [
                (0, 0, 0),
                (1, 0, 0),
                (1, 1, 0),
                (0, 1, 0),
                (0, 2, 0),
                (1, 2, 0),
                (1, 2, 1),
                (0, 2, 1),
                (0, 1, 1),
                (1, 1, 1),
                (1, 0, 1),
                (0, 0, 1),
            ]
        );
    }

    #[test]
    fn every_cell_is_run_once_under_a_name_of_its_own() {
        let grid = grid(3, &["10", "0.5", "1000/m"], &[2, 50], 4);
        assert_eq!(grid.points.len(), 6);
        let cells = grid.cells();
        assert_eq!(cells.len(), 3 * 6 * 4);
        assert_eq!(cells.iter().collect::<HashSet<_>>().len(), cells.len());
        assert_eq!(cells.iter().map(|cell| grid.file_name(*cell)).collect::<HashSet<_>>().len(), cells.len());
    }

    #[test]
    fn each_target_begins_as_often_as_the_others() {
        let grid = grid(4, &["1", "2", "3", "4"], &[], 2);
        let mut begun = [0; 4];
        for turns in grid.cells().chunks(4) {
            begun[turns[0].target] += 1;
        }
        assert_eq!(begun, [2; 4]);
    }

    #[test]
    fn names_say_what_a_cell_is() {
        let cell = Cell { target: 0, point: 1, round: 1 };
        let name = |grid: Grid| (grid.file_name(cell), grid.title(cell));
        let pair = |file: &str, title: &str| (file.to_owned(), title.to_owned());
        assert_eq!(name(grid(1, &["10", "0.5"], &[], 2)), pair("t0_r0.5_2", "t0 at 0.5/s, round 2"));
        assert_eq!(name(grid(1, &[], &[1, 25], 2)), pair("t0_c25_2", "t0 with 25 callers, round 2"));
        let both = pair("t0_r20_c5_2", "t0 at 20/s, at most 5 in flight, round 2");
        assert_eq!(name(grid(1, &["10", "20"], &[5], 2)), both);
        assert_eq!(grid(1, &[], &[], 1).title(Cell { point: 0, round: 0, ..cell }), "t0 with the load of the flags");
    }
}
