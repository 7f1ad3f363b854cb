//! Report formats: one file for each, and the [`Format`] that names it.
//!
//! Formats are pure functions of a [`Report`]. They own their schemas: no type of the modules below is serialised.

mod csv;
mod escape;
mod hdr;
mod html;
mod influx;
mod json;
mod junit;
mod markdown;
mod page;
mod prometheus;
mod summary;
mod sweep;
mod table;
mod tables;
mod timestamp;

use std::fmt;
use std::io;
use std::str::FromStr;

use crate::report::Report;

pub use json::{ReadError, read};
pub use junit::write_junit;
pub use sweep::write_sweep;
pub use table::{TableFormat, UnknownTableFormat};

/// A report format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Text for people.
    Summary,
    /// JSON in one line.
    Json,
    /// JSON with indents.
    Pretty,
    /// Single calls as comma-separated values.
    Csv,
    /// A page that needs nothing beside it.
    Html,
    /// `InfluxDB`'s line protocol, a line for the run.
    InfluxSummary,
    /// `InfluxDB`'s line protocol, a line for each call.
    InfluxDetails,
    /// Prometheus' text format.
    Prometheus,
    /// GitHub's Markdown.
    Markdown,
    /// The table of percentiles that plotters of `HdrHistogram` read.
    Hdr,
    /// The interval log of `HdrHistogram`.
    Hlog,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 11] = [
        Format::Summary,
        Format::Csv,
        Format::Json,
        Format::Pretty,
        Format::Html,
        Format::InfluxSummary,
        Format::InfluxDetails,
        Format::Prometheus,
        Format::Markdown,
        Format::Hdr,
        Format::Hlog,
    ];

    /// The name, as ghz has it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Summary => "summary",
            Format::Json => "json",
            Format::Pretty => "pretty",
            Format::Csv => "csv",
            Format::Html => "html",
            Format::InfluxSummary => "influx-summary",
            Format::InfluxDetails => "influx-details",
            Format::Prometheus => "prometheus",
            Format::Markdown => "markdown",
            Format::Hdr => "hdr",
            Format::Hlog => "hlog",
        }
    }

    /// Whether the format lists single calls, so that the run should keep them.
    pub fn lists_calls(self) -> bool {
        match self {
            Format::Summary
            | Format::InfluxSummary
            | Format::Prometheus
            | Format::Markdown
            | Format::Hdr
            | Format::Hlog => false,
            Format::Json | Format::Pretty | Format::Csv | Format::Html | Format::InfluxDetails => true,
        }
    }

    /// Writes `report` in this format, and flushes.
    ///
    /// Errors when `out` does.
    pub fn write(self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        match self {
            Format::Summary => out.write_all(summary::text(report).as_bytes())?,
            Format::Json => json::write(report, json::Layout::OneLine, out)?,
            Format::Pretty => json::write(report, json::Layout::Indented, out)?,
            Format::Csv => csv::write(report, out)?,
            Format::Html => html::write(report, out)?,
            Format::InfluxSummary => out.write_all(influx::summary(report).as_bytes())?,
            Format::InfluxDetails => influx::details(report, out)?,
            Format::Prometheus => out.write_all(prometheus::text(report).as_bytes())?,
            Format::Markdown => out.write_all(markdown::text(report).as_bytes())?,
            Format::Hdr => out.write_all(hdr::table(report).as_bytes())?,
            Format::Hlog => out.write_all(hdr::log(report).as_bytes())?,
        }
        out.flush()
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Format, UnknownFormat> {
        Format::ALL.into_iter().find(|format| format.name() == text).ok_or(UnknownFormat)
    }
}

/// A text that names no format. Displays as the rule that was broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a format is one of ")?;
        for (at, format) in Format::ALL.into_iter().enumerate() {
            write!(f, "{}{format}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownFormat {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert_eq!("xml".parse::<Format>(), Err(UnknownFormat));
        assert_eq!(
            UnknownFormat.to_string(),
            "a format is one of summary, csv, json, pretty, html, influx-summary, influx-details, prometheus, markdown, hdr, hlog"
        );
    }
}
