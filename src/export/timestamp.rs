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

fn at_offset(timestamp: Timestamp, utc_offset_s: i32) -> String {
    match Offset::from_seconds(utc_offset_s) {
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
}
