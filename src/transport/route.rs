//! What every connection of a run needs to know: the target, and the request head of its calls.

use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;

use super::Target;
use super::message::Accepted;
use crate::error::ConnectError;
use crate::wire;

/// The way to a method of a target. Made once per worker, used for each connection and reconnect.
#[derive(Clone, Debug)]
pub struct Route {
    pub(super) target: Target,
    pub(super) tls: Option<Arc<ClientConfig>>,
    pub(super) head: Vec<(Vec<u8>, Vec<u8>)>,
    pub(super) deadline: Option<Duration>,
    pub(super) accepted: Accepted,
    /// The number of the connection, where there are several.
    pub(super) number: u64,
}

impl Route {
    /// The way to `path` (`/package.Service/Method`) of `target`, whose security has been found out; every call
    /// carries `metadata` and the deadline.
    ///
    /// Errors when a certificate that is to be trusted cannot be used.
    pub fn new(
        target: &Target,
        path: &str,
        metadata: &[(String, Vec<u8>)],
        deadline: Option<Duration>,
    ) -> Result<Route, ConnectError> {
        let tls = target.tls_config()?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let mut head: Vec<(Vec<u8>, Vec<u8>)> = Vec::with_capacity(8 + metadata.len());
        let mut field = |name: &str, value: &[u8]| head.push((name.as_bytes().to_vec(), value.to_vec()));
        field(":method", b"POST");
        field(":scheme", scheme.as_bytes());
        field(":path", path.as_bytes());
        field(":authority", target.authority().as_bytes());
        field("te", b"trailers");
        if let Some(deadline) = deadline {
            field("grpc-timeout", timeout_value(deadline).as_bytes());
        }
        field("content-type", b"application/grpc");
        field("user-agent", concat!("grpcbench/", env!("CARGO_PKG_VERSION")).as_bytes());
        if target.gzip {
            field("grpc-encoding", b"gzip");
            field("grpc-accept-encoding", b"gzip");
        }
        for (name, value) in metadata {
            field(name, value);
        }
        // A length in four bytes cannot be above a limit that does not fit into them.
        let bytes = target.receive_max.and_then(|most| u32::try_from(most.bytes()).ok()).unwrap_or(u32::MAX);
        let accepted = Accepted { bytes, gzip: target.gzip };
        Ok(Route { target: target.clone(), tls, head, deadline, accepted, number: 0 })
    }

    /// Whether a server at `address` that takes lists of headers of `most` bytes takes that of the calls, as far as it is the
    /// same for all.
    pub(super) fn check_head(&self, most: Option<u32>, address: &str) -> Result<(), ConnectError> {
        let bytes = wire::header_list_size(self.head.iter().map(|(name, value)| (&name[..], &value[..])));
        match most {
            Some(most) if bytes > u64::from(most) => {
                Err(ConnectError::HeadTooLong { address: address.to_owned(), bytes, most })
            }
            _ => Ok(()),
        }
    }

    /// The same way for connection `number` of the run, which decides to which address of a name it goes.
    #[must_use]
    pub fn of_connection(self, number: u64) -> Route {
        Route { number, ..self }
    }
}

/// `grpc-timeout`: at most eight digits and a unit (`PROTOCOL-HTTP2.md`), rounded up in the finest unit that fits.
fn timeout_value(deadline: Duration) -> String {
    const UNITS: [(char, u128); 6] = [
        ('n', 1),
        ('u', 1_000),
        ('m', 1_000_000),
        ('S', 1_000_000_000),
        ('M', 60 * 1_000_000_000),
        ('H', 3_600 * 1_000_000_000),
    ];
    const MOST: u128 = 99_999_999;
    let nanos = deadline.as_nanos();
    UNITS
        .iter()
        .map(|(unit, scale)| (nanos.div_ceil(*scale), unit))
        .find(|(value, _)| *value <= MOST)
        .map_or_else(|| format!("{MOST}H"), |(value, unit)| format!("{value}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_have_at_most_eight_digits() {
        for (deadline, value) in [
            (Duration::from_nanos(1), "1n"),
            (Duration::from_millis(50), "50000000n"),
            (Duration::from_millis(300), "300000u"),
            (Duration::from_secs(20), "20000000u"),
            (Duration::from_nanos(100_000_001), "100001u"),
            (Duration::from_secs(3_600), "3600000m"),
            (Duration::from_secs(200_000), "200000S"),
            (Duration::MAX, "99999999H"),
        ] {
            assert_eq!(timeout_value(deadline), value, "{deadline:?}");
        }
    }
}
