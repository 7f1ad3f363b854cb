//! What the connections did, in JSON.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::broken::{Broken, bounded};
use super::quantity::Count;
use crate::report::{self, Connected, ConnectionCalls, Http2};

/// No run has more connections, nor have a thousand runs that are merged.
const CONNECTED_MAX: usize = 1 << 20;

#[derive(Serialize, Deserialize)]
pub(super) struct Connections<'a> {
    lost: Count,
    reconnected: Count,
    #[serde(borrow)]
    connected: Vec<Connect<'a>>,
}

#[derive(Serialize, Deserialize)]
struct Connect<'a> {
    #[serde(borrow)]
    address: Cow<'a, str>,
    dns_ns: u64,
    tcp_ns: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tls_ns: Option<u64>,
    http2_ns: u64,
    #[serde(skip_deserializing)]
    total_ns: u64,
    worker: u32,
    calls: Count,
    failed: Count,
    p50_ns: u64,
    p99_ns: u64,
}

impl<'a> Connect<'a> {
    fn new(connected: &'a Connected) -> Connect<'a> {
        let Connected { address, dns_ns, tcp_ns, tls_ns, http2_ns, worker, calls } = connected;
        let ConnectionCalls { done, failed, p50_ns, p99_ns } = *calls;
        Connect {
            address: address.into(),
            dns_ns: *dns_ns,
            tcp_ns: *tcp_ns,
            tls_ns: *tls_ns,
            http2_ns: *http2_ns,
            total_ns: connected.total_ns(),
            worker: *worker,
            calls: Count(done),
            failed: Count(failed),
            p50_ns,
            p99_ns,
        }
    }

    fn read(&self) -> Connected {
        Connected {
            address: self.address.clone().into_owned(),
            dns_ns: self.dns_ns,
            tcp_ns: self.tcp_ns,
            tls_ns: self.tls_ns,
            http2_ns: self.http2_ns,
            worker: self.worker,
            calls: ConnectionCalls {
                done: self.calls.0,
                failed: self.failed.0,
                p50_ns: self.p50_ns,
                p99_ns: self.p99_ns,
            },
        }
    }
}

/// What the document says of connections elsewhere: among the calls, and beside their messages.
pub(super) struct Elsewhere {
    pub(super) retried: u64,
    pub(super) wire_bytes_sent: u64,
    pub(super) wire_bytes_received: u64,
    pub(super) http2: Http2,
}

impl<'a> Connections<'a> {
    pub(super) fn new(connections: &'a report::Connections) -> Connections<'a> {
        let report::Connections {
            connected,
            lost,
            reconnected,
            retried: _,
            wire_bytes_sent: _,
            wire_bytes_received: _,
            http2: _,
        } = connections;
        Connections {
            lost: Count(*lost),
            reconnected: Count(*reconnected),
            connected: connected.iter().map(Connect::new).collect(),
        }
    }

    pub(super) fn read(&self, elsewhere: Elsewhere) -> Result<report::Connections, Broken> {
        let connected = bounded("connections.connected", &self.connected, CONNECTED_MAX)?;
        Ok(report::Connections {
            connected: connected.iter().map(Connect::read).collect(),
            lost: self.lost.0,
            reconnected: self.reconnected.0,
            retried: elsewhere.retried,
            wire_bytes_sent: elsewhere.wire_bytes_sent,
            wire_bytes_received: elsewhere.wire_bytes_received,
            http2: elsewhere.http2,
        })
    }
}
