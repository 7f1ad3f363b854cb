//! Forms of dates in Go's manner, in which the instant `Mon Jan 2 15:04:05 2006 -0700` written in the form stands for all.

use std::fmt::Write;

use jiff::ZonedDateTime;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// A piece of a form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Piece<'a> {
    Text(&'a str),
    Month,
    MonthShort,
    MonthNumber,
    MonthTwo,
    DayName,
    DayNameShort,
    Day,
    DaySpace,
    DayTwo,
    DayOfYear,
    Hour,
    HourHalf,
    HourHalfTwo,
    Minute,
    MinuteTwo,
    Second,
    SecondTwo,
    Year,
    YearTwo,
    Half,
    HalfLower,
    Zone,
    /// Hours and minutes from UTC: with a colon, without minutes, `Z` for none.
    Offset {
        colon: bool,
        minutes: bool,
        z: bool,
    },
    /// So many decimals; with their point or comma, or without trailing zeros.
    Fraction {
        digits: usize,
        trimmed: bool,
        mark: char,
    },
}

/// What stands for a piece, longest first where one begins another.
const PIECES: [(&str, Piece<'static>); 30] = [
    ("January", Piece::Month),
    ("Jan", Piece::MonthShort),
    ("Monday", Piece::DayName),
    ("Mon", Piece::DayNameShort),
    ("MST", Piece::Zone),
    ("2006", Piece::Year),
    ("-07:00:00", Piece::Offset { colon: true, minutes: true, z: false }),
    ("-07:00", Piece::Offset { colon: true, minutes: true, z: false }),
    ("-0700", Piece::Offset { colon: false, minutes: true, z: false }),
    ("-07", Piece::Offset { colon: false, minutes: false, z: false }),
    ("Z07:00", Piece::Offset { colon: true, minutes: true, z: true }),
    ("Z0700", Piece::Offset { colon: false, minutes: true, z: true }),
    ("Z07", Piece::Offset { colon: false, minutes: false, z: true }),
    ("002", Piece::DayOfYear),
    ("01", Piece::MonthTwo),
    ("02", Piece::DayTwo),
    ("03", Piece::HourHalfTwo),
    ("04", Piece::MinuteTwo),
    ("05", Piece::SecondTwo),
    ("06", Piece::YearTwo),
    ("15", Piece::Hour),
    ("PM", Piece::Half),
    ("pm", Piece::HalfLower),
    ("_2006", Piece::Text("_")),
    ("_2", Piece::DaySpace),
    ("1", Piece::MonthNumber),
    ("2", Piece::Day),
    ("3", Piece::HourHalf),
    ("4", Piece::Minute),
    ("5", Piece::Second),
];

/// The pieces of `form`.
fn pieces(form: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut at, mut text) = (0, 0);
    while at < form.len() {
        let rest = &form[at..];
        let fixed = PIECES.iter().find(|(name, _)| rest.starts_with(name)).map(|(name, piece)| {
            // `_2006` is an underscore and a year.
            (if *name == "_2006" { 1 } else { name.len() }, *piece)
        });
        if let Some((len, piece)) = fixed.or_else(|| fraction(rest)) {
            if text < at {
                pieces.push(Piece::Text(&form[text..at]));
            }
            pieces.push(piece);
            at += len;
            text = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    if text < at {
        pieces.push(Piece::Text(&form[text..]));
    }
    pieces
}

/// `.000` or `,999`: a mark and zeros or nines up to the end of the digits.
fn fraction(rest: &str) -> Option<(usize, Piece<'static>)> {
    let mark = rest.chars().next().filter(|c| matches!(c, '.' | ','))?;
    let digit = rest[1..].chars().next().filter(|c| matches!(c, '0' | '9'))?;
    let digits = rest[1..].chars().take_while(|c| *c == digit).count();
    let ends = !rest[1 + digits..].starts_with(|c: char| c.is_ascii_digit());
    let piece = Piece::Fraction { digits: digits.min(9), trimmed: digit == '9', mark };
    ends.then_some((1 + digits, piece))
}

/// `at` in the form.
pub(super) fn format(form: &str, at: &ZonedDateTime) -> String {
    let mut out = String::new();
    for piece in pieces(form) {
        // Writing to a string cannot fail.
        let _ = write_piece(piece, at, &mut out);
    }
    out
}

fn write_piece(piece: Piece<'_>, at: &ZonedDateTime, out: &mut String) -> std::fmt::Result {
    let month = MONTHS[usize::from(at.month().unsigned_abs()) - 1];
    let day_name = DAYS[usize::from(at.weekday().to_monday_zero_offset().unsigned_abs())];
    let half_hour = (at.hour() + 11) % 12 + 1;
    match piece {
        Piece::Text(text) => out.write_str(text),
        Piece::Month => out.write_str(month),
        Piece::MonthShort => out.write_str(&month[..3]),
        Piece::MonthNumber => write!(out, "{}", at.month()),
        Piece::MonthTwo => write!(out, "{:02}", at.month()),
        Piece::DayName => out.write_str(day_name),
        Piece::DayNameShort => out.write_str(&day_name[..3]),
        Piece::Day => write!(out, "{}", at.day()),
        Piece::DaySpace => write!(out, "{:2}", at.day()),
        Piece::DayTwo => write!(out, "{:02}", at.day()),
        Piece::DayOfYear => write!(out, "{:03}", at.day_of_year()),
        Piece::Hour => write!(out, "{:02}", at.hour()),
        Piece::HourHalf => write!(out, "{half_hour}"),
        Piece::HourHalfTwo => write!(out, "{half_hour:02}"),
        Piece::Minute => write!(out, "{}", at.minute()),
        Piece::MinuteTwo => write!(out, "{:02}", at.minute()),
        Piece::Second => write!(out, "{}", at.second()),
        Piece::SecondTwo => write!(out, "{:02}", at.second()),
        Piece::Year => write!(out, "{:04}", at.year()),
        Piece::YearTwo => write!(out, "{:02}", at.year().rem_euclid(100)),
        Piece::Half => out.write_str(if at.hour() < 12 { "AM" } else { "PM" }),
        Piece::HalfLower => out.write_str(if at.hour() < 12 { "am" } else { "pm" }),
        Piece::Zone => out.write_str(at.time_zone().to_offset_info(at.timestamp()).abbreviation()),
        Piece::Offset { colon, minutes, z } => {
            let seconds = at.offset().seconds();
            if z && seconds == 0 {
                return out.write_char('Z');
            }
            let (sign, all) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs() / 60);
            write!(out, "{sign}{:02}", all / 60)?;
            match (minutes, colon) {
                (true, true) => write!(out, ":{:02}", all % 60),
                (true, false) => write!(out, "{:02}", all % 60),
                (false, _) => Ok(()),
            }
        }
        Piece::Fraction { digits, trimmed, mark } => {
            let all = format!("{:09}", at.subsec_nanosecond());
            let shown = if trimmed { all[..digits].trim_end_matches('0') } else { &all[..digits] };
            if shown.is_empty() { Ok(()) } else { write!(out, "{mark}{shown}") }
        }
    }
}

/// What has been read of a point in time.
#[derive(Default)]
struct Read {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    day_of_year: Option<i16>,
    hour: i8,
    /// `Some(true)` in the afternoon.
    half: Option<bool>,
    minute: i8,
    second: i8,
    nanos: i32,
    offset: Option<Offset>,
    zone: Option<TimeZone>,
}

/// The point in time that `text` names in the form; in `zone` if it names none.
pub(super) fn parse(form: &str, text: &str, zone: &TimeZone) -> Result<ZonedDateTime, String> {
    let wrong = || format!("`{text}` is not in the form `{form}`");
    let mut read = Read::default();
    let mut rest = text;
    for piece in pieces(form) {
        rest = read.piece(piece, rest).ok_or_else(wrong)?;
        // Go takes decimals after seconds also where the form has none.
        if matches!(piece, Piece::Second | Piece::SecondTwo) && !form.contains(['.', ',']) {
            rest = read.fraction(rest).ok_or_else(wrong)?;
        }
    }
    if !rest.is_empty() {
        return Err(wrong());
    }
    read.finish(zone).ok_or_else(|| format!("`{text}` is no date of the calendar"))
}

impl Read {
    /// Takes `piece` off the front of `text`.
    fn piece<'t>(&mut self, piece: Piece<'_>, text: &'t str) -> Option<&'t str> {
        let rest = match piece {
            Piece::Text(expected) => return text.strip_prefix(expected),
            Piece::Month | Piece::MonthShort => {
                let (at, rest) = named(&MONTHS, piece == Piece::MonthShort, text)?;
                self.month = i8::try_from(at + 1).ok();
                rest
            }
            Piece::DayName | Piece::DayNameShort => named(&DAYS, piece == Piece::DayNameShort, text)?.1,
            Piece::MonthNumber | Piece::MonthTwo => small(&mut self.month, piece == Piece::MonthTwo, text)?,
            Piece::Day | Piece::DayTwo => small(&mut self.day, piece == Piece::DayTwo, text)?,
            Piece::DaySpace => small(&mut self.day, false, text.trim_start_matches(' '))?,
            Piece::DayOfYear => {
                let (value, rest) = digits(text, 3, 3)?;
                self.day_of_year = i16::try_from(value).ok();
                rest
            }
            Piece::Hour | Piece::HourHalfTwo => number(&mut self.hour, true, text)?,
            Piece::HourHalf => number(&mut self.hour, false, text)?,
            Piece::Minute | Piece::MinuteTwo => number(&mut self.minute, piece == Piece::MinuteTwo, text)?,
            Piece::Second | Piece::SecondTwo => number(&mut self.second, piece == Piece::SecondTwo, text)?,
            Piece::Year => {
                let (value, rest) = digits(text, 4, 4)?;
                self.year = i16::try_from(value).ok();
                rest
            }
            Piece::YearTwo => {
                let (value, rest) = digits(text, 2, 2)?;
                // As Go has it: 69 is 1969, 68 is 2068.
                self.year = i16::try_from(if value >= 69 { 1900 + value } else { 2000 + value }).ok();
                rest
            }
            Piece::Half | Piece::HalfLower => {
                let half = text.get(..2)?;
                self.half = Some(match half.to_ascii_uppercase().as_str() {
                    "AM" => false,
                    "PM" => true,
                    _ => return None,
                });
                &text[2..]
            }
            Piece::Zone => self.zone(text)?,
            Piece::Offset { colon, minutes, z } => self.offset(text, colon, minutes, z)?,
            Piece::Fraction { .. } => return self.fraction(text),
        };
        Some(rest)
    }

    fn zone<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let len = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (name, rest) = text.split_at(len);
        if name.is_empty() {
            // A zone without a name prints its offset a second time.
            return self.offset(text, false, false, false).or(Some(text).filter(|_| self.offset.is_some()));
        }
        if matches!(name, "UTC" | "GMT" | "Z") {
            self.zone = Some(TimeZone::UTC);
        }
        Some(rest)
    }

    fn offset<'t>(&mut self, text: &'t str, colon: bool, minutes: bool, z: bool) -> Option<&'t str> {
        if z && let Some(rest) = text.strip_prefix('Z') {
            self.offset = Some(Offset::UTC);
            return Some(rest);
        }
        let sign = match text.chars().next()? {
            '+' => 1,
            '-' => -1,
            _ => return None,
        };
        let (hours, mut rest) = digits(&text[1..], 2, 2)?;
        let mut all = hours * 60;
        if minutes {
            if colon {
                rest = rest.strip_prefix(':')?;
            }
            let (minutes, after) = digits(rest, 2, 2)?;
            all += minutes;
            rest = after;
        }
        self.offset = Some(Offset::from_seconds(i32::try_from(all * 60).ok()? * sign).ok()?);
        Some(rest)
    }

    fn fraction<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let Some(rest) = text.strip_prefix(['.', ',']) else { return Some(text) };
        let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let nanos: String = rest[..len].chars().chain("000000000".chars()).take(9).collect();
        self.nanos = nanos.parse().ok()?;
        Some(&rest[len..])
    }

    fn finish(self, zone: &TimeZone) -> Option<ZonedDateTime> {
        let hour = match self.half {
            None => self.hour,
            Some(_) if self.hour > 12 => return None,
            Some(afternoon) => self.hour % 12 + if afternoon { 12 } else { 0 },
        };
        let year = self.year.unwrap_or(0);
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        let mut at = DateTime::new(year, month, day, hour, self.minute, self.second, self.nanos).ok()?;
        if let Some(day) = self.day_of_year {
            at = at.with().day_of_year(day).build().ok()?;
        }
        match (self.offset, self.zone) {
            (Some(offset), _) => at.to_zoned_datetime(TimeZone::fixed(offset)).ok(),
            (None, Some(zone)) => at.to_zoned_datetime(zone).ok(),
            (None, None) => at.to_zoned_datetime(zone.clone()).ok(),
        }
    }
}

fn named<'t>(names: &[&str], short: bool, text: &'t str) -> Option<(usize, &'t str)> {
    names.iter().enumerate().find_map(|(at, name)| {
        let name = if short { &name[..3] } else { name };
        let found = text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        found.then(|| (at, &text[name.len()..]))
    })
}

/// A number of one or two digits, or of just two.
fn small<'t>(place: &mut Option<i8>, two: bool, text: &'t str) -> Option<&'t str> {
    let mut value = 0;
    let rest = number(&mut value, two, text)?;
    *place = Some(value);
    Some(rest)
}

fn number<'t>(place: &mut i8, two: bool, text: &'t str) -> Option<&'t str> {
    let (value, rest) = digits(text, if two { 2 } else { 1 }, 2)?;
    *place = i8::try_from(value).ok()?;
    Some(rest)
}

fn digits(text: &str, least: usize, most: usize) -> Option<(u32, &str)> {
    let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    if count < least {
        return None;
    }
    Some((text[..count].parse().ok()?, &text[count..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> ZonedDateTime {
        text.parse().unwrap()
    }

    #[test]
    fn forms_are_written() {
        let time = at("2024-02-09T15:04:05.0607+01:00[Europe/Berlin]");
        for (form, expected) in [
            ("2006-01-02T15:04:05Z07:00", "2024-02-09T15:04:05+01:00"),
            ("2006-01-02 15:04:05.999999999 -0700 MST", "2024-02-09 15:04:05.0607 +0100 CET"),
            ("Mon Jan _2 15:04:05 2006", "Fri Feb  9 15:04:05 2024"),
            ("Monday, 02-January-06 03:04PM 3:4:5pm", "Friday, 09-February-24 03:04PM 3:4:5pm"),
            (".000 .000000 ,99 002 Z07 -07", ".060 .060700 ,06 040 +01 +01"),
            ("1/2/2006 is a_2006 day", "2/9/2024 is a_2024 day"),
            ("é", "é"),
            ("", ""),
        ] {
            assert_eq!(format(form, &time), expected, "{form}");
        }
        assert_eq!(format("15:04:05Z07:00 .999", &at("2024-02-09T00:00:00Z[UTC]")), "00:00:00Z ");
    }

    #[test]
    fn forms_are_read() {
        for (form, text, expected) in [
            ("2006-01-02", "2024-02-29", "2024-02-29T00:00:00+00:00[UTC]"),
            ("2006-01-02T15:04:05Z07:00", "2024-02-29T01:02:03.5-01:30", "2024-02-29T01:02:03.5-01:30[-01:30]"),
            ("Jan _2 3:04 PM 2006", "feb  9 12:30 am 2024", "2024-02-09T00:30:00+00:00[UTC]"),
            ("02 Jan 06 15:04 MST", "09 Feb 69 15:04 UTC", "1969-02-09T15:04:00+00:00[UTC]"),
            ("2006 002", "2024 060", "2024-02-29T00:00:00+00:00[UTC]"),
        ] {
            assert_eq!(parse(form, text, &TimeZone::UTC).unwrap(), at(expected), "{form}");
        }
        for (form, text) in [
            ("2006-01-02", "2023-02-29"),
            ("2006-01-02", "2024-2-9"),
            ("2006-01-02", "2024-02-09 "),
            ("15:04", "25:00"),
            ("3 PM", "13 PM"),
            ("Jan", "Foo"),
            ("Z07:00", "+99:00"),
        ] {
            assert!(parse(form, text, &TimeZone::UTC).is_err(), "{form}: {text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_was_written_is_read(seconds in 0i64..4_000_000_000, nanos in 0i32..1_000_000_000) {
            let time = jiff::Timestamp::new(seconds, nanos).unwrap().to_zoned_datetime(TimeZone::UTC);
            for form in ["2006-01-02 15:04:05.999999999 -0700 MST", "Jan 2 2006 3:04:05.000000000PM -07:00"] {
                let text = format(form, &time);
                proptest::prop_assert_eq!(parse(form, &text, &TimeZone::UTC).unwrap().timestamp(), time.timestamp());
            }
        }

        #[test]
        fn never_panics(form in "([0-9_.,:Z+-]|Jan|MST|PM|2006|é| ){0,8}", text in "([0-9_.,:Z+-]|Feb|UTC|AM|é| ){0,12}") {
            let _ = parse(&form, &text, &TimeZone::UTC);
            let _ = format(&form, &at("2024-02-09T15:04:05Z[UTC]"));
        }
    }
}
