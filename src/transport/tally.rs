//! From what a connection counted to what a recording says of all.

use crate::record::{CodeCounts, FrameCounts, Http2, PeerSettings};
use crate::wire::{self, ByCode};

/// Adds a connection that has ended, or is not looked at any more.
pub(super) fn add(http2: &mut Http2, connection: &wire::Connection) {
    let peer = connection.peer();
    let settings = PeerSettings {
        max_concurrent_streams: peer.max_concurrent_streams,
        initial_window: peer.initial_window_size,
        max_frame_size: peer.max_frame_size,
        header_table_size: peer.header_table_size,
        max_header_list_size: peer.max_header_list_size,
    };
    http2.peers.add(settings, 1);
    let counters = connection.counters();
    add_codes(&mut http2.goaways_received, &counters.goaways_in);
    add_codes(&mut http2.resets_received, &counters.resets_in);
    http2.frames.merge(&FrameCounts {
        received: counters.frames_in,
        header_bytes_sent: counters.header_bytes_out,
        header_bytes_received: counters.header_bytes_in,
        data_bytes_sent: counters.data_bytes_out,
        data_bytes_received: counters.data_bytes_in,
        resets_sent: counters.resets_out,
        settings_received: counters.settings_in,
        pings_sent: counters.pings_out,
        pings_received: counters.pings_in,
        window_updates_sent: counters.window_updates_out,
        window_updates_received: counters.window_updates_in,
    });
}

fn add_codes(counts: &mut CodeCounts, came: &ByCode) {
    let named = came.named().filter_map(|(code, count)| Some((code.name()?, count)));
    let others = Some(("others", came.others())).filter(|(_, count)| *count > 0);
    for (name, count) in named.chain(others) {
        *counts.entry(name.to_owned()).or_default() += count;
    }
}
