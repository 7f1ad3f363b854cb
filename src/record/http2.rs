//! What the HTTP/2 connections of a run saw: all of it, the warm-up included, from their handshakes on.

use std::collections::BTreeMap;

use super::Distribution;

/// How many different settings of peers are kept apart.
const PEERS_MAX: usize = 16;

/// What was seen of HTTP/2 on all connections together.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Http2 {
    /// What the peers had announced when their connections ended.
    pub peers: Peers,
    /// How long calls waited for a stream because of the peer's limit, for each call that had to.
    pub stream_waits: Distribution,
    /// The most calls on one connection that had a stream or waited for one, at a moment when one had to wait.
    pub streams_wanted_max: u64,
    /// How long calls could not send on because the window of their stream was shut, for each call that had to wait.
    pub stream_window_waits: Distribution,
    /// The same for the window of the connection. Where both were shut, the time is in both.
    pub connection_window_waits: Distribution,
    /// GOAWAY frames received, by the name of their error code.
    pub goaways_received: CodeCounts,
    /// `RST_STREAM` frames received for calls, by the name of their error code.
    pub resets_received: CodeCounts,
    /// What else passed.
    pub frames: FrameCounts,
}

/// How often each error code came, by its name.
pub type CodeCounts = BTreeMap<String, u64>;

/// Frames, and bytes in them. Sent ones are those that were put into the output.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FrameCounts {
    /// Frames received, of all kinds.
    pub received: u64,
    /// Bytes of header blocks sent, compressed.
    pub header_bytes_sent: u64,
    /// Bytes of header blocks received, compressed.
    pub header_bytes_received: u64,
    /// Bytes in DATA frames sent.
    pub data_bytes_sent: u64,
    /// Bytes in DATA frames received.
    pub data_bytes_received: u64,
    /// `RST_STREAM` frames sent: calls given up, or answers that broke the protocol.
    pub resets_sent: u64,
    /// SETTINGS frames received.
    pub settings_received: u64,
    /// PING frames sent to ask whether the server is there.
    pub pings_sent: u64,
    /// PING frames received, and answered.
    pub pings_received: u64,
    /// `WINDOW_UPDATE` frames sent.
    pub window_updates_sent: u64,
    /// `WINDOW_UPDATE` frames received.
    pub window_updates_received: u64,
}

impl FrameCounts {
    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: &FrameCounts) {
        self.received += other.received;
        self.header_bytes_sent += other.header_bytes_sent;
        self.header_bytes_received += other.header_bytes_received;
        self.data_bytes_sent += other.data_bytes_sent;
        self.data_bytes_received += other.data_bytes_received;
        self.resets_sent += other.resets_sent;
        self.settings_received += other.settings_received;
        self.pings_sent += other.pings_sent;
        self.pings_received += other.pings_received;
        self.window_updates_sent += other.window_updates_sent;
        self.window_updates_received += other.window_updates_received;
    }
}

/// What a peer announces about itself (RFC 9113 section 6.5.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PeerSettings {
    /// How many streams may be open at a time; `None` for any number.
    pub max_concurrent_streams: Option<u32>,
    /// The window of a new stream, in bytes.
    pub initial_window: u32,
    /// The largest payload of a frame, in bytes.
    pub max_frame_size: u32,
    /// The largest header table, in bytes.
    pub header_table_size: u32,
    /// The largest list of request headers; `None` for no limit.
    pub max_header_list_size: Option<u32>,
}

/// Settings of peers, with the number of connections that had each. The first sixteen different ones have a row each.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Peers {
    rows: Vec<(PeerSettings, u64)>,
    others: u64,
}

impl Peers {
    /// Counts so many connections to a peer with these settings.
    pub fn add(&mut self, settings: PeerSettings, connections: u64) {
        match self.rows.iter().position(|(known, _)| *known == settings) {
            Some(at) => self.rows[at].1 += connections,
            None if self.rows.len() == PEERS_MAX => self.others += connections,
            None => self.rows.push((settings, connections)),
        }
    }

    /// Counts so many connections whose settings are not kept.
    pub fn add_others(&mut self, connections: u64) {
        self.others += connections;
    }

    fn merge(&mut self, other: &Peers) {
        self.others += other.others;
        for (settings, connections) in &other.rows {
            self.add(*settings, *connections);
        }
    }

    /// The rows, in the order in which they were first seen.
    pub fn rows(&self) -> &[(PeerSettings, u64)] {
        &self.rows
    }

    /// Connections whose settings found no room.
    pub fn others(&self) -> u64 {
        self.others
    }

    /// The smallest limit of streams that any peer had.
    pub fn stream_limit(&self) -> Option<u32> {
        self.rows.iter().filter_map(|(settings, _)| settings.max_concurrent_streams).min()
    }
}

impl Http2 {
    /// Adds all that `other` holds.
    pub fn merge(&mut self, other: &Http2) {
        self.peers.merge(&other.peers);
        self.stream_waits.merge(&other.stream_waits);
        self.streams_wanted_max = self.streams_wanted_max.max(other.streams_wanted_max);
        self.stream_window_waits.merge(&other.stream_window_waits);
        self.connection_window_waits.merge(&other.connection_window_waits);
        for (mine, theirs) in
            [(&mut self.goaways_received, &other.goaways_received), (&mut self.resets_received, &other.resets_received)]
        {
            for (code, count) in theirs {
                *mine.entry(code.clone()).or_default() += count;
            }
        }
        self.frames.merge(&other.frames);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(streams: Option<u32>) -> PeerSettings {
        PeerSettings {
            max_concurrent_streams: streams,
            initial_window: 65_535,
            max_frame_size: 16_384,
            header_table_size: 4_096,
            max_header_list_size: None,
        }
    }

    #[test]
    fn settings_are_counted_and_bounded() {
        let (mut one, mut other) = (Peers::default(), Peers::default());
        assert_eq!(one.stream_limit(), None);
        one.add(settings(None), 2);
        assert_eq!(one.stream_limit(), None);
        for streams in 100..200 {
            other.add(settings(Some(streams)), 1);
        }
        other.add(settings(None), 3);
        one.merge(&other);
        assert_eq!((one.rows().len(), one.stream_limit()), (PEERS_MAX, Some(100)));
        assert_eq!(one.rows()[0], (settings(None), 2));
        assert_eq!(one.rows().iter().map(|(_, count)| count).sum::<u64>() + one.others(), 105);
    }

    #[test]
    fn codes_add_up_by_name() {
        let code = |name: &str, count| CodeCounts::from([(name.to_owned(), count)]);
        let mut one = Http2 { resets_received: code("CANCEL", 2), ..Http2::default() };
        one.merge(&Http2 { resets_received: code("CANCEL", 3), goaways_received: code("NO_ERROR", 1), ..one.clone() });
        assert_eq!((one.resets_received, one.goaways_received), (code("CANCEL", 5), code("NO_ERROR", 1)));
    }
}
