//! Tables as HTML: a fragment for pages that have more, or a page of its own.

use std::fmt::Write as _;

use crate::export::summary::printable;
use crate::report::table::Table;

const STYLE: &str = "
:root { color-scheme: light dark; font: 16px/1.4 system-ui, sans-serif }
body { margin: 2rem auto; padding: 0 1rem; max-width: 80rem }
.scroll { overflow-x: auto }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
figure { margin: 1rem 0 }
figure > svg { width: 100%; max-width: 50rem }
figcaption span { display: inline-block; margin-right: 1rem }
caption { text-align: left; font-weight: 600; padding-bottom: .5rem }
th, td { padding: .25rem .75rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent) }
td, thead th { text-align: right }
tbody th { text-align: left; font-weight: 400 }
";

/// A page with all tables.
pub(super) fn page(tables: &[Table]) -> String {
    let title = tables.first().map_or("grpcbench", |table| table.title.as_str());
    document(title, &tables.iter().map(fragment).collect::<String>())
}

/// A page with a body in HTML.
pub(in crate::export) fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escaped(title)
    )
}

/// A table, and its notes below it.
pub fn fragment(table: &Table) -> String {
    let mut html = format!("<div class=\"scroll\"><table>\n<caption>{}</caption>\n", escaped(&table.title));
    html.push_str("<thead><tr><td></td>");
    for name in &table.columns {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escaped(name));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        let _ = write!(html, "<tr><th scope=\"row\">{}</th>", escaped(&row.label));
        for cell in &row.cells {
            let _ = write!(html, "<td>{}</td>", escaped(&cell.to_string()));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table></div>\n");
    for note in &table.notes {
        let _ = writeln!(html, "<p>{}</p>", escaped(note));
    }
    html
}

/// `text` as it reads, whatever is in it: no markup, and nothing that acts.
pub(in crate::export) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
