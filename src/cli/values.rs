//! The values of flags: one reader for each kind, so that the same mistake is told alike wherever it is made.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use crate::error::UsageError;
use crate::export::Format;
use crate::units::{ByteCount, Rate, parse_duration};

/// A whole number in `range`.
pub(super) fn count<T, N>(
    what: &'static str,
    text: Option<&str>,
    default: N,
    range: RangeInclusive<N>,
) -> Result<T, UsageError>
where
    N: Copy + PartialOrd + Display + std::str::FromStr,
    T: TryFrom<N>,
{
    let rule = || {
        let (low, high) = (range.start(), range.end());
        format!("it is a whole number from {low} to {high}")
    };
    let number = match text {
        None => default,
        Some(text) => text.trim().parse().map_err(|_| invalid(what, text, rule()))?,
    };
    let within = Some(number).filter(|number| range.contains(number)).and_then(|number| T::try_from(number).ok());
    within.ok_or_else(|| invalid(what, &number.to_string(), rule()))
}

/// A duration, if one is given.
pub(super) fn time(what: &'static str, text: Option<&str>) -> Result<Option<Duration>, UsageError> {
    let Some(text) = text else { return Ok(None) };
    let bare = text.trim();
    // Not `1e3` or `inf`, which no unit would make a time.
    let digits = bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    parse_duration(text).map(Some).map_err(|rule| match bare.parse::<f64>() {
        Ok(number) if number > 0.0 && digits => UsageError::NoUnit { what, value: bare.to_owned() },
        _ => invalid(what, text, rule.to_string()),
    })
}

/// A number of bytes, if one is given.
pub(super) fn size(what: &'static str, text: Option<&str>) -> Result<Option<ByteCount>, UsageError> {
    text.map(|text| parsed(what, text)).transpose()
}

/// A value that breaks its rule.
pub(super) fn invalid(what: &'static str, value: &str, rule: impl Into<String>) -> UsageError {
    UsageError::Invalid { what, value: value.to_owned(), rule: rule.into() }
}

/// A value as its type reads it.
pub(super) fn parsed<T: FromStr<Err: Display>>(what: &'static str, text: &str) -> Result<T, UsageError> {
    text.parse().map_err(|rule: T::Err| invalid(what, text, rule.to_string()))
}

/// One of several words, in capitals or not.
pub(super) fn word<T: FromStr<Err: Display>>(what: &'static str, text: &str) -> Result<T, UsageError> {
    text.to_ascii_lowercase().parse().map_err(|rule: T::Err| invalid(what, text, rule.to_string()))
}

/// A format of reports.
pub(super) fn format(name: Option<&str>) -> Result<Format, UsageError> {
    name.map_or(Ok(Format::Summary), |name| word("--format", name))
}

/// A rate, where 0 means none.
pub(super) fn rate(what: &'static str, text: Option<&str>) -> Result<Option<Rate>, UsageError> {
    let text = text.filter(|text| text.trim().parse() != Ok(0.0));
    text.map(|text| parsed(what, text)).transpose()
}
