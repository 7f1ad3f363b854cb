//! Single calls in JSON: ghz's list, one call at a time (a million of them would be much memory as text), and beside it
//! what ghz has no place for.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::time::SystemTime;

use serde::de::{DeserializeSeed, Error as _, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::broken::Broken;
use crate::export::timestamp;
use crate::report::{self, Detail, ErrorCount, Report, error_text, status_code, status_name};
use crate::units::Offset;

/// ghz's list.
pub(super) struct Details<'a>(pub(super) &'a Report);

impl Serialize for Details<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = self.0;
        let rows = report.details.rows();
        let mut list = serializer.serialize_seq(Some(rows.len()))?;
        for row in rows {
            list.serialize_element(&Call::new(report, row))?;
        }
        list.end()
    }
}

/// A single call: its end, and its response time (which is the service time in a closed loop).
#[derive(Serialize, Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    timestamp: Cow<'a, str>,
    latency: u64,
    #[serde(borrow)]
    error: Cow<'a, str>,
    #[serde(borrow)]
    status: Cow<'a, str>,
}

impl Call<'_> {
    fn new(report: &Report, row: &Detail) -> Call<'static> {
        let Detail { done, response_ns, service_ns: _, status, failure: _ } = *row;
        let done = report.started_at + done.as_duration();
        Call {
            timestamp: timestamp::nanos(done, report.setup.about.utc_offset_s).into(),
            latency: response_ns,
            error: report.call_error(row).into(),
            status: status_name(status),
        }
    }
}

/// How many calls are listed, and their service times where those are other than the response times.
#[derive(Serialize, Deserialize)]
pub(super) struct SingleCalls {
    #[serde(skip_deserializing)]
    listed: usize,
    cap: usize,
    left_out: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    service_ns: Option<Vec<u64>>,
}

impl SingleCalls {
    pub(super) fn new(details: &report::Details) -> SingleCalls {
        let rows = details.rows();
        let differ = rows.iter().any(|row| row.service_ns != row.response_ns);
        SingleCalls {
            listed: rows.len(),
            cap: details.cap(),
            left_out: details.left_out(),
            service_ns: differ.then(|| rows.iter().map(|row| row.service_ns).collect()),
        }
    }

    /// The calls of ghz's `list`, in a run that started at `started_at` and whose failures said `errors`.
    pub(super) fn read(
        self,
        list: Option<&RawValue>,
        started_at: SystemTime,
        errors: &[ErrorCount],
    ) -> Result<report::Details, Broken> {
        let list = list.map_or("[]", RawValue::get);
        let mut json = serde_json::Deserializer::from_str(list);
        let mut rows = Listed::new(started_at, errors)
            .deserialize(&mut json)
            .map_err(|error| Broken::new("details", format!("in this list {error}")))?;
        if let Some(service_ns) = self.service_ns {
            if service_ns.len() != rows.len() {
                let what = format!("it has {} entries, and there are {} calls", service_ns.len(), rows.len());
                return Err(Broken::new("details.service_ns", what).within("grpcbench"));
            }
            for (row, service_ns) in rows.iter_mut().zip(service_ns) {
                row.service_ns = service_ns;
            }
        }
        Ok(report::Details::listed(rows, self.cap, self.left_out))
    }
}

/// Reads calls into the few bytes that a recording keeps of each.
struct Listed<'a> {
    started_at: SystemTime,
    /// Rows of the failures by the text of a call.
    failures: HashMap<Cow<'a, str>, u16>,
}

impl Listed<'_> {
    fn new(started_at: SystemTime, errors: &[ErrorCount]) -> Listed<'static> {
        let text = |row: &ErrorCount| row.code.map(|code| Cow::from(error_text(code, &row.said)));
        let rows = (0u16..).zip(errors).filter_map(|(at, row)| Some((text(row)?, at)));
        Listed { started_at, failures: rows.collect() }
    }

    fn detail(&self, call: &Call<'_>) -> Result<Detail, String> {
        let Call { timestamp, latency, error, status } = call;
        let done = timestamp::read(timestamp).ok_or_else(|| format!("`{timestamp}` is no time in RFC 3339"))?;
        let status = status_code(status).ok_or_else(|| format!("`{status}` is no status"))?;
        Ok(Detail {
            done: Offset::from_duration(done.duration_since(self.started_at).unwrap_or_default()),
            response_ns: *latency,
            service_ns: *latency,
            status,
            failure: self.failures.get(&**error).copied().filter(|_| status != 0),
        })
    }
}

impl<'de> DeserializeSeed<'de> for Listed<'_> {
    type Value = Vec<Detail>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Detail>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Listed<'_> {
    type Value = Vec<Detail>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of calls")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Detail>, A::Error> {
        let mut rows = Vec::new();
        while let Some(call) = list.next_element::<Call<'de>>()? {
            rows.push(self.detail(&call).map_err(A::Error::custom)?);
        }
        Ok(rows)
    }
}
