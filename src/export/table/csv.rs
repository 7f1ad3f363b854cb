//! Tables as comma-separated values: a line for each row, which says its table and the unit of its figures.

use crate::export::escape::printable;
use crate::report::Number;
use crate::report::table::{Cell, Table};

pub(super) fn text(tables: &[Table]) -> String {
    let mut text = String::new();
    let mut columns: Option<&[String]> = None;
    for table in tables {
        if columns != Some(table.columns.as_slice()) {
            if columns.is_some() {
                text.push_str("\r\n");
            }
            let names = table.columns.iter().map(String::as_str);
            text.push_str(&line(["table", "row", "unit"].into_iter().chain(names)));
            columns = Some(&table.columns);
        }
        for row in &table.rows {
            let cells: Vec<String> = row.cells.iter().map(|cell| value(cell, row.unit())).collect();
            let row = [table.title.as_str(), &row.label, row.unit().unwrap_or_default()];
            text.push_str(&line(row.into_iter().chain(cells.iter().map(String::as_str))));
        }
    }
    text
}

/// A cell; with its unit where that is not the one of its row.
fn value(cell: &Cell, of_row: Option<&str>) -> String {
    let Some((number, unit)) = cell.figure() else {
        return if let Cell::Text(text) = cell { text.clone() } else { String::new() };
    };
    let number = match number {
        Number::Whole(whole) => whole.to_string(),
        Number::Real(real) => real.to_string(),
    };
    if unit.is_empty() || of_row == Some(unit) { number } else { format!("{number} {unit}") }
}

/// A line of RFC 4180. Fields that hold a comma, a quote or a line break are quoted, with quotes in them doubled. What acts
/// on a terminal is escaped, but for line breaks and tabs, which spreadsheets keep.
pub(in crate::export) fn line<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = fields
        .map(|field| {
            let shown = field.split_inclusive(KEPT).map(harmless).collect::<String>();
            let plain = !shown.contains([',', '"', '\r', '\n']);
            if plain { shown } else { format!("\"{}\"", shown.replace('"', "\"\"")) }
        })
        .collect();
    quoted.join(",") + "\r\n"
}

/// Controls that mean something in a field.
const KEPT: [char; 3] = ['\r', '\n', '\t'];

/// A piece of a field, of whose last character nothing is changed if it is one that is kept.
fn harmless(piece: &str) -> String {
    let text = piece.strip_suffix(KEPT).unwrap_or(piece);
    printable(text) + &piece[text.len()..]
}
