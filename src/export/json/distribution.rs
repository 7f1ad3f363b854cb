//! A distribution of times in JSON: figures to read at once, and the packed histogram to make any other from.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize, Serializer};

use super::broken::{Broken, at};
use crate::report::{Distribution, Exact, Latencies, Percentile};

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
        Spread::with(times, Percentile::all(times))
    }

    pub(super) fn with(times: &Distribution, percentiles: Vec<Percentile>) -> Spread {
        Spread {
            count: times.count(),
            min_ns: times.min(),
            mean_ns: times.mean(),
            max_ns: times.max(),
            percentiles_ns: Percentiles(percentiles),
        }
    }
}

/// Percentiles by their label.
#[derive(Default)]
struct Percentiles(Vec<Percentile>);

impl Serialize for Percentiles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|percentile| (percentile.label(), percentile.ns)))
    }
}

/// A distribution with all that it takes to make it again.
#[derive(Serialize, Deserialize)]
pub(super) struct Full<'a> {
    count: u64,
    min_ns: u64,
    #[serde(skip_deserializing)]
    mean_ns: u64,
    max_ns: u64,
    #[serde(skip_deserializing)]
    percentiles_ns: Percentiles,
    sum_ns: u128,
    clamped: u64,
    /// The histogram as `HdrHistogram` V2, deflated, in base64; three significant digits, nanoseconds.
    #[serde(borrow)]
    hdr: Cow<'a, str>,
}

impl Full<'_> {
    pub(super) fn new(times: &Distribution) -> Full<'static> {
        let Spread { count, min_ns, mean_ns, max_ns, percentiles_ns } = Spread::new(times);
        Full {
            count,
            min_ns,
            mean_ns,
            max_ns,
            percentiles_ns,
            sum_ns: times.sum(),
            clamped: times.clamped(),
            hdr: BASE64_STANDARD.encode(times.to_hdr_v2()).into(),
        }
    }

    pub(super) fn read(&self, place: &str) -> Result<Distribution, Broken> {
        let hdr = BASE64_STANDARD.decode(self.hdr.as_bytes()).map_err(at(&format!("{place}.hdr")))?;
        let exact = Exact { sum: self.sum_ns, min: self.min_ns, max: self.max_ns, clamped: self.clamped };
        let times = Distribution::from_hdr_v2(&hdr, exact).map_err(at(place))?;
        if times.count() != self.count {
            let counted = times.count();
            return Err(Broken::new(place, format!("the histogram has {counted} values and not {}", self.count)));
        }
        Ok(times)
    }
}

/// Service times and, under a rate, response times of the same calls.
#[derive(Serialize, Deserialize)]
pub(super) struct Pair<'a> {
    #[serde(borrow)]
    service: Full<'a>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    response: Option<Full<'a>>,
}

impl Pair<'_> {
    pub(super) fn new(times: &Latencies) -> Pair<'static> {
        let Latencies { service, response } = times;
        Pair { service: Full::new(service), response: response.as_ref().map(Full::new) }
    }

    pub(super) fn read(&self, place: &str) -> Result<Latencies, Broken> {
        Ok(Latencies {
            service: self.service.read(&format!("{place}.service"))?,
            response: self.response.as_ref().map(|times| times.read(&format!("{place}.response"))).transpose()?,
        })
    }
}
