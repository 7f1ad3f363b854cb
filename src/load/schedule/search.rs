//! Looking for the place where a rising function passes a value: exact comparisons, and a guess to begin with.
//!
//! The functions here are sums of squares, whose inverses are roots: floating point gives a guess that is off by a few at
//! most, and whole numbers say which one is right.

/// The first number from `low` to `high` for which `holds` is true, where it is false for all before and true for all
/// after; `high` if it is true for none before that.
pub(super) fn first(low: u64, high: u64, guess: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let guess = guess.clamp(low, high);
    let (mut below, mut above) = (low, high);
    let mut reach = 1u64;
    if guess < high && !holds(guess) {
        // The answer lies above the guess: look ever further up.
        below = guess + 1;
        while below < high {
            let at = below.saturating_add(reach).min(high);
            if at == high || holds(at) {
                above = at;
                break;
            }
            below = at + 1;
            reach = reach.saturating_mul(2);
        }
    } else {
        above = guess;
        while above > low {
            let at = above.saturating_sub(reach).max(low);
            if !holds(at) {
                below = at + 1;
                break;
            }
            above = at;
            reach = reach.saturating_mul(2);
        }
    }
    while below < above {
        let middle = below + (above - below) / 2;
        if holds(middle) { above = middle } else { below = middle + 1 }
    }
    above
}

/// A guess from a float: 0 for what is no number, the largest number for what is too large.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a guess, and casts of floats saturate")]
pub(super) fn guess(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn finds_the_first(low in 0u64..50, length in 0u64..2_000, answer in 0u64..2_100, guess: u16) {
            let high = low + length;
            let found = first(low, high, guess.into(), |n| n >= answer);
            proptest::prop_assert_eq!(found, answer.clamp(low, high));
        }
    }

    #[test]
    fn the_ends_of_the_numbers_are_no_trap() {
        assert_eq!(first(0, u64::MAX, 0, |_| false), u64::MAX);
        assert_eq!(first(0, u64::MAX, u64::MAX, |_| true), 0);
        assert_eq!(guess(f64::NAN), 0);
        assert_eq!(guess(f64::INFINITY), u64::MAX);
        assert_eq!(guess(-1.0), 0);
    }
}
