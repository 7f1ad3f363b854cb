//! Points in time and durations from the texts that the JSON mapping has for them, as whole seconds and nanoseconds.
//!
//! Strict: what protobuf's own parsers refuse is refused, nothing is rounded, and no second is moved.

/// Seconds since 1970 and nanoseconds after them, of a point in time in RFC 3339: `2024-02-29T12:00:00.5+01:00`.
///
/// `None` for anything else: lower-case `t` or `z`, a space, no offset, a date that is not in the calendar, a 60th
/// second, more than nine decimals, or years other than 1 to 9999.
pub(super) fn timestamp(text: &str) -> Option<(i64, i32)> {
    let (year, rest) = number(text, 4)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 2)?;
    let (hour, rest) = number(rest.strip_prefix('T')?, 2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (second, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (nanos, rest) = decimals(rest)?;
    let offset = offset(rest)?;
    if !(1..=12).contains(&month)
        || !(1..=days_of(year, month)).contains(&day)
        || hour > 23
        || minute > 59
        || second > 59
    {
        return None;
    }
    let seconds = days_before(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset;
    let (first, end) = (days_before(1, 1, 1) * 86_400, days_before(10_000, 1, 1) * 86_400);
    (first..end).contains(&seconds).then_some((seconds, nanos))
}

/// Seconds and nanoseconds, both of the sign, of a duration: `1.5s`, `-0.25s`.
///
/// `None` for anything else: other units, no unit, more than nine decimals, or more than 315576000000 seconds.
pub(super) fn duration(text: &str) -> Option<(i64, i32)> {
    const MOST: i64 = 315_576_000_000;
    let text = text.strip_suffix('s')?;
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 18 {
        return None;
    }
    let (seconds, rest) = number(text, digits)?;
    let (nanos, rest) = decimals(rest)?;
    (rest.is_empty() && seconds <= MOST).then_some((seconds * sign, nanos * i32::try_from(sign).ok()?))
}

/// The number that the first `digits` characters are, and what follows.
fn number(text: &str, digits: usize) -> Option<(i64, &str)> {
    let (number, rest) = text.split_at_checked(digits)?;
    let all_digits = number.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| number.parse().ok()).flatten().map(|number| (number, rest))
}

/// Nanoseconds from a point and one to nine digits, if there is a point, and what follows.
fn decimals(text: &str) -> Option<(i32, &str)> {
    let Some(fraction) = text.strip_prefix('.') else { return Some((0, text)) };
    let len = fraction.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=9).contains(&len) {
        return None;
    }
    let (digits, rest) = fraction.split_at(len);
    format!("{digits:0<9}").parse().ok().map(|nanos| (nanos, rest))
}

/// How many seconds the offset of a point in time is ahead: `Z`, `+08:00`, `-03:30`.
fn offset(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let (hours, rest) = number(text.strip_prefix(['+', '-'])?, 2)?;
    let (minutes, rest) = number(rest.strip_prefix(':')?, 2)?;
    (rest.is_empty() && hours <= 23 && minutes <= 59).then_some(sign * (hours * 3_600 + minutes * 60))
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar, year 1 or later.
///
/// Years start in March here, so that the leap day is the last of a year: with `y` such years complete, there were
/// `365·y + y/4 − y/100 + y/400` days in them, and `(153·m + 2)/5` in the `m` months since March (31, 30, 31, 30, 31 and
/// again). 719468 days lie between 0000-03-01 and 1970-01-01.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_time_are_read_exactly() {
        for (text, seconds, nanos) in [
            ("1970-01-01T00:00:00Z", 0, 0),
            ("1970-01-01T08:00:01+08:00", 1, 0),
            ("1969-12-31T23:59:59.5Z", -1, 500_000_000),
            ("1969-12-31T20:30:00-03:30", 0, 0),
            ("2024-02-29T12:00:00Z", 1_709_208_000, 0),
            ("2000-03-01T00:00:00.000000001Z", 951_868_800, 1),
            ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
            ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, 999_999_999),
        ] {
            assert_eq!(timestamp(text), Some((seconds, nanos)), "{text}");
        }
    }

    #[test]
    fn what_is_no_point_in_time_is_refused() {
        for text in [
            "2023-02-29T12:00:00Z",
            "1900-02-29T00:00:00Z",
            "2024-13-01T00:00:00Z",
            "2024-00-01T00:00:00Z",
            "2024-04-31T00:00:00Z",
            "0000-12-31T23:59:59Z",
            "2024-01-01t00:00:00z",
            "2024-01-01T00:00:00z",
            "2024-01-01T00:00:00",
            "2024-01-01 00:00:00Z",
            "2016-12-31T23:59:60Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:60:00Z",
            "2024-01-01T00:00:00.1234567890Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00+0100",
            "2024-01-01T00:00:00+01:60",
            "2024-01-01T00:00:00+24:00",
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "2024-01-01",
            "",
            "2024-1-1T00:00:00Z",
            "+024-01-01T00:00:00Z",
            "2024-01-01T00:00:00Z ",
            "２024-01-01T00:00:00Z",
        ] {
            assert_eq!(timestamp(text), None, "{text}");
        }
    }

    #[test]
    fn durations_are_read_exactly() {
        for (text, seconds, nanos) in [
            ("0s", 0, 0),
            ("1s", 1, 0),
            ("-0.5s", 0, -500_000_000),
            ("-3.000000001s", -3, -1),
            ("315576000000s", 315_576_000_000, 0),
            ("-315576000000.999999999s", -315_576_000_000, -999_999_999),
        ] {
            assert_eq!(duration(text), Some((seconds, nanos)), "{text}");
        }
        for text in [
            "1",
            "1.5S",
            "1m",
            "1e3s",
            "315576000001s",
            "-315576000001s",
            ".5s",
            "1.s",
            "s",
            "",
            "+1s",
            "--1s",
            "1 s",
            "1.1234567890s",
            "99999999999999999999999s",
            "1ms",
            "１s",
        ] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn days_follow_each_other(year in 1i64..9999, month in 1i64..=12) {
            let next = if month == 12 { days_before(year + 1, 1, 1) } else { days_before(year, month + 1, 1) };
            proptest::prop_assert_eq!(days_before(year, month, 1) + days_of(year, month), next);
        }

        #[test]
        fn never_panics(text in "[-+0-9.:TZs]{0,36}|\\PC{0,36}") {
            let _ = (timestamp(&text), duration(&text));
        }
    }
}
