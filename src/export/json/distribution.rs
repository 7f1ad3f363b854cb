//! A distribution of times in JSON: figures to read at once, and the packed histogram to make any other from.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Serialize, Serializer};

use crate::report::{Distribution, Percentile};

/// What is read from a distribution at once.
#[derive(Serialize)]
pub(super) struct Spread {
    count: u64,
    min_ns: u64,
    mean_ns: u64,
    max_ns: u64,
    percentiles_ns: Percentiles,
}

impl Spread {
    pub(super) fn new(times: &Distribution) -> Spread {
        Spread {
            count: times.count(),
            min_ns: times.min(),
            mean_ns: times.mean(),
            max_ns: times.max(),
            percentiles_ns: Percentiles(Percentile::all(times)),
        }
    }
}

/// Percentiles by their label.
struct Percentiles(Vec<Percentile>);

impl Serialize for Percentiles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|percentile| (percentile.label(), percentile.ns)))
    }
}

/// A distribution with all that it takes to make it again.
pub(super) struct Full<'a>(pub(super) &'a Distribution);

impl Serialize for Full<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields {
            #[serde(flatten)]
            spread: Spread,
            sum_ns: u128,
            clamped: u64,
            /// The histogram as `HdrHistogram` V2, deflated, in base64; three significant digits, nanoseconds.
            hdr: String,
        }
        let times = self.0;
        Fields {
            spread: Spread::new(times),
            sum_ns: times.sum(),
            clamped: times.clamped(),
            hdr: BASE64_STANDARD.encode(times.to_hdr_v2()),
        }
        .serialize(serializer)
    }
}
