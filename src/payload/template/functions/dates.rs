//! Dates. A point in time is a text in the form in which Go prints one, `2024-02-29 12:00:00.5 +0100 CET`; functions take
//! that, RFC 3339, or a number of seconds since 1970.

use std::time::SystemTime;

use gotmpl::Value;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ZonedDateTime};

use super::super::layout;
use super::{Function, Outcome, integer, string, text, wants};
use crate::units::parse_duration;

pub(super) const FUNCTIONS: &[Function] = &[
    ("now", 0..=0, |_| Ok(point(&ZonedDateTime::now()))),
    ("date", 2..=2, |args| Ok(string(layout::format(&text(&args[0])?, &local(&args[1])?)))),
    ("date_in_zone", 3..=3, in_zone),
    ("dateInZone", 3..=3, in_zone),
    ("htmlDate", 1..=1, |args| Ok(string(layout::format("2006-01-02", &local(&args[0])?)))),
    ("htmlDateInZone", 2..=2, |args| in_zone(&[string("2006-01-02"), args[0].clone(), args[1].clone()])),
    ("dateModify", 2..=2, modified),
    ("date_modify", 2..=2, modified),
    ("mustDateModify", 2..=2, modified),
    ("must_date_modify", 2..=2, modified),
    ("toDate", 2..=2, read),
    ("mustToDate", 2..=2, read),
    ("unixEpoch", 1..=1, |args| Ok(string(time(&args[0])?.timestamp().as_second().to_string()))),
    ("ago", 1..=1, |args| {
        let since = Timestamp::now().duration_since(time(&args[0])?.timestamp());
        Ok(string(duration(SignedDuration::from_secs(since.as_secs()))))
    }),
    ("duration", 1..=1, |args| Ok(string(duration(SignedDuration::from_secs(integer(&args[0])))))),
    ("durationRound", 1..=1, |args| Ok(string(rough(&args[0])?))),
];

/// The wall clock in the time zone of this machine, in RFC 3339 to the second: `.Timestamp` of templates.
pub(in crate::payload::template) fn timestamp(at: SystemTime) -> String {
    let at = Timestamp::try_from(at).unwrap_or(Timestamp::UNIX_EPOCH);
    layout::format("2006-01-02T15:04:05Z07:00", &at.to_zoned_datetime(TimeZone::system()))
}

/// Go's own form.
const PRINTED: &str = "2006-01-02 15:04:05.999999999 -0700 MST";

fn point(at: &ZonedDateTime) -> Value {
    string(layout::format(PRINTED, at))
}

fn time(value: &Value) -> Result<ZonedDateTime, String> {
    match value {
        Value::Int(seconds) => {
            let at = Timestamp::from_second(*seconds).map_err(|_| format!("{seconds} is no time"))?;
            Ok(at.to_zoned_datetime(TimeZone::system()))
        }
        Value::String(text) => {
            if let Ok(at) = layout::parse(PRINTED, text, &TimeZone::UTC) {
                return Ok(at);
            }
            let at = layout::parse("2006-01-02T15:04:05.999999999Z07:00", text, &TimeZone::UTC);
            at.map_err(|_| format!("`{text}` is no time; toDate reads other forms"))
        }
        other => Err(wants("a time", other)),
    }
}

fn local(value: &Value) -> Result<ZonedDateTime, String> {
    Ok(time(value)?.with_time_zone(TimeZone::system()))
}

fn in_zone(args: &[Value]) -> Outcome {
    let name = text(&args[2])?;
    let zone = match &*name {
        "Local" => TimeZone::system(),
        "" | "UTC" => TimeZone::UTC,
        name => TimeZone::get(name).map_err(|_| format!("there is no time zone `{name}`"))?,
    };
    Ok(string(layout::format(&text(&args[0])?, &time(&args[1])?.with_time_zone(zone))))
}

fn signed_duration(text: &str) -> Result<SignedDuration, String> {
    let (sign, size) = match text.strip_prefix(['-', '+']) {
        Some(size) if text.starts_with('-') => (-1, size),
        Some(size) => (1, size),
        None => (1, text),
    };
    let size = parse_duration(size).map_err(|rule| rule.to_string())?;
    let size = SignedDuration::try_from(size).map_err(|_| format!("`{text}` is too long"))?;
    Ok(size * sign)
}

fn modified(args: &[Value]) -> Outcome {
    let by = signed_duration(&text(&args[0])?)?;
    let moved = time(&args[1])?.checked_add(by).map_err(|_| "there is no such time".to_owned())?;
    Ok(point(&moved))
}

fn read(args: &[Value]) -> Outcome {
    let (form, text) = (text(&args[0])?, text(&args[1])?);
    Ok(point(&layout::parse(&form, &text, &TimeZone::system())?))
}

/// As Go prints whole seconds: `1h0m5s`.
fn duration(of: SignedDuration) -> String {
    let seconds = of.as_secs().unsigned_abs();
    let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let sign = if of.is_negative() { "-" } else { "" };
    match (hours, minutes) {
        (0, 0) => format!("{sign}{rest}s"),
        (0, _) => format!("{sign}{minutes}m{rest}s"),
        _ => format!("{sign}{hours}h{minutes}m{rest}s"),
    }
}

/// The largest unit of a duration, or of the time since a point: `2h`, `3mo`.
fn rough(value: &Value) -> Result<String, String> {
    const UNITS: [(u64, &str); 6] =
        [(365 * 86_400, "y"), (30 * 86_400, "mo"), (86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    let length = match value {
        Value::Int(nanos) => SignedDuration::from_nanos(*nanos),
        Value::String(text) if signed_duration(text).is_ok() => signed_duration(text)?,
        other => Timestamp::now().duration_since(time(other)?.timestamp()),
    };
    let (sign, seconds) = (if length.is_negative() { "-" } else { "" }, length.as_secs().unsigned_abs());
    let unit = UNITS.iter().find(|(size, _)| seconds > *size || *size == 1 && seconds == 1);
    Ok(unit.map_or_else(|| "0s".to_owned(), |(size, name)| format!("{sign}{}{name}", seconds / size)))
}

#[cfg(test)]
mod tests {
    use super::super::{check, rendered};

    #[test]
    fn forms() {
        check(&[
            ("{{date_in_zone \"2006-01-02 15:04:05\" 0 \"UTC\"}}", "1970-01-01 00:00:00"),
            ("{{dateInZone \"Jan 2 06 3:04 PM MST\" 1709208000 \"UTC\"}}", "Feb 29 24 12:00 PM UTC"),
            ("{{toDate \"2006-01-02 MST\" \"2024-02-29 UTC\" | unixEpoch}}", "1709164800"),
            ("{{dateModify \"-1.5h\" \"2024-02-29 12:00:00 +0000 UTC\" | unixEpoch}}", "1709202600"),
            ("{{htmlDateInZone \"2024-02-29T23:30:00-01:00\" \"UTC\"}}", "2024-03-01"),
            (
                "{{duration 95}} {{duration 3605}} {{durationRound \"2h10m5s\"}} {{durationRound \"61s\"}}",
                "1m35s 1h0m5s 2h 1m",
            ),
            ("{{date \"2006\" \"soon\"}}", "!date: `soon` is no time"),
            ("{{dateInZone \"2006\" 0 \"Mars/Olympus\"}}", "!there is no time zone `Mars/Olympus`"),
            ("{{dateModify \"soon\" now}}", "!a duration is a number with a unit"),
        ]);
    }

    #[test]
    fn now_is_a_time() {
        let year = rendered("{{now | date \"2006\"}}").unwrap();
        assert!(year.parse::<u32>().unwrap() >= 2024, "{year}");
        let seconds: u64 = rendered("{{now | unixEpoch}}").unwrap().parse().unwrap();
        assert!(seconds > 1_700_000_000);
        check(&[("{{ago now}}", "0s")]);
    }
}
