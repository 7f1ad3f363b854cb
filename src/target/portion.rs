//! Parts of a whole, as percentages with an exact sum.

use std::fmt;
use std::str::FromStr;

use crate::units::UnitError;

const WHOLE: u32 = 1_000_000_000;
/// Digits after the point of a percentage; 100 times as many parts make the whole.
const DECIMALS: usize = 7;

/// A part of a whole, above 0 and at most all of it, in billionths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Portion(u32);

impl Portion {
    /// All of it.
    pub(super) const WHOLE: Portion = Portion(WHOLE);

    /// How many billionths.
    pub(super) fn parts(self) -> u32 {
        self.0
    }
}

/// Reads `1%`, `0.1%`, `33.3 %`: above 0, at most 100, at most seven decimals.
impl FromStr for Portion {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Portion, UnitError> {
        let rule = || {
            UnitError::new(
                "a share is a percentage above 0% and up to 100%, such as 1% or 0.1%, with no more than seven decimals",
            )
        };
        let number = text.trim().strip_suffix('%').ok_or_else(rule)?.trim_end();
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{fraction:0<DECIMALS$}");
        if whole.len() + fraction.len() == 0 || fraction.len() > DECIMALS || !digits.bytes().all(|b| b.is_ascii_digit())
        {
            return Err(rule());
        }
        match digits.parse() {
            Ok(parts @ 1..=WHOLE) => Ok(Portion(parts)),
            _ => Err(rule()),
        }
    }
}

/// The percentage with as many decimals as it takes: `1%`, `0.1%`.
impl fmt::Display for Portion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&percentage(self.0.into()))
    }
}

/// So many billionths as a percentage; sums of portions may exceed the whole.
pub(super) fn percentage(parts: u64) -> String {
    let percent = u64::from(WHOLE) / 100;
    let number = format!("{}.{:0DECIMALS$}", parts / percent, parts % percent);
    format!("{}%", number.trim_end_matches('0').trim_end_matches('.'))
}

/// A number in `0..1_000_000_000`, for the `index`-th draw by `seed`: all are equally likely, and unlike draws are
/// independent for any purpose here.
///
/// A function of its arguments and not a generator with a state, so that threads share nothing but a counter and the
/// order in which they draw does not matter. The mixing is the finaliser of `SplitMix64` (Steele, Lea, Flood 2014).
pub(super) fn draw(seed: u64, index: u64) -> u32 {
    let mut bits = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    // The upper 32 bits scaled to the range: less than one in a billion off from even.
    let scaled = ((bits >> 32) * u64::from(WHOLE)) >> 32;
    u32::try_from(scaled).expect("scaled to less than the whole")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_prints_percentages() {
        for (text, parts, shown) in [
            ("1%", 10_000_000, "1%"),
            ("100%", WHOLE, "100%"),
            ("0.1%", 1_000_000, "0.1%"),
            ("33.30 %", 333_000_000, "33.3%"),
            (" 10.5%", 105_000_000, "10.5%"),
            (".5%", 5_000_000, "0.5%"),
            ("0.0000001%", 1, "0.0000001%"),
        ] {
            let portion: Portion = text.parse().unwrap();
            assert_eq!((portion.parts(), portion.to_string().as_str()), (parts, shown), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_share() {
        for text in
            ["", "%", ".%", "1", "0%", "0.0%", "101%", "100.1%", "-1%", "+1%", "1e1%", "0.00000001%", "x%", "1 1%"]
        {
            assert!(text.parse::<Portion>().is_err(), "{text}");
        }
    }

    #[test]
    fn draws_are_even_and_depend_on_the_seed() {
        let draws = 100_000u64;
        for seed in [0, 1, u64::MAX] {
            let low = (0..draws).filter(|index| draw(seed, *index) < WHOLE / 10).count();
            assert!((9_500..10_500).contains(&low), "a tenth of the draws: {low}");
            assert!((0..draws).all(|index| draw(seed, index) < WHOLE));
        }
        assert!((0..draws).filter(|index| draw(1, *index) == draw(2, *index)).count() < 5);
    }
}
