//! Sizes in bytes, as ghz writes them.

use std::fmt;
use std::str::FromStr;

use super::UnitError;

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ByteCount(u64);

/// Units of 1000 bytes, from the largest.
const DECIMAL: [(&str, u64); 4] = [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];

impl ByteCount {
    /// So many bytes.
    pub const fn new(bytes: u64) -> ByteCount {
        ByteCount(bytes)
    }

    /// In bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

/// Reads `42`, `42 MB`, `1.5mib`, `4,000,000`: a number, of which commas are no part, and a unit in any case of letters.
/// `k`, `M`, `G` and `T`, with or without a `B`, are powers of 1000, `Ki`, `Mi`, `Gi` and `Ti` of 1024. Parts of a byte
/// are left out.
impl FromStr for ByteCount {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<ByteCount, UnitError> {
        let rule = || UnitError::new("a size is a number of bytes, such as 42, 4 MB (4000000) or 4 MiB (4194304)");
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, ',' | '.')).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let number = number.replace(',', "");
        let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
        // More digits than these are less than a byte of the largest unit.
        let fraction = &fraction[..fraction.len().min(18)];
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(rule());
        }
        let unit = unit.trim().to_ascii_lowercase();
        let (prefix, base) = match unit.strip_suffix('b').unwrap_or(&unit) {
            binary if binary.ends_with('i') => (&binary[..binary.len() - 1], 1024_u64),
            decimal => (decimal, 1000),
        };
        let power = match prefix {
            "" if base == 1000 => 0,
            "k" => 1,
            "m" => 2,
            "g" => 3,
            "t" => 4,
            _ => return Err(rule()),
        };
        let too_large = || UnitError::new("a size is below 18446744073709551616 bytes");
        let digits: u128 = digits.parse().map_err(|_| too_large())?;
        let scaled = digits.checked_mul(u128::from(base.pow(power))).ok_or_else(too_large)?;
        let bytes = scaled / 10_u128.pow(u32::try_from(fraction.len()).expect("18 at most"));
        u64::try_from(bytes).map(ByteCount).map_err(|_| too_large())
    }
}

/// The largest unit that gives a whole number: `4 MB`, `4194304 B`.
impl fmt::Display for ByteCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = DECIMAL.iter().find(|(_, scale)| self.0 > 0 && self.0.is_multiple_of(*scale));
        match unit {
            Some((unit, scale)) => write!(f, "{} {unit}", self.0 / scale),
            None => write!(f, "{} B", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c33_sizes_as_ghz_writes_them() {
        for (text, bytes, shown) in [
            ("42", 42, "42 B"),
            ("0", 0, "0 B"),
            ("42 MB", 42_000_000, "42 MB"),
            ("42 mib", 44_040_192, "44040192 B"),
            ("4MB", 4_000_000, "4 MB"),
            ("4 MiB", 4_194_304, "4194304 B"),
            ("6MiB", 6_291_456, "6291456 B"),
            (" 1,000,000 b ", 1_000_000, "1 MB"),
            ("1.5 k", 1_500, "1500 B"),
            ("1.5KiB", 1_536, "1536 B"),
            (".5 gi", 536_870_912, "536870912 B"),
            ("3 TB", 3_000_000_000_000, "3 TB"),
            ("0.0001 kB", 0, "0 B"),
            ("18446744073709551615", u64::MAX, "18446744073709551615 B"),
        ] {
            let count: ByteCount = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((count.bytes(), &*count.to_string()), (bytes, shown), "{text}");
        }
    }

    #[test]
    fn c33_what_is_no_size() {
        for text in [
            "",
            "lots",
            "MB",
            "-1",
            "+1",
            "1e3",
            "1 2",
            "1.2.3",
            ".",
            ",",
            "1 XB",
            "1 i",
            "1 ib",
            "4 bytes",
            "18446744073709551616",
            "99999999999999999999999999999999999999999",
            "17 million TB",
        ] {
            assert!(text.parse::<ByteCount>().is_err(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_shown_is_read_again(bytes: u64) {
            let count = ByteCount::new(bytes);
            proptest::prop_assert_eq!(count.to_string().parse(), Ok(count));
        }

        #[test]
        fn never_panics(text in "[0-9.,kKmMgGtTiIbB ]{0,50}") {
            let _ = text.parse::<ByteCount>();
        }
    }
}
