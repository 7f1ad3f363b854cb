//! A server that keeps to the rules, takes its choices by chance, and sees that the client keeps to them, too.

use std::collections::{BTreeMap, VecDeque};

use super::peer::{data, fields, frame, go_away, rst, settings, window_update};
use crate::wire::frame::{FrameHead, HEAD, PREFACE, flag, kind};
use crate::wire::hpack::{Decoder, RandomEncoder};
use crate::wire::settings::pairs;

type Fields = Vec<(Vec<u8>, Vec<u8>)>;

/// What became of a call, as one side saw it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Story {
    pub(super) status: Option<u16>,
    /// Of the head and of the trailers.
    pub(super) fields: Fields,
    pub(super) data: Vec<u8>,
    pub(super) end: Option<String>,
}

/// What a server still has to do on a stream.
enum Step {
    Interim,
    Head(Fields),
    Data(Vec<u8>),
    Trailers(Fields),
    TrailersOnly(Fields),
    Reset(u32),
}

struct Call {
    tag: u32,
    /// What the client may still send, as we see it.
    receive: i64,
    send: i64,
    body: Vec<u8>,
    whole: bool,
    /// Answer before the request is whole.
    early: bool,
    steps: Option<VecDeque<Step>>,
}

/// The settings that the client has acknowledged.
#[derive(Clone, Copy, Debug)]
struct Limits {
    streams: usize,
    window: i64,
    frame: usize,
    table: usize,
}

pub(super) struct Server {
    random: fastrand::Rng,
    input: Vec<u8>,
    pub(super) output: Vec<u8>,
    decoder: Decoder,
    encoder: Option<RandomEncoder>,
    sent_settings: VecDeque<Vec<(u16, u32)>>,
    limits: Limits,
    /// What the client allows: window of a new stream, frame size.
    client_window: i64,
    client_frame: usize,
    /// What the client may send on all streams, and what we may.
    pub(super) receive: i64,
    send: i64,
    greeted: bool,
    last: u32,
    /// Streams above are not processed any more.
    going: Option<u32>,
    calls: BTreeMap<u32, Call>,
    /// By tag; complete when `end` is set.
    pub(super) stories: BTreeMap<u32, Story>,
    pub(super) most_at_once: usize,
}

impl Server {
    pub(super) fn new(seed: u64, first: &[(u16, u32)]) -> Server {
        let mut server = Server {
            random: fastrand::Rng::with_seed(seed),
            input: Vec::new(),
            output: Vec::new(),
            decoder: Decoder::new(4096),
            encoder: None,
            sent_settings: VecDeque::new(),
            limits: Limits { streams: usize::MAX, window: 65_535, frame: 16_384, table: 4096 },
            client_window: 65_535,
            client_frame: 16_384,
            receive: 65_535,
            send: 65_535,
            greeted: false,
            last: 0,
            going: None,
            calls: BTreeMap::new(),
            stories: BTreeMap::new(),
            most_at_once: 0,
        };
        server.change(first);
        server
    }

    /// Sends new settings; they hold when the client has acknowledged them.
    pub(super) fn change(&mut self, pairs: &[(u16, u32)]) {
        self.output.extend(settings(pairs));
        self.sent_settings.push_back(pairs.to_vec());
    }

    /// Goes away: what was not seen so far is not processed.
    pub(super) fn go(&mut self) {
        self.going = Some(self.last);
        self.output.extend(go_away(0x7fff_ffff, 0, b"soon"));
        self.output.extend(go_away(self.last, 0, b"now"));
    }

    pub(super) fn idle(&self) -> bool {
        self.calls.is_empty() && self.output.is_empty()
    }

    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.input.extend_from_slice(bytes);
        if !self.greeted {
            let Some(rest) = self.input.strip_prefix(PREFACE) else {
                assert!(PREFACE.starts_with(&self.input));
                return;
            };
            self.input = rest.to_vec();
            self.greeted = true;
        }
        while let Some(head) = FrameHead::read(&self.input) {
            assert!(head.length <= self.limits.frame, "{head:?} is longer than {}", self.limits.frame);
            if self.input.len() < HEAD + head.length {
                break;
            }
            let rest = self.input.split_off(HEAD + head.length);
            let payload = std::mem::replace(&mut self.input, rest).split_off(HEAD);
            self.take_frame(head, &payload);
        }
    }

    fn take_frame(&mut self, head: FrameHead, payload: &[u8]) {
        let numbers = |at: usize| u32::from_be_bytes(payload[at..at + 4].try_into().unwrap());
        assert!(self.encoder.is_some() || head.kind == kind::SETTINGS, "settings come first");
        match head.kind {
            kind::SETTINGS if head.has(flag::ACK) => {
                let acknowledged = self.sent_settings.pop_front().expect("an acknowledgement that nobody waits for");
                for (id, value) in acknowledged {
                    self.hold(id, value);
                }
            }
            kind::SETTINGS => self.take_settings(payload),
            kind::HEADERS => self.take_headers(head, payload),
            kind::DATA => self.take_data(head, payload),
            kind::WINDOW_UPDATE if head.stream == 0 => self.send += i64::from(numbers(0)),
            kind::WINDOW_UPDATE => {
                assert!(head.stream <= self.last);
                if let Some(call) = self.calls.get_mut(&head.stream) {
                    call.send += i64::from(numbers(0));
                }
            }
            kind::RST_STREAM => {
                assert!(head.stream <= self.last);
                if let Some(call) = self.calls.remove(&head.stream) {
                    self.stories.get_mut(&call.tag).unwrap().end = Some("cancelled".to_owned());
                }
            }
            kind::PING => assert!(head.has(flag::ACK) && payload == b"ping-me!"),
            other => panic!("a frame of type {other}"),
        }
    }

    /// A setting of ours holds from here on.
    fn hold(&mut self, id: u16, value: u32) {
        match id {
            1 => {
                self.limits.table = value as usize;
                self.decoder.announce(value as usize);
            }
            3 => self.limits.streams = value as usize,
            4 => {
                let shift = i64::from(value) - self.limits.window;
                self.limits.window = i64::from(value);
                self.calls.values_mut().for_each(|call| call.receive += shift);
            }
            5 => self.limits.frame = value as usize,
            _ => unreachable!(),
        }
    }

    fn take_settings(&mut self, payload: &[u8]) {
        let mut table = 4096;
        for (id, value) in pairs(payload).unwrap() {
            match id {
                1 => table = value as usize,
                4 => self.client_window = i64::from(value),
                5 => self.client_frame = value as usize,
                _ => {}
            }
        }
        self.encoder = Some(RandomEncoder::new(table));
        self.output.extend(frame(kind::SETTINGS, flag::ACK, 0, b""));
    }

    /// Requests of the simulation have heads of one frame. Their field `x-tag` tells the caller's tag.
    fn take_headers(&mut self, head: FrameHead, block: &[u8]) {
        assert!(head.stream % 2 == 1 && head.stream > self.last, "{head:?}");
        assert!(head.has(flag::END_HEADERS));
        self.last = head.stream;
        let mut tag = None;
        let mut count = 0;
        let outcome = self.decoder.decode(block, &mut |field| {
            count += 1;
            if field.name == b"x-tag" {
                tag = str::from_utf8(field.value).ok().and_then(|value| value.parse().ok());
            }
        });
        outcome.unwrap();
        assert_eq!(count, super::peer::REQUEST.len() + 1);
        assert!(self.decoder.chosen() <= self.limits.table);
        let tag: u32 = tag.unwrap();
        self.stories.insert(tag, Story::default());
        if self.going.is_some_and(|last| head.stream > last) {
            self.stories.get_mut(&tag).unwrap().end = Some("unprocessed".to_owned());
            return;
        }
        let call = Call {
            tag,
            receive: self.limits.window,
            send: self.client_window,
            body: Vec::new(),
            whole: head.has(flag::END_STREAM),
            early: self.random.u8(..15) == 0,
            steps: None,
        };
        self.calls.insert(head.stream, call);
        self.most_at_once = self.most_at_once.max(self.calls.len());
        assert!(self.calls.len() <= self.limits.streams, "{} above {:?}", self.calls.len(), self.limits);
    }

    fn take_data(&mut self, head: FrameHead, payload: &[u8]) {
        assert!(head.stream <= self.last);
        self.receive -= i64::try_from(payload.len()).unwrap();
        assert!(self.receive >= 0);
        let Some(call) = self.calls.get_mut(&head.stream) else { return };
        assert!(!call.whole);
        call.receive -= i64::try_from(payload.len()).unwrap();
        assert!(call.receive >= 0 || payload.is_empty(), "{payload:?}");
        call.body.extend_from_slice(payload);
        call.whole = head.has(flag::END_STREAM);
        // Both sides have ended: the stream is closed.
        if call.whole && self.stories[&call.tag].end.is_some() {
            self.calls.remove(&head.stream);
        }
    }

    /// Does something: answers a little, opens windows, pings.
    pub(super) fn act(&mut self) {
        if self.random.u8(..40) == 0 {
            self.output.extend(frame(kind::PING, 0, 0, b"ping-me!"));
            self.output.extend(frame(0x77, 0xff, self.last, b"grease"));
        }
        if self.receive < 20_000 && self.random.u8(..3) == 0 {
            let by = self.random.u32(1..60_000);
            self.receive += i64::from(by);
            self.output.extend(window_update(0, by));
        }
        if self.calls.is_empty() {
            return;
        }
        let chosen = *self.calls.keys().nth(self.random.usize(..self.calls.len())).unwrap();
        let call = self.calls.get_mut(&chosen).unwrap();
        if !call.whole && call.receive < 5_000 && self.random.bool() {
            let by = self.random.u32(1..20_000);
            call.receive += i64::from(by);
            self.output.extend(window_update(chosen, by));
        }
        if call.steps.is_none() && (call.whole || call.early) {
            let steps = plan(call.body.clone(), call.whole, &mut self.random);
            self.calls.get_mut(&chosen).unwrap().steps = Some(steps);
        }
        self.answer(chosen);
    }

    fn answer(&mut self, id: u32) {
        let (Some(call), Some(encoder)) = (self.calls.get_mut(&id), &mut self.encoder) else { return };
        let Some(step) = call.steps.as_mut().and_then(VecDeque::pop_front) else { return };
        let story = self.stories.get_mut(&call.tag).unwrap();
        let mut send = |end, list: &Fields, random: &mut fastrand::Rng| {
            let block = encoder.block(list, random);
            let end = if end { flag::END_STREAM } else { 0 };
            let cut = random.usize(..=block.len());
            if random.u8(..6) == 0 {
                self.output.extend(frame(kind::HEADERS, end, id, &block[..cut]));
                self.output.extend(frame(kind::CONTINUATION, flag::END_HEADERS, id, &block[cut..]));
            } else {
                self.output.extend(frame(kind::HEADERS, end | flag::END_HEADERS, id, &block));
            }
        };
        let regular = |list: &Fields| list.iter().filter(|field| field.0[0] != b':').cloned().collect::<Vec<_>>();
        match step {
            Step::Interim => send(false, &fields(&[(":status", "103"), ("link", "x")]), &mut self.random),
            Step::Head(list) => {
                send(false, &list, &mut self.random);
                story.status = Some(200);
                story.fields.extend(regular(&list));
            }
            Step::Data(bytes) => {
                let room = call.send.min(self.send).min(i64::try_from(self.client_frame).unwrap());
                let mut padding = if self.random.u8(..4) == 0 { self.random.u8(..) } else { 0 };
                if room <= i64::from(padding) {
                    padding = 0;
                }
                let extra = if padding > 0 { i64::from(padding) + 1 } else { 0 };
                let room = usize::try_from(room - extra).unwrap_or(0).min(bytes.len());
                if room < bytes.len() {
                    call.steps.as_mut().unwrap().push_front(Step::Data(bytes[room..].to_vec()));
                    if room == 0 {
                        return;
                    }
                }
                call.send -= i64::try_from(room).unwrap() + extra;
                self.send -= i64::try_from(room).unwrap() + extra;
                story.data.extend_from_slice(&bytes[..room]);
                if padding > 0 {
                    let padded = [&[padding], &bytes[..room], &vec![0; usize::from(padding)]].concat();
                    self.output.extend(frame(kind::DATA, flag::PADDED, id, &padded));
                } else {
                    self.output.extend(data(id, false, &bytes[..room]));
                }
            }
            Step::Trailers(list) | Step::TrailersOnly(list) => {
                send(true, &list, &mut self.random);
                story.status = Some(200);
                story.fields.extend(regular(&list));
                story.end = Some("end".to_owned());
                if call.whole {
                    self.calls.remove(&id);
                }
            }
            Step::Reset(code) => {
                self.output.extend(rst(id, code));
                // After a complete answer the client hears of it only if its request goes on.
                story.end.get_or_insert(format!("reset {code}"));
                self.calls.remove(&id);
            }
        }
    }
}

/// The steps of an answer. It carries the body back, in other pieces.
fn plan(body: Vec<u8>, whole: bool, random: &mut fastrand::Rng) -> VecDeque<Step> {
    let mut steps = VecDeque::new();
    let kinds = ["application/grpc", "application/grpc+proto"];
    let date = format!("Mon, 21 Oct 2013 20:13:{:02} GMT", random.u8(..60));
    let head = [(":status", "200"), ("content-type", kinds[random.usize(..2)]), ("date", &date), ("server", "test")];
    let long = "m".repeat(random.usize(..300));
    let trailers = [("grpc-status", "0"), ("grpc-message", &long), ("x-number", &random.u32(..50).to_string())];
    if random.u8(..6) == 0 {
        steps.push_back(Step::Interim);
    }
    match random.u8(..12) {
        0 => steps.push_back(Step::Reset(random.u32(..20))),
        1 => steps.push_back(Step::TrailersOnly(fields(&[&head[..], &trailers].concat()))),
        kind => {
            steps.push_back(Step::Head(fields(&head)));
            let mut rest = body;
            while !rest.is_empty() {
                let after = rest.split_off(random.usize(1..=rest.len()));
                steps.push_back(Step::Data(std::mem::replace(&mut rest, after)));
            }
            if random.bool() {
                steps.push_back(Step::Data(Vec::new()));
            }
            match kind {
                2 => steps.push_back(Step::Reset(random.u32(..20))),
                _ => steps.push_back(Step::Trailers(fields(&trailers))),
            }
        }
    }
    if !whole {
        steps.push_back(Step::Reset(0));
    }
    steps
}
