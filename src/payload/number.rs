//! Numbers from their text: exact, and in time and memory that depend on the length of the text alone.

/// Why a text is not the number wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoNumber {
    /// It is not written as a number.
    Syntax,
    /// It has a fraction.
    Fraction,
    /// It is too large or too small.
    Range,
}

/// The integer that `text` stands for, within `min..=max`. Any way to write it will do, as in `100`, `1e2`, `100.0`.
pub(super) fn integer(text: &str, min: i128, max: i128) -> Result<i128, NoNumber> {
    /// Every number in the range of 64 bits has fewer digits, and no number of this many overflows.
    const DIGITS: i64 = 30;
    let decimal = Decimal::parse(text).ok_or(NoNumber::Syntax)?;
    let digits = || decimal.whole.bytes().chain(decimal.fraction.bytes());
    let Some(first) = digits().position(|digit| digit != b'0') else { return Ok(0) };
    let last = digits().enumerate().filter(|(_, digit)| *digit != b'0').last().map_or(first, |(index, _)| index);
    // The value is 0.d₀d₁d₂… times ten to the power of `point`; digits from `first` to `last` are all that count.
    let point = i64::try_from(decimal.whole.len()).unwrap_or(i64::MAX).saturating_add(decimal.exponent);
    let before_point = |index: usize| i64::try_from(index).unwrap_or(i64::MAX) < point;
    if !before_point(last) {
        return Err(NoNumber::Fraction);
    }
    let len = point.saturating_sub(i64::try_from(first).unwrap_or(i64::MAX));
    if len > DIGITS {
        return Err(NoNumber::Range);
    }
    let significant = digits().chain(std::iter::repeat(b'0')).skip(first).take(usize::try_from(len).unwrap_or(0));
    let magnitude = significant.fold(0, |value: i128, digit| value * 10 + i128::from(digit - b'0'));
    let value = if decimal.negative { -magnitude } else { magnitude };
    if (min..=max).contains(&value) { Ok(value) } else { Err(NoNumber::Range) }
}

/// The `double` nearest to what `text` says; beyond the largest is an error.
pub(super) fn double(text: &str) -> Result<f64, NoNumber> {
    Decimal::parse(text).ok_or(NoNumber::Syntax)?;
    let value: f64 = text.parse().map_err(|_| NoNumber::Syntax)?;
    if value.is_finite() { Ok(value) } else { Err(NoNumber::Range) }
}

/// The `float` nearest to what `text` says, not by way of a `double`, which would round twice; beyond the largest is an
/// error.
pub(super) fn float(text: &str) -> Result<f32, NoNumber> {
    Decimal::parse(text).ok_or(NoNumber::Syntax)?;
    let value: f32 = text.parse().map_err(|_| NoNumber::Syntax)?;
    if value.is_finite() { Ok(value) } else { Err(NoNumber::Range) }
}

/// A number in JSON's grammar (RFC 8259 section 6), taken apart.
struct Decimal<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    /// Saturates, far beyond all that can be a number.
    exponent: i64,
}

impl<'a> Decimal<'a> {
    fn parse(text: &'a str) -> Option<Decimal<'a>> {
        let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            None => (unsigned, 0),
            Some((mantissa, exponent)) => {
                let (digits, sign) = match exponent.strip_prefix('-') {
                    Some(digits) => (digits, -1),
                    None => (exponent.strip_prefix('+').unwrap_or(exponent), 1),
                };
                if !all_digits(digits) {
                    return None;
                }
                // A sum with the length of a text must not overflow either.
                (mantissa, sign * digits.parse().unwrap_or(i64::MAX / 4).min(i64::MAX / 4))
            }
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            None => (mantissa, ""),
            Some((whole, fraction)) if all_digits(fraction) => (whole, fraction),
            Some(_) => return None,
        };
        let padded = whole.len() > 1 && whole.starts_with('0');
        (all_digits(whole) && !padded).then_some(Decimal { negative, whole, fraction, exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact_however_they_are_written() {
        let (min, max) = (i64::MIN.into(), u64::MAX.into());
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("0.000", 0),
            ("0e999999999999999999999", 0),
            ("1.0", 1),
            ("1e2", 100),
            ("1.5E+1", 15),
            ("1200e-2", 12),
            ("0.0012e4", 12),
            ("-7205759403792793601", -7_205_759_403_792_793_601),
            ("18446744073709551615", i128::from(u64::MAX)),
            ("1.8446744073709551615e19", i128::from(u64::MAX)),
            ("-9223372036854775808", i128::from(i64::MIN)),
        ] {
            assert_eq!(integer(text, min, max), Ok(value), "{text}");
        }
        let long = format!("1{}e-5000", "0".repeat(5_000));
        assert_eq!(integer(&long, min, max), Ok(1));
    }

    #[test]
    fn what_is_no_integer_of_the_type_is_refused() {
        let (min, max) = (i64::MIN.into(), i64::MAX.into());
        for (text, reason) in [
            ("1.5", NoNumber::Fraction),
            ("1e-1", NoNumber::Fraction),
            ("1e-99999999999999999999", NoNumber::Fraction),
            ("9223372036854775808", NoNumber::Range),
            ("9.223372036854775808e18", NoNumber::Range),
            ("1e536870000", NoNumber::Range),
            ("-1e99999999999999999999", NoNumber::Range),
            ("99999999999999999999999999999999999999999999", NoNumber::Range),
            ("", NoNumber::Syntax),
            ("-", NoNumber::Syntax),
            ("+1", NoNumber::Syntax),
            (" 1", NoNumber::Syntax),
            ("01", NoNumber::Syntax),
            ("1.", NoNumber::Syntax),
            (".5", NoNumber::Syntax),
            ("1e", NoNumber::Syntax),
            ("1e+", NoNumber::Syntax),
            ("1e1.5", NoNumber::Syntax),
            ("0x10", NoNumber::Syntax),
            ("1_0", NoNumber::Syntax),
            ("١", NoNumber::Syntax),
        ] {
            assert_eq!(integer(text, min, max), Err(reason), "{text}");
        }
    }

    #[test]
    fn floats_round_once_and_end_at_the_largest() {
        assert_eq!(float("3.4028235e38"), Ok(f32::MAX));
        assert_eq!(float("3.502823e38"), Err(NoNumber::Range));
        assert_eq!(double("1.7976931348623157e308"), Ok(f64::MAX));
        assert_eq!(double("1e400"), Err(NoNumber::Range));
        assert_eq!(double("-1e536870000"), Err(NoNumber::Range));
        assert_eq!(double("1e-400"), Ok(0.0));
        for text in ["inf", "nan", "Infinity", "1e", "+1", ""] {
            assert_eq!(double(text), Err(NoNumber::Syntax), "{text}");
            assert_eq!(float(text), Err(NoNumber::Syntax), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_integer_is_read_back(value: i64, zeros in 0usize..6) {
            let (min, max) = (i64::MIN.into(), i64::MAX.into());
            proptest::prop_assert_eq!(integer(&value.to_string(), min, max), Ok(value.into()));
            let shifted = format!("{value}{}e-{zeros}", "0".repeat(zeros));
            if value != 0 {
                proptest::prop_assert_eq!(integer(&shifted, min, max), Ok(value.into()));
            }
        }

        #[test]
        fn never_panics(text in "[-+0-9.eE]{0,24}") {
            let _ = (integer(&text, i64::MIN.into(), u64::MAX.into()), double(&text), float(&text));
        }
    }
}
