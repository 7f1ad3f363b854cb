//! Tables in GitHub's Markdown.

use std::fmt::Write as _;

use crate::export::escape::{entity, printable};
use crate::report::table::Table;

pub(in crate::export) fn text(tables: &[Table]) -> String {
    tables.iter().map(block).collect::<Vec<_>>().join("\n")
}

fn block(table: &Table) -> String {
    let mut block = format!("### {}\n\n", escaped(&table.title));
    let mut line = |cells: &mut dyn Iterator<Item = String>| {
        block.push('|');
        for cell in cells {
            let _ = write!(block, " {cell} |");
        }
        block.push('\n');
    };
    line(&mut std::iter::once(String::new()).chain(table.columns.iter().map(|name| escaped(name))));
    line(&mut std::iter::once("---".to_owned()).chain(table.columns.iter().map(|_| "---:".to_owned())));
    for row in &table.rows {
        let cells = row.cells.iter().map(|cell| escaped(&cell.to_string()));
        line(&mut std::iter::once(escaped(&row.label)).chain(cells));
    }
    for note in &table.notes {
        let _ = write!(block, "\n{}\n", escaped(note));
    }
    block
}

/// `text` as it reads, whatever is in it: no markup, no cell that ends, nothing that acts.
pub(in crate::export) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' | '<' | '>' => escaped.extend(entity(c)),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '#' | '~' | '$' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}
