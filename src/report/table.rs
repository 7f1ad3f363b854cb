//! Figures side by side: what comparisons and sweeps show, before it has a format.

use std::fmt;

use super::Number;
use crate::units::Nanos;

/// A table: a column for each thing that is compared, a row for each figure.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Table {
    /// What it is about, in a line.
    pub title: String,
    /// What stands above the cells of each column; there is none above the labels of the rows.
    pub columns: Vec<String>,
    /// The rows. Each has as many cells as there are columns.
    pub rows: Vec<Row>,
    /// What should be known besides, in sentences.
    pub notes: Vec<String>,
}

impl Table {
    /// Without rows.
    pub fn new(title: impl Into<String>, columns: impl IntoIterator<Item = impl Into<String>>) -> Table {
        let columns = columns.into_iter().map(Into::into).collect();
        Table { title: title.into(), columns, rows: Vec::new(), notes: Vec::new() }
    }

    /// Adds a row.
    ///
    /// Panics if it has not one cell for each column: a bug of ours.
    pub fn push(&mut self, label: impl Into<String>, cells: impl IntoIterator<Item = Cell>) {
        let row = Row { label: label.into(), cells: cells.into_iter().collect() };
        assert_eq!(row.cells.len(), self.columns.len(), "{} in {}", row.label, self.title);
        self.rows.push(row);
    }
}

/// A row of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// What it shows.
    pub label: String,
    /// A cell for each column.
    pub cells: Vec<Cell>,
}

impl Row {
    /// The unit of its figures, if they have one and all have the same.
    pub fn unit(&self) -> Option<&'static str> {
        let mut units = self.cells.iter().filter_map(Cell::figure).map(|(_, unit)| unit);
        let first = units.next()?;
        units.all(|unit| unit == first).then_some(first).filter(|unit| !unit.is_empty())
    }
}

/// What stands in one place of a table. Displays as people read it; [`Cell::figure`] is for programs.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Nothing is known.
    None,
    /// So many.
    Count(u64),
    /// A time, in nanoseconds.
    Nanos(u64),
    /// So many in a second.
    PerSecond(f64),
    /// A part of a whole, 1 for all of it.
    Share(f64),
    /// By how much something changed, as a part of what it was; below 0 it shrank.
    Change(f64),
    /// A number without a unit.
    Real(f64),
    /// Words.
    Text(String),
}

impl Cell {
    /// The figure and its unit, empty where it has none: times in milliseconds, shares and changes in percent. Nothing
    /// where there is no figure.
    pub fn figure(&self) -> Option<(Number, &'static str)> {
        let figure = match *self {
            Cell::Count(count) => (Number::Whole(count), ""),
            Cell::Nanos(nanos) => (Number::Real(nanos as f64 / 1e6), "ms"),
            Cell::PerSecond(rate) => (Number::Real(rate), "/s"),
            Cell::Share(share) | Cell::Change(share) => (Number::Real(share * 100.0), "%"),
            Cell::Real(number) => (Number::Real(number), ""),
            Cell::None | Cell::Text(_) => return None,
        };
        match figure.0 {
            Number::Real(real) if !real.is_finite() => None,
            _ => Some(figure),
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Count(count) => write!(f, "{count}"),
            Cell::Nanos(nanos) => write!(f, "{}", Nanos(*nanos)),
            Cell::Text(text) => f.write_str(text),
            Cell::PerSecond(real) | Cell::Share(real) | Cell::Change(real) | Cell::Real(real) if !real.is_finite() => {
                f.write_str("-")
            }
            Cell::PerSecond(rate) => write!(f, "{rate:.2}"),
            Cell::Share(share) => write!(f, "{:.1} %", share * 100.0),
            Cell::Change(change) => write!(f, "{:+.1} %", change * 100.0),
            Cell::Real(number) => write!(f, "{number:.3}"),
            Cell::None => f.write_str("-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_well_and_keep_their_digits() {
        for (cell, shown, figure) in [
            (Cell::Count(200), "200", Some((Number::Whole(200), ""))),
            (Cell::Nanos(1_666_104), "1.67 ms", Some((Number::Real(1.666_104), "ms"))),
            (Cell::PerSecond(10.0502), "10.05", Some((Number::Real(10.0502), "/s"))),
            (Cell::Share(0.25), "25.0 %", Some((Number::Real(25.0), "%"))),
            (Cell::Change(0.25), "+25.0 %", Some((Number::Real(25.0), "%"))),
            (Cell::Change(-0.5), "-50.0 %", Some((Number::Real(-50.0), "%"))),
            (Cell::Change(f64::INFINITY), "-", None),
            (Cell::Real(0.0079), "0.008", Some((Number::Real(0.0079), ""))),
            (Cell::Text("valid".to_owned()), "valid", None),
            (Cell::None, "-", None),
        ] {
            assert_eq!((cell.to_string().as_str(), cell.figure()), (shown, figure), "{cell:?}");
        }
    }

    #[test]
    fn a_row_has_a_unit_when_its_cells_agree() {
        let unit = |cells: &[Cell]| Row { label: String::new(), cells: cells.to_vec() }.unit();
        assert_eq!(unit(&[Cell::None, Cell::Nanos(1), Cell::Nanos(2)]), Some("ms"));
        assert_eq!(unit(&[Cell::Nanos(1), Cell::Change(0.1)]), None);
        assert_eq!(unit(&[Cell::Count(1), Cell::Text("x".to_owned())]), None);
        assert_eq!(unit(&[]), None);
    }
}
