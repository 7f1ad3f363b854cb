//! Tables as columns of text.

use std::fmt::Write as _;

use crate::export::escape::printable;
use crate::report::table::Table;

/// What stands between two columns.
const GAP: &str = "  ";
/// How wide the lines of notes are, in characters.
const NOTE_WIDTH: usize = 100;

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
        for line in wrapped(&printable(note)) {
            let _ = writeln!(block, "  {line}");
        }
    }
    block
}

/// The words of a text in lines of up to so many characters, where no word is longer.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| line.chars().count() + word.chars().count() < NOTE_WIDTH) {
            Some(line) => *line = format!("{line} {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}
