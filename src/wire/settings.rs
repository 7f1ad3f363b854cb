//! What the two sides announce about themselves (RFC 9113 section 6.5).

use super::event::Fault;
use super::frame::{MAX_31, SIZE_MAX, SIZE_MIN};

mod id {
    pub(super) const HEADER_TABLE_SIZE: u16 = 1;
    pub(super) const ENABLE_PUSH: u16 = 2;
    pub(super) const MAX_CONCURRENT_STREAMS: u16 = 3;
    pub(super) const INITIAL_WINDOW_SIZE: u16 = 4;
    pub(super) const MAX_FRAME_SIZE: u16 = 5;
    pub(super) const MAX_HEADER_LIST_SIZE: u16 = 6;
}

/// The window that everybody starts with (RFC 9113 section 6.9.2).
pub(super) const FIRST_WINDOW: u32 = 65_535;

/// What we announce to the peer, and hold it to. Values outside their range are moved into it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Bytes that the peer may send on a stream before we open its window again, 1 to 2^31-1.
    pub stream_window: u32,
    /// The same for all streams together, 65,535 to 2^31-1.
    pub connection_window: u32,
    /// The largest payload of a frame that we take, 16,384 to 2^24-1 bytes. A partial frame is buffered, so this is
    /// also memory.
    pub max_frame_size: u32,
    /// The size of the header table that the peer may use, as RFC 7541 section 4.1 counts it.
    pub header_table_size: u32,
    /// The largest list of response headers that we take, as RFC 9113 section 6.5.2 counts it: 32 bytes a field beside
    /// its bytes. A longer one ends its stream with `ENHANCE_YOUR_CALM`.
    pub max_header_list_size: u32,
}

impl Default for Config {
    /// Windows that never stop a server, and the usual sizes otherwise.
    fn default() -> Config {
        Config {
            stream_window: 1 << 30,
            connection_window: MAX_31,
            max_frame_size: SIZE_MIN,
            header_table_size: 4096,
            max_header_list_size: 256 * 1024,
        }
    }
}

impl Config {
    pub(super) fn in_range(self) -> Config {
        Config {
            stream_window: self.stream_window.clamp(1, MAX_31),
            connection_window: self.connection_window.clamp(FIRST_WINDOW, MAX_31),
            max_frame_size: self.max_frame_size.clamp(SIZE_MIN, SIZE_MAX),
            ..self
        }
    }

    /// The payload of our SETTINGS frame.
    pub(super) fn payload(&self) -> Vec<u8> {
        let settings = [
            (id::HEADER_TABLE_SIZE, self.header_table_size),
            (id::ENABLE_PUSH, 0),
            (id::INITIAL_WINDOW_SIZE, self.stream_window),
            (id::MAX_FRAME_SIZE, self.max_frame_size),
            (id::MAX_HEADER_LIST_SIZE, self.max_header_list_size),
        ];
        settings.iter().flat_map(|(id, value)| id.to_be_bytes().into_iter().chain(value.to_be_bytes())).collect()
    }
}

/// What the peer announced; before its settings arrive, the values that RFC 9113 starts with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PeerSettings {
    /// The largest header table that it keeps for us, in bytes.
    pub header_table_size: u32,
    /// How many streams it lets us have at once; `None` for no limit.
    pub max_concurrent_streams: Option<u32>,
    /// The window of a new stream, in bytes.
    pub initial_window_size: u32,
    /// The largest payload of a frame that it takes, in bytes.
    pub max_frame_size: u32,
    /// The largest list of request headers that it takes; `None` for no limit. It is advice, and not enforced here.
    pub max_header_list_size: Option<u32>,
}

impl Default for PeerSettings {
    fn default() -> PeerSettings {
        PeerSettings {
            header_table_size: 4096,
            max_concurrent_streams: None,
            initial_window_size: FIRST_WINDOW,
            max_frame_size: SIZE_MIN,
            max_header_list_size: None,
        }
    }
}

impl PeerSettings {
    /// Takes one setting over. Unknown ones are ignored.
    pub(super) fn take(&mut self, id: u16, value: u32) -> Result<(), Fault> {
        match id {
            id::HEADER_TABLE_SIZE => self.header_table_size = value,
            id::ENABLE_PUSH if value != 0 => return Err(Fault::protocol("a server that announces ENABLE_PUSH")),
            id::MAX_CONCURRENT_STREAMS => self.max_concurrent_streams = Some(value),
            id::INITIAL_WINDOW_SIZE if value > MAX_31 => {
                return Err(Fault::flow_control("an INITIAL_WINDOW_SIZE above 2^31-1"));
            }
            id::INITIAL_WINDOW_SIZE => self.initial_window_size = value,
            id::MAX_FRAME_SIZE if !(SIZE_MIN..=SIZE_MAX).contains(&value) => {
                return Err(Fault::protocol("a MAX_FRAME_SIZE outside 2^14 to 2^24-1"));
            }
            id::MAX_FRAME_SIZE => self.max_frame_size = value,
            id::MAX_HEADER_LIST_SIZE => self.max_header_list_size = Some(value),
            _ => {}
        }
        Ok(())
    }
}

/// The settings in a payload, in order; `None` if its length is not a multiple of six.
pub(super) fn pairs(payload: &[u8]) -> Option<impl Iterator<Item = (u16, u32)>> {
    let (chunks, rest) = payload.as_chunks::<6>();
    rest.is_empty().then(|| {
        chunks.iter().map(|&[a, b, w, x, y, z]| (u16::from_be_bytes([a, b]), u32::from_be_bytes([w, x, y, z])))
    })
}
