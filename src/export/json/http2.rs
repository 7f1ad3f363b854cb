//! What was seen of HTTP/2, in JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::broken::{Broken, at, bounded};
use super::distribution::Full;
use super::quantity::{Bytes, Count};
use crate::report::{self, CodeCounts, FrameCounts, PeerSettings, Peers, Report};

/// Rows of the bounded table of a recording.
const PEERS_MAX: usize = 16;
/// Error codes are counted by name, and those that have none by number.
const CODES_MAX: usize = 1_024;

#[derive(Serialize, Deserialize)]
pub(super) struct Http2<'a> {
    /// What we let the server send ahead.
    #[serde(borrow)]
    windows: Windows<'a>,
    /// What the servers announced.
    peers: Vec<Peer>,
    /// Connections to servers that found no room among these.
    peers_others: Count,
    /// For each call that had to wait.
    #[serde(borrow)]
    stream_waits: Full<'a>,
    streams_wanted_max: u64,
    #[serde(borrow)]
    stream_window_waits: Full<'a>,
    #[serde(borrow)]
    connection_window_waits: Full<'a>,
    #[serde(borrow)]
    goaways_received: BTreeMap<Cow<'a, str>, Count>,
    #[serde(borrow)]
    resets_received: BTreeMap<Cow<'a, str>, Count>,
    frames: Frames,
}

#[derive(Serialize, Deserialize)]
struct Windows<'a> {
    /// What `--http2-windows` was, or would have been.
    #[serde(borrow)]
    asked: Cow<'a, str>,
    #[serde(skip_deserializing)]
    stream_bytes: u32,
    #[serde(skip_deserializing)]
    connection_bytes: u32,
}

/// Settings by their names in RFC 9113; what the server set no limit to is left out.
#[derive(Serialize, Deserialize)]
struct Peer {
    connections: Count,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_concurrent_streams: Option<u32>,
    initial_window_size: u32,
    max_frame_size: u32,
    header_table_size: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_header_list_size: Option<u32>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Frames {
    received: Count,
    header_bytes_sent: Bytes,
    header_bytes_received: Bytes,
    data_bytes_sent: Bytes,
    data_bytes_received: Bytes,
    resets_sent: Count,
    settings_received: Count,
    pings_sent: Count,
    pings_received: Count,
    window_updates_sent: Count,
    window_updates_received: Count,
}

impl<'a> Http2<'a> {
    pub(super) fn new(report: &'a Report) -> Http2<'a> {
        let report::Http2 {
            peers,
            stream_waits,
            streams_wanted_max,
            stream_window_waits,
            connection_window_waits,
            goaways_received,
            resets_received,
            frames,
        } = &report.connections.http2;
        let (stream_bytes, connection_bytes) = report.setup.windows.bytes();
        Http2 {
            windows: Windows { asked: report.setup.windows.to_string().into(), stream_bytes, connection_bytes },
            peers: peers.rows().iter().map(Peer::new).collect(),
            peers_others: Count(peers.others()),
            stream_waits: Full::new(stream_waits),
            streams_wanted_max: *streams_wanted_max,
            stream_window_waits: Full::new(stream_window_waits),
            connection_window_waits: Full::new(connection_window_waits),
            goaways_received: codes(goaways_received),
            resets_received: codes(resets_received),
            frames: Frames::new(frames),
        }
    }

    pub(super) fn windows(&self) -> Result<report::Windows, Broken> {
        self.windows.asked.parse().map_err(at("windows.asked"))
    }

    pub(super) fn read(&self) -> Result<report::Http2, Broken> {
        let mut peers = Peers::default();
        for peer in bounded("peers", &self.peers, PEERS_MAX)? {
            peers.add(peer.read(), peer.connections.0);
        }
        peers.add_others(self.peers_others.0);
        Ok(report::Http2 {
            peers,
            stream_waits: self.stream_waits.read("stream_waits")?,
            streams_wanted_max: self.streams_wanted_max,
            stream_window_waits: self.stream_window_waits.read("stream_window_waits")?,
            connection_window_waits: self.connection_window_waits.read("connection_window_waits")?,
            goaways_received: read_codes("goaways_received", &self.goaways_received)?,
            resets_received: read_codes("resets_received", &self.resets_received)?,
            frames: self.frames.read(),
        })
    }
}

fn codes(codes: &CodeCounts) -> BTreeMap<Cow<'_, str>, Count> {
    codes.iter().map(|(code, count)| (Cow::from(code), Count(*count))).collect()
}

fn read_codes(place: &str, codes: &BTreeMap<Cow<'_, str>, Count>) -> Result<CodeCounts, Broken> {
    if codes.len() > CODES_MAX {
        return Err(Broken::new(place, format!("it has {} codes, and there are at most {CODES_MAX}", codes.len())));
    }
    Ok(codes.iter().map(|(code, count)| (code.to_string(), count.0)).collect())
}

impl Peer {
    fn new((settings, connections): &(PeerSettings, u64)) -> Peer {
        let PeerSettings {
            max_concurrent_streams,
            initial_window,
            max_frame_size,
            header_table_size,
            max_header_list_size,
        } = *settings;
        Peer {
            connections: Count(*connections),
            max_concurrent_streams,
            initial_window_size: initial_window,
            max_frame_size,
            header_table_size,
            max_header_list_size,
        }
    }

    fn read(&self) -> PeerSettings {
        PeerSettings {
            max_concurrent_streams: self.max_concurrent_streams,
            initial_window: self.initial_window_size,
            max_frame_size: self.max_frame_size,
            header_table_size: self.header_table_size,
            max_header_list_size: self.max_header_list_size,
        }
    }
}

impl Frames {
    fn new(counts: &FrameCounts) -> Frames {
        let FrameCounts {
            received,
            header_bytes_sent,
            header_bytes_received,
            data_bytes_sent,
            data_bytes_received,
            resets_sent,
            settings_received,
            pings_sent,
            pings_received,
            window_updates_sent,
            window_updates_received,
        } = *counts;
        Frames {
            received: Count(received),
            header_bytes_sent: Bytes(header_bytes_sent),
            header_bytes_received: Bytes(header_bytes_received),
            data_bytes_sent: Bytes(data_bytes_sent),
            data_bytes_received: Bytes(data_bytes_received),
            resets_sent: Count(resets_sent),
            settings_received: Count(settings_received),
            pings_sent: Count(pings_sent),
            pings_received: Count(pings_received),
            window_updates_sent: Count(window_updates_sent),
            window_updates_received: Count(window_updates_received),
        }
    }

    fn read(self) -> FrameCounts {
        FrameCounts {
            received: self.received.0,
            header_bytes_sent: self.header_bytes_sent.0,
            header_bytes_received: self.header_bytes_received.0,
            data_bytes_sent: self.data_bytes_sent.0,
            data_bytes_received: self.data_bytes_received.0,
            resets_sent: self.resets_sent.0,
            settings_received: self.settings_received.0,
            pings_sent: self.pings_sent.0,
            pings_received: self.pings_received.0,
            window_updates_sent: self.window_updates_sent.0,
            window_updates_received: self.window_updates_received.0,
        }
    }
}
