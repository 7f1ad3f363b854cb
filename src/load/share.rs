//! A worker's part of the whole: which of the numbered things (connections, slots, arrivals) are its own.

/// The numbers `n` with `first <= n % period < first + width`.
///
/// The period is the number of connections of the run and a worker's share is its connections, so slots and arrivals
/// dealt out by share give every connection the same load, also when workers have unlike numbers of connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    first: u64,
    width: u64,
    period: u64,
}

impl Share {
    /// Everything.
    pub const WHOLE: Share = Share { first: 0, width: 1, period: 1 };

    /// The shares of `workers` workers in `connections` connections, none empty and as even as can be: no more shares
    /// than connections.
    pub fn split(connections: u32, workers: u32) -> Vec<Share> {
        let connections = u64::from(connections.max(1));
        let workers = u64::from(workers).clamp(1, connections);
        let start = |worker: u64| worker * connections / workers;
        (0..workers).map(|w| Share { first: start(w), width: start(w + 1) - start(w), period: connections }).collect()
    }

    /// How many connections belong to this share.
    pub fn width(self) -> u64 {
        self.width
    }

    /// Whether `number` belongs to this share.
    pub fn has(self, number: u64) -> bool {
        (number % self.period).checked_sub(self.first).is_some_and(|place| place < self.width)
    }

    /// The `k`-th number of this share, from 0.
    pub fn nth(self, k: u64) -> u64 {
        (k / self.width) * self.period + self.first + k % self.width
    }

    /// How many numbers of this share are below `end`.
    pub fn below(self, end: u64) -> u64 {
        (end / self.period) * self.width + (end % self.period).saturating_sub(self.first).min(self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_partition_the_whole() {
        for connections in 1..=64 {
            for workers in 1..=connections + 1 {
                let shares = Share::split(connections, workers);
                assert_eq!(shares.len() as u32, workers.min(connections));
                let end = 3 * u64::from(connections) + 5;
                let mut all: Vec<u64> =
                    shares.iter().flat_map(|share| (0..share.below(end)).map(|k| share.nth(k))).collect();
                all.sort_unstable();
                assert!((0..end).all(|n| shares.iter().filter(|share| share.has(n)).count() == 1));
                assert_eq!(all, (0..end).collect::<Vec<_>>(), "{connections} connections, {workers} workers");
            }
        }
    }

    #[test]
    fn numbers_rise_and_below_counts_them() {
        for share in Share::split(7, 3) {
            for k in 0..50 {
                assert!(share.nth(k) < share.nth(k + 1));
                assert_eq!(share.below(share.nth(k)), k);
                assert_eq!(share.below(share.nth(k) + 1), k + 1);
                assert!(share.has(share.nth(k)));
            }
        }
    }
}
