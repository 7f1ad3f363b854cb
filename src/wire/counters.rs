//! What passed over a connection.

use super::error_code::ErrorCode;

/// Counts since the connection began. Frames and bytes are those of HTTP/2, without TLS.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Frames received, of all kinds.
    pub frames_in: u64,
    /// Payload bytes of DATA frames received, padding included.
    pub data_bytes_in: u64,
    /// Payload bytes of DATA frames sent.
    pub data_bytes_out: u64,
    /// Bytes of header blocks received, compressed.
    pub header_bytes_in: u64,
    /// Bytes of header blocks sent, compressed.
    pub header_bytes_out: u64,
    /// SETTINGS frames received, acknowledgements not counted.
    pub settings_in: u64,
    /// PING frames received that we had to answer.
    pub pings_in: u64,
    /// PING frames sent that are no answers.
    pub pings_out: u64,
    /// `RST_STREAM` frames received for open streams.
    pub resets_in: ByCode,
    /// `RST_STREAM` frames sent.
    pub resets_out: u64,
    /// GOAWAY frames received.
    pub goaways_in: ByCode,
    /// `WINDOW_UPDATE` frames received.
    pub window_updates_in: u64,
    /// `WINDOW_UPDATE` frames sent.
    pub window_updates_out: u64,
    /// Interim (1xx) responses received.
    pub interim_in: u64,
    /// Frames that mean nothing to us: unknown types, PRIORITY, and frames of streams that are gone.
    pub ignored_in: u64,
    /// Sends that a flow-control window of the stream or of the connection cut short.
    pub window_stops: u64,
    /// Sends that the output's high-water mark cut short: the socket is slower than the caller.
    pub output_stops: u64,
}

/// Counts by error code. Codes that RFC 9113 does not name are counted together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByCode {
    named: [u64; ErrorCode::NAMED],
    others: u64,
}

impl ByCode {
    pub(super) fn add(&mut self, code: ErrorCode) {
        match self.named.get_mut(code.0 as usize) {
            Some(count) => *count += 1,
            None => self.others += 1,
        }
    }

    /// The named codes that came, and how often.
    pub fn named(&self) -> impl Iterator<Item = (ErrorCode, u64)> {
        (0u32..).map(ErrorCode).zip(self.named).filter(|(_, count)| *count > 0)
    }

    /// How often codes without a name came.
    pub fn others(&self) -> u64 {
        self.others
    }

    /// How often any code came.
    pub fn total(&self) -> u64 {
        self.named.iter().sum::<u64>() + self.others
    }
}
