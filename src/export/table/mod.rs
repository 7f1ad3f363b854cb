//! Tables in the formats that people and programs take them in: one file for each, and the [`TableFormat`] that names it.
//!
//! Figures for people are rounded; those for programs (csv, json) keep all digits and say their unit.

pub(super) mod csv;
pub(super) mod html;
mod json;
pub(super) mod markdown;
mod text;

use std::fmt;
use std::io;
use std::str::FromStr;

use crate::report::table::Table;

/// A format of tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum TableFormat {
    /// Columns of text for people.
    #[default]
    Text,
    /// Tables of GitHub's Markdown.
    Markdown,
    /// Comma-separated values, as RFC 4180 has them.
    Csv,
    /// JSON with indents.
    Json,
    /// A page that needs nothing beside it.
    Html,
}

impl TableFormat {
    /// All formats.
    pub const ALL: [TableFormat; 5] =
        [TableFormat::Text, TableFormat::Markdown, TableFormat::Csv, TableFormat::Json, TableFormat::Html];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            TableFormat::Text => "text",
            TableFormat::Markdown => "markdown",
            TableFormat::Csv => "csv",
            TableFormat::Json => "json",
            TableFormat::Html => "html",
        }
    }

    /// Writes `tables` in this format, and flushes.
    ///
    /// Errors when `out` does.
    pub fn write(self, tables: &[Table], out: &mut dyn io::Write) -> io::Result<()> {
        let text = match self {
            TableFormat::Text => text::text(tables),
            TableFormat::Markdown => markdown::text(tables),
            TableFormat::Csv => csv::text(tables),
            TableFormat::Json => json::text(tables)?,
            TableFormat::Html => html::text(tables),
        };
        out.write_all(text.as_bytes())?;
        out.flush()
    }
}

impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for TableFormat {
    type Err = UnknownTableFormat;

    fn from_str(text: &str) -> Result<TableFormat, UnknownTableFormat> {
        TableFormat::ALL.into_iter().find(|format| format.name() == text).ok_or(UnknownTableFormat)
    }
}

/// A text that names no format of tables. Displays as the rule that was broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownTableFormat;

impl fmt::Display for UnknownTableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = TableFormat::ALL.map(TableFormat::name);
        write!(f, "a format of tables is one of {}", names.join(", "))
    }
}

impl std::error::Error for UnknownTableFormat {}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::report::table::Cell;

    /// Two tables with the same columns, names that no format must be impressed by, and a gap.
    fn tables() -> Vec<Table> {
        let columns = ["sync, \"1\"", "<b>|x|</b>\n\u{1b}[31m"];
        let mut first = Table::new("10 calls/s & more", columns);
        first.push("Count", [Cell::Count(200), Cell::Count(199)]);
        first.push("p99", [Cell::Nanos(1_666_104), Cell::None]);
        first.push("Requests/sec", [Cell::PerSecond(10.0502), Cell::PerSecond(9.9)]);
        first.notes.push("One pair cannot tell; a < b.".to_owned());
        let mut second = Table::new("25 calls/s", columns);
        second.push("Change", [Cell::Change(-0.125), Cell::Text("worse".to_owned())]);
        vec![first, second]
    }

    fn assert_written(format: TableFormat, expected: &Expect) {
        let mut bytes = Vec::new();
        format.write(&tables(), &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        // These stand for themselves in some formats, and should not stand here.
        let text = text.replace('\u{1b}', "ESC").replace('\r', "").replace(env!("CARGO_PKG_VERSION"), "VERSION");
        expected.assert_eq(&text);
    }

    #[test]
    fn names_are_read_back() {
        for format in TableFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert_eq!("xml".parse::<TableFormat>(), Err(UnknownTableFormat));
        assert_eq!(UnknownTableFormat.to_string(), "a format of tables is one of text, markdown, csv, json, html");
    }

    #[test]
    fn text() {
        assert_written(
            TableFormat::Text,
            &expect![[r#"

            10 calls/s & more:
                            sync, "1"  <b>|x|</b>\n\u{1b}[31m
              Count               200                     199
              p99             1.67 ms                       -
              Requests/sec      10.05                    9.90
              One pair cannot tell; a < b.

            25 calls/s:
                      sync, "1"  <b>|x|</b>\n\u{1b}[31m
              Change    -12.5 %                   worse
        "#]],
        );
    }

    #[test]
    fn markdown() {
        assert_written(
            TableFormat::Markdown,
            &expect![[r#"
            ### 10 calls/s &amp; more

            |  | sync, "1" | &lt;b&gt;\|x\|&lt;/b&gt;\\n\\u{1b}\[31m |
            | --- | ---: | ---: |
            | Count | 200 | 199 |
            | p99 | 1.67 ms | - |
            | Requests/sec | 10.05 | 9.90 |

            One pair cannot tell; a &lt; b.

            ### 25 calls/s

            |  | sync, "1" | &lt;b&gt;\|x\|&lt;/b&gt;\\n\\u{1b}\[31m |
            | --- | ---: | ---: |
            | Change | -12.5 % | worse |
        "#]],
        );
    }

    #[test]
    fn csv() {
        assert_written(
            TableFormat::Csv,
            &expect![[r#"
                table,row,unit,"sync, ""1""","<b>|x|</b>
                \u{1b}[31m"
                10 calls/s & more,Count,,200,199
                10 calls/s & more,p99,ms,1.666104,
                10 calls/s & more,Requests/sec,/s,10.0502,9.9
                25 calls/s,Change,%,-12.5,worse
            "#]],
        );
    }

    #[test]
    fn json() {
        assert_written(
            TableFormat::Json,
            &expect![[r#"
            {
              "schema": 1,
              "version": "VERSION",
              "tables": [
                {
                  "title": "10 calls/s & more",
                  "columns": [
                    "sync, \"1\"",
                    "<b>|x|</b>\n\u001b[31m"
                  ],
                  "rows": [
                    {
                      "label": "Count",
                      "cells": [
                        {
                          "value": 200
                        },
                        {
                          "value": 199
                        }
                      ]
                    },
                    {
                      "label": "p99",
                      "cells": [
                        {
                          "value": 1.666104,
                          "unit": "ms"
                        },
                        null
                      ]
                    },
                    {
                      "label": "Requests/sec",
                      "cells": [
                        {
                          "value": 10.0502,
                          "unit": "/s"
                        },
                        {
                          "value": 9.9,
                          "unit": "/s"
                        }
                      ]
                    }
                  ],
                  "notes": [
                    "One pair cannot tell; a < b."
                  ]
                },
                {
                  "title": "25 calls/s",
                  "columns": [
                    "sync, \"1\"",
                    "<b>|x|</b>\n\u001b[31m"
                  ],
                  "rows": [
                    {
                      "label": "Change",
                      "cells": [
                        {
                          "value": -12.5,
                          "unit": "%"
                        },
                        "worse"
                      ]
                    }
                  ],
                  "notes": []
                }
              ]
            }
        "#]],
        );
    }

    #[test]
    fn html() {
        let mut bytes = Vec::new();
        TableFormat::Html.write(&tables(), &mut bytes).unwrap();
        let page = String::from_utf8(bytes).unwrap();
        let (_, body) = page.split_once("<body>").unwrap();
        expect![[r#"

            <main>
            <div class="scroll"><table>
            <caption>10 calls/s &amp; more</caption>
            <thead><tr><td></td><th scope="col">sync, &quot;1&quot;</th><th scope="col">&lt;b&gt;|x|&lt;/b&gt;\n\u{1b}[31m</th></tr></thead>
            <tbody>
            <tr><th scope="row">Count</th><td>200</td><td>199</td></tr>
            <tr><th scope="row">p99</th><td>1.67 ms</td><td>-</td></tr>
            <tr><th scope="row">Requests/sec</th><td>10.05</td><td>9.90</td></tr>
            </tbody>
            </table></div>
            <p>One pair cannot tell; a &lt; b.</p>
            <div class="scroll"><table>
            <caption>25 calls/s</caption>
            <thead><tr><td></td><th scope="col">sync, &quot;1&quot;</th><th scope="col">&lt;b&gt;|x|&lt;/b&gt;\n\u{1b}[31m</th></tr></thead>
            <tbody>
            <tr><th scope="row">Change</th><td>-12.5 %</td><td class="words">worse</td></tr>
            </tbody>
            </table></div>
            </main>
            </body>
            </html>
        "#]]
        .assert_eq(body);
        assert!(!page.contains("http"), "it needs nothing beside it");
    }

    #[test]
    fn tables_of_other_columns_have_a_head_of_their_own() {
        let mut tables = tables();
        tables[1] = Table::new("other", ["one"]);
        tables[1].push("x", [Cell::Real(0.5)]);
        let text = csv::text(&tables);
        assert!(text.ends_with("\r\n\r\ntable,row,unit,one\r\nother,x,,0.5\r\n"), "{text}");
    }
}
