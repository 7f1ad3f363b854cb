//! What was seen of HTTP/2, in JSON.

use serde::Serialize;

use super::distribution::Full;
use crate::report::{CodeCounts, FrameCounts, PeerSettings, Report};

#[derive(Serialize)]
pub(super) struct Http2<'a> {
    /// What we let the server send ahead.
    windows: Windows,
    /// What the servers announced.
    peers: Vec<Peer>,
    /// Connections to servers that found no room among these.
    peers_others: u64,
    /// For each call that had to wait.
    stream_waits: Full<'a>,
    streams_wanted_max: u64,
    stream_window_waits: Full<'a>,
    connection_window_waits: Full<'a>,
    goaways_received: &'a CodeCounts,
    resets_received: &'a CodeCounts,
    frames: Frames,
}

#[derive(Serialize)]
struct Windows {
    /// What `--http2-windows` was, or would have been.
    asked: String,
    stream_bytes: u32,
    connection_bytes: u32,
}

/// Settings by their names in RFC 9113; what the server set no limit to is left out.
#[derive(Serialize)]
struct Peer {
    connections: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_concurrent_streams: Option<u32>,
    initial_window_size: u32,
    max_frame_size: u32,
    header_table_size: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_header_list_size: Option<u32>,
}

#[derive(Serialize)]
struct Frames {
    received: u64,
    header_bytes_sent: u64,
    header_bytes_received: u64,
    data_bytes_sent: u64,
    data_bytes_received: u64,
    resets_sent: u64,
    settings_received: u64,
    pings_sent: u64,
    pings_received: u64,
    window_updates_sent: u64,
    window_updates_received: u64,
}

impl<'a> Http2<'a> {
    pub(super) fn new(report: &'a Report) -> Http2<'a> {
        let http2 = &report.connections.http2;
        let (stream_bytes, connection_bytes) = report.setup.windows.bytes();
        Http2 {
            windows: Windows { asked: report.setup.windows.to_string(), stream_bytes, connection_bytes },
            peers: http2.peers.rows().iter().map(Peer::new).collect(),
            peers_others: http2.peers.others(),
            stream_waits: Full(&http2.stream_waits),
            streams_wanted_max: http2.streams_wanted_max,
            stream_window_waits: Full(&http2.stream_window_waits),
            connection_window_waits: Full(&http2.connection_window_waits),
            goaways_received: &http2.goaways_received,
            resets_received: &http2.resets_received,
            frames: Frames::new(&http2.frames),
        }
    }
}

impl Peer {
    fn new((settings, connections): &(PeerSettings, u64)) -> Peer {
        Peer {
            connections: *connections,
            max_concurrent_streams: settings.max_concurrent_streams,
            initial_window_size: settings.initial_window,
            max_frame_size: settings.max_frame_size,
            header_table_size: settings.header_table_size,
            max_header_list_size: settings.max_header_list_size,
        }
    }
}

impl Frames {
    fn new(counts: &FrameCounts) -> Frames {
        Frames {
            received: counts.received,
            header_bytes_sent: counts.header_bytes_sent,
            header_bytes_received: counts.header_bytes_received,
            data_bytes_sent: counts.data_bytes_sent,
            data_bytes_received: counts.data_bytes_received,
            resets_sent: counts.resets_sent,
            settings_received: counts.settings_received,
            pings_sent: counts.pings_sent,
            pings_received: counts.pings_received,
            window_updates_sent: counts.window_updates_sent,
            window_updates_received: counts.window_updates_received,
        }
    }
}
