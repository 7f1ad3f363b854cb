//! Tables as columns of text.

use std::fmt::Write as _;

use crate::export::summary::printable;
use crate::report::table::Table;

/// What stands between two columns.
const GAP: &str = "  ";

pub(super) fn text(tables: &[Table]) -> String {
    tables.iter().flat_map(|table| ["\n".to_owned(), block(table)]).collect()
}

fn block(table: &Table) -> String {
    let head = std::iter::once(String::new()).chain(table.columns.iter().map(|name| printable(name))).collect();
    let rows = table.rows.iter().map(|row| {
        std::iter::once(printable(&row.label))
            .chain(row.cells.iter().map(|cell| printable(&cell.to_string())))
            .collect()
    });
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=table.columns.len()).map(width).collect();

    let mut block = format!("{}:\n", printable(&table.title));
    for line in &lines {
        let mut text = format!("  {:<width$}", line[0], width = widths[0]);
        for (cell, width) in line.iter().zip(&widths).skip(1) {
            let _ = write!(text, "{GAP}{cell:>width$}");
        }
        block.push_str(text.trim_end());
        block.push('\n');
    }
    for note in &table.notes {
        let _ = writeln!(block, "  {}", printable(note));
    }
    block
}
