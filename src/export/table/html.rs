//! Tables as HTML: a fragment for pages that have more, or a page of its own.

use std::fmt::Write as _;

use crate::export::page::{self, escaped};
use crate::report::table::{Cell, Table};

/// A page with all tables.
pub(super) fn text(tables: &[Table]) -> String {
    let title = tables.first().map_or("grpcbench", |table| table.title.as_str());
    page::begin(title, "") + &all(tables) + page::END
}

/// All tables, one below the other.
pub(in crate::export) fn all(tables: &[Table]) -> String {
    tables.iter().map(fragment).collect()
}

/// A table, and its notes below it.
pub(in crate::export) fn fragment(table: &Table) -> String {
    let mut html = format!("<div class=\"scroll\"><table>\n<caption>{}</caption>\n", escaped(&table.title));
    html.push_str("<thead><tr><td></td>");
    for name in &table.columns {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escaped(name));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        let _ = write!(html, "<tr><th scope=\"row\">{}</th>", escaped(&row.label));
        for cell in &row.cells {
            // Words may be broken where there is little room, figures may not.
            let class = if matches!(cell, Cell::Text(_)) { " class=\"words\"" } else { "" };
            let _ = write!(html, "<td{class}>{}</td>", escaped(&cell.to_string()));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table></div>\n");
    for note in &table.notes {
        let _ = writeln!(html, "<p>{}</p>", escaped(note));
    }
    html
}
