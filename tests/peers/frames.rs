//! HTTP/2 frames and gRPC messages as a server's script writes them (RFC 9113 section 6).

/// Frame types and flags.
pub(crate) mod kind {
    pub(crate) const DATA: u8 = 0;
    pub(crate) const HEADERS: u8 = 1;
    pub(crate) const RST_STREAM: u8 = 3;
    pub(crate) const SETTINGS: u8 = 4;
    pub(crate) const PING: u8 = 6;
    pub(crate) const GOAWAY: u8 = 7;
    pub(crate) const WINDOW_UPDATE: u8 = 8;
    pub(crate) const CONTINUATION: u8 = 9;
    /// No frame: bytes that go out as they are.
    pub(crate) const BYTES: u8 = 0xff;
}
pub(crate) const ACK: u8 = 1;
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;

/// Settings by number.
pub(crate) const MAX_CONCURRENT_STREAMS: u16 = 3;
pub(crate) const INITIAL_WINDOW_SIZE: u16 = 4;

/// A frame that has not been given its stream yet. Those of the connection go to stream 0 whatever they are given.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    kind: u8,
    flags: u8,
    payload: Vec<u8>,
}

impl Frame {
    /// The last frame of its stream.
    pub(crate) fn end(mut self) -> Frame {
        self.flags |= END_STREAM;
        self
    }

    /// Whether it ends the server's side of its stream.
    pub(crate) fn is_end(&self) -> bool {
        match self.kind {
            kind::DATA | kind::HEADERS => self.flags & END_STREAM != 0,
            kind => kind == kind::RST_STREAM,
        }
    }

    /// A header block that goes on in the next frame.
    pub(crate) fn continued(mut self) -> Frame {
        self.flags &= !END_HEADERS;
        self
    }

    pub(crate) fn bytes(&self, stream: u32) -> Vec<u8> {
        if self.kind == kind::BYTES {
            return self.payload.clone();
        }
        let of_connection = matches!(self.kind, kind::SETTINGS | kind::PING | kind::GOAWAY);
        let stream = if of_connection { 0 } else { stream };
        let length = u32::try_from(self.payload.len()).unwrap();
        let mut bytes = length.to_be_bytes()[1..].to_vec();
        bytes.extend([self.kind, self.flags]);
        bytes.extend(stream.to_be_bytes());
        bytes.extend(&self.payload);
        bytes
    }
}

/// HEADERS, every field a literal without a table (RFC 7541 section 6.2.2).
pub(crate) fn headers(fields: &[(&str, &str)]) -> Frame {
    let mut payload = Vec::new();
    for (name, value) in fields {
        payload.push(0);
        for text in [name, value] {
            length(text.len(), &mut payload);
            payload.extend(text.as_bytes());
        }
    }
    block(&payload)
}

/// The length of a string (RFC 7541 section 5.1).
fn length(mut length: usize, block: &mut Vec<u8>) {
    if length < 127 {
        return block.push(u8::try_from(length).unwrap());
    }
    block.push(127);
    length -= 127;
    while length >= 128 {
        block.push(u8::try_from(length % 128).unwrap() | 128);
        length /= 128;
    }
    block.push(u8::try_from(length).unwrap());
}

/// HEADERS with this header block, whole.
pub(crate) fn block(bytes: &[u8]) -> Frame {
    Frame { kind: kind::HEADERS, flags: END_HEADERS, payload: bytes.to_vec() }
}

/// More of a header block, and its end.
pub(crate) fn continuation(bytes: &[u8]) -> Frame {
    Frame { kind: kind::CONTINUATION, ..block(bytes) }
}

/// A header block in frames of so many bytes each.
pub(crate) fn in_pieces(headers: &Frame, piece: usize) -> Vec<Frame> {
    let mut frames: Vec<Frame> = headers.payload.chunks(piece).map(|bytes| continuation(bytes).continued()).collect();
    frames[0] = Frame { kind: kind::HEADERS, flags: headers.flags & END_STREAM, payload: frames[0].payload.clone() };
    frames.last_mut().unwrap().flags |= END_HEADERS;
    frames
}

/// Bytes that need be no frame.
pub(crate) fn bytes(bytes: &[u8]) -> Frame {
    Frame { kind: kind::BYTES, flags: 0, payload: bytes.to_vec() }
}

/// The head of a gRPC answer.
pub(crate) fn grpc() -> Frame {
    headers(&[(":status", "200"), ("content-type", "application/grpc")])
}

/// HEADERS that end the stream.
pub(crate) fn trailers(fields: &[(&str, &str)]) -> Frame {
    headers(fields).end()
}

/// An answer of one frame: head and trailers in one.
pub(crate) fn trailers_only(fields: &[(&str, &str)]) -> Frame {
    trailers(&[&[(":status", "200"), ("content-type", "application/grpc")], fields].concat())
}

pub(crate) fn data(bytes: &[u8]) -> Frame {
    Frame { kind: kind::DATA, flags: 0, payload: bytes.to_vec() }
}

/// DATA frames with so many bytes each.
pub(crate) fn data_in_pieces(bytes: &[u8], piece: usize) -> Vec<Frame> {
    bytes.chunks(piece).map(data).collect()
}

/// A message with its prefix.
pub(crate) fn message(bytes: &[u8]) -> Vec<u8> {
    [&[0], &u32::try_from(bytes.len()).unwrap().to_be_bytes()[..], bytes].concat()
}

/// The whole of a good answer: an empty message and OK.
pub(crate) fn fine() -> Vec<Frame> {
    vec![grpc(), data(&message(b"")), trailers(&[("grpc-status", "0")])]
}

pub(crate) fn rst(code: u32) -> Frame {
    Frame { kind: kind::RST_STREAM, flags: 0, payload: code.to_be_bytes().to_vec() }
}

pub(crate) fn settings(pairs: &[(u16, u32)]) -> Frame {
    let payload = pairs.iter().flat_map(|(id, value)| [&id.to_be_bytes()[..], &value.to_be_bytes()].concat()).collect();
    Frame { kind: kind::SETTINGS, flags: 0, payload }
}

/// What a server says first: settings, and a window on all streams together that never ends.
pub(crate) fn greeting(pairs: &[(u16, u32)]) -> Vec<Frame> {
    vec![settings(pairs), window_update(1 << 30)]
}

pub(crate) fn settings_ack() -> Frame {
    Frame { flags: ACK, ..settings(&[]) }
}

pub(crate) fn ping() -> Frame {
    Frame { kind: kind::PING, flags: 0, payload: b"are you?".to_vec() }
}

pub(crate) fn ping_ack(payload: &[u8]) -> Frame {
    Frame { kind: kind::PING, flags: ACK, payload: payload.to_vec() }
}

/// Streams above `last` are not processed.
pub(crate) fn go_away(last: u32, code: u32) -> Frame {
    Frame { kind: kind::GOAWAY, flags: 0, payload: [last.to_be_bytes(), code.to_be_bytes()].concat() }
}

pub(crate) fn window_update(by: u32) -> Frame {
    Frame { kind: kind::WINDOW_UPDATE, flags: 0, payload: by.to_be_bytes().to_vec() }
}
