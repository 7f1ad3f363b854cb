//! Wall time in reports: RFC 3339 at the offset of local time, as Go prints it.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::Offset;

/// `2026-11-30T11:09:30Z`, `2026-11-30T12:09:30+01:00`: cut to whole seconds.
pub(super) fn seconds(time: SystemTime, utc_offset_s: i32) -> String {
    let whole = timestamp(time).as_second();
    at_offset(Timestamp::from_second(whole).unwrap_or(Timestamp::UNIX_EPOCH), utc_offset_s)
}

/// `2026-11-30T11:09:30.980170732Z`: to the nanosecond, without zeros at the end.
pub(super) fn nanos(time: SystemTime, utc_offset_s: i32) -> String {
    at_offset(timestamp(time), utc_offset_s)
}

/// Times outside of the years -9999 to 9999 have no RFC 3339 form, and no run takes place there.
fn timestamp(time: SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The time that [`nanos`] writes so; exact to the nanosecond.
pub(super) fn read(text: &str) -> Option<SystemTime> {
    let since = text.parse::<Timestamp>().ok()?.as_duration();
    let epoch = SystemTime::UNIX_EPOCH;
    if since.is_negative() { epoch.checked_sub(since.unsigned_abs()) } else { epoch.checked_add(since.unsigned_abs()) }
}

/// RFC 3339 has no seconds in an offset: with them the text would be another time.
fn at_offset(timestamp: Timestamp, utc_offset_s: i32) -> String {
    match Offset::from_seconds(utc_offset_s / 60 * 60) {
        Ok(offset) if offset != Offset::UTC => timestamp.display_with_offset(offset).to_string(),
        _ => timestamp.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn prints_like_go() {
        let time = SystemTime::UNIX_EPOCH + Duration::new(1_796_036_970, 980_170_700);
        assert_eq!(seconds(time, 0), "2026-11-30T11:09:30Z");
        assert_eq!(nanos(time, 0), "2026-11-30T11:09:30.9801707Z");
        assert_eq!(seconds(time, 3_600), "2026-11-30T12:09:30+01:00");
        assert_eq!(nanos(time, -12_600), "2026-11-30T07:39:30.9801707-03:30");
        assert_eq!(nanos(SystemTime::UNIX_EPOCH, 0), "1970-01-01T00:00:00Z");
    }

    #[test]
    fn reads_what_it_writes() {
        let time = SystemTime::UNIX_EPOCH + Duration::new(1_796_036_970, 980_170_701);
        for utc_offset_s in [0, 3_600, -12_600, 3_661, -59, 93_599, i32::MAX] {
            assert_eq!(read(&nanos(time, utc_offset_s)), Some(time), "{utc_offset_s}");
        }
        assert_eq!(read("yesterday"), None);
    }
}
