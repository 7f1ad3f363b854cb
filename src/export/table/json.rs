//! Tables in JSON.

use std::io;

use serde::Serialize;

use crate::report::Number;
use crate::report::table::{Cell, Table};

/// The number of the schema: raised when a key changes its meaning or goes away, not when one is added.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    version: &'static str,
    tables: Vec<OneTable<'a>>,
}

#[derive(Serialize)]
struct OneTable<'a> {
    title: &'a str,
    columns: &'a [String],
    rows: Vec<OneRow<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct OneRow<'a> {
    label: &'a str,
    cells: Vec<OneCell<'a>>,
}

/// `null`, words, or a figure with its unit if it has one.
#[derive(Serialize)]
#[serde(untagged)]
enum OneCell<'a> {
    None,
    Text(&'a str),
    Figure {
        value: serde_json::Number,
        #[serde(skip_serializing_if = "str::is_empty")]
        unit: &'static str,
    },
}

impl<'a> OneCell<'a> {
    fn new(cell: &'a Cell) -> OneCell<'a> {
        let figure = cell.figure().and_then(|(number, unit)| {
            let value = match number {
                Number::Whole(whole) => Some(whole.into()),
                Number::Real(real) => serde_json::Number::from_f64(real),
            };
            Some(OneCell::Figure { value: value?, unit })
        });
        match (figure, cell) {
            (Some(figure), _) => figure,
            (None, Cell::Text(text)) => OneCell::Text(text),
            (None, _) => OneCell::None,
        }
    }
}

pub(super) fn text(tables: &[Table]) -> io::Result<String> {
    let tables = tables
        .iter()
        .map(|table| OneTable {
            title: &table.title,
            columns: &table.columns,
            rows: table
                .rows
                .iter()
                .map(|row| OneRow { label: &row.label, cells: row.cells.iter().map(OneCell::new).collect() })
                .collect(),
            notes: &table.notes,
        })
        .collect();
    let document = Document { schema: SCHEMA, version: env!("CARGO_PKG_VERSION"), tables };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}
