//! Rates as whole numbers of one unit, so that sums of them are exact.

use crate::units::Rate;

/// A common denominator for rates: `n` of its units are `n` calls in `per_ns` nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scale {
    pub(super) per_ns: u64,
}

impl Scale {
    /// The smallest that holds all `rates` exactly; `None` if their fractions have nothing in common.
    pub(super) fn of(rates: impl IntoIterator<Item = Rate>) -> Option<Scale> {
        let mut per_ns = 1u64;
        for (_, other) in rates.into_iter().map(Rate::parts) {
            per_ns = (per_ns / divisor(per_ns, other)).checked_mul(other)?;
        }
        (per_ns <= MOST).then_some(Scale { per_ns })
    }

    /// One so fine that a `part`-th of each unit is whole as well.
    pub(super) fn finer(self, part: u64) -> Option<Scale> {
        let per_ns = self.per_ns.checked_mul(part)?;
        (per_ns <= MOST).then_some(Scale { per_ns })
    }

    /// A rate in these units. The scale must have been made for it.
    pub(super) fn units(self, rate: Rate) -> u64 {
        let (calls, per_ns) = rate.parts();
        // A rate is at most one call a nanosecond, so there are at most `per_ns` of them.
        calls * (self.per_ns / per_ns)
    }

    /// The rate of so many units; `None` for none.
    pub(super) fn rate(self, units: u64) -> Option<Rate> {
        Rate::new(units, self.per_ns).ok()
    }

    /// The highest rate there is, in these units.
    pub(super) fn highest(self) -> u64 {
        self.per_ns
    }

    /// A number of calls with `2^32` parts to the call, in halves of these units, rounded up.
    pub(super) fn halves(self, calls: u128) -> u128 {
        let of_one = 2 * u128::from(self.per_ns);
        let (whole, part) = (calls >> 32, calls & 0xffff_ffff);
        whole * of_one + (part * of_one).div_ceil(1 << 32)
    }

    /// How many whole calls lie at or below so many halves, call 0 included.
    pub(super) fn calls_up_to(self, halves: u128) -> u64 {
        u64::try_from(halves / (2 * u128::from(self.per_ns)) + 1).unwrap_or(u64::MAX)
    }
}

/// Leaves room for two more factors of as many bits in 128.
const MOST: u64 = 1 << 60;

pub(super) fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
