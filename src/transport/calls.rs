//! The calls in flight on one session: what has come for each, and how each ended.
//!
//! A slab, so that a call costs no allocation, with the calls that have a deadline chained through it in the order of
//! their deadlines. All calls of a run have the same time allowed, so a new one belongs at the end of the chain, except
//! for the few that are sent again.

use std::fmt;
use std::task::Waker;

use tonic::Code;

use super::form::Stream;
use super::kept::Kept;
use super::message::{Accepted, Gunzips, MessageCounter};
use super::progress::Progress;
use super::ready::Ready;
use super::status;
use crate::record::StreamTimes;
use crate::units::Offset;
use crate::wire::{ErrorCode, Event, StreamKey};

/// The place of a call in the slab; also the tag of its stream.
pub(super) type CallId = u32;

const NONE: CallId = CallId::MAX;

/// How far a call is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// It has no stream yet.
    Unopened,
    /// It waits for a stream slot, in the session's queue.
    Queued,
    /// A stream slot is held for it.
    Granted,
    /// It has a stream.
    Open,
    /// It has ended.
    Ended(Ending),
}

/// How a call ended, seen from the session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// With a status.
    Status(u32),
    /// The server said that it did not process it.
    NotProcessed,
    /// It never had a stream, and this session will give it none.
    NotSent,
    /// The client ended it as planned, before the server did.
    ByClient,
    /// It was cut off at the end of the run.
    Abandoned,
}

/// One call in flight.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) stage: Stage,
    pub(super) waker: Option<Waker>,
    pub(super) key: Option<StreamKey>,
    pub(super) request_sent: bool,
    pub(super) received: MessageCounter,
    pub(super) progress: Progress,
    pub(super) done: Offset,
    /// What is kept of it if its messages are measured one by one. It is large, and calls without it are many.
    pub(super) stream: Option<Box<Stream>>,
    /// Its caller is woken when so many messages have come; 0 if it waits for none.
    pub(super) awaited: u32,
    rare: Option<Box<Rare>>,
    grpc_status: Option<Result<u32, ()>>,
    content_type_is_grpc: bool,
    /// The answer names gzip as the compression of its messages.
    gzip: bool,
    /// 0 until the head has come.
    http_status: u16,
    deadline: Option<Offset>,
    earlier: CallId,
    later: CallId,
}

const _: () = assert!(size_of::<Call>() <= 224, "those of a thousand callers find room in a processor's nearer caches");

/// What few calls have. It stands apart so that calls are small: those of a thousand callers are to find room in the
/// nearer caches of a processor. It is kept for the next call in the same place.
#[derive(Default, Debug)]
struct Rare {
    /// What a failed call says.
    failure: String,
    /// Metadata of this call alone, until it has a stream.
    fields: FieldList,
    grpc_message: Vec<u8>,
    /// The content-type if it is not that of gRPC.
    other_content_type: Vec<u8>,
}

impl Rare {
    fn clear(&mut self) {
        let Rare { failure, fields, grpc_message, other_content_type } = self;
        failure.clear();
        fields.clear();
        grpc_message.clear();
        other_content_type.clear();
    }
}

/// Names and values of headers, in memory that is used again.
#[derive(Default, Debug)]
struct FieldList {
    bytes: Vec<u8>,
    /// Where each name and each value ends.
    ends: Vec<(usize, usize)>,
}

impl FieldList {
    fn push(&mut self, (name, value): (&[u8], &[u8])) {
        self.bytes.extend_from_slice(name);
        let name_end = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.ends.push((name_end, self.bytes.len()));
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut start = 0;
        self.ends.iter().map(move |(name_end, end)| {
            let field = (&self.bytes[start..*name_end], &self.bytes[*name_end..*end]);
            start = *end;
            field
        })
    }
}

/// The calls in flight on one session.
#[derive(Debug)]
pub(super) struct Calls {
    slab: Vec<Call>,
    free: Vec<CallId>,
    first_due: CallId,
    last_due: CallId,
    /// Streams that are no longer of interest, to be reset after the events of a read.
    resets: Vec<(StreamKey, ErrorCode)>,
    /// Those that can go on.
    pub(super) ready: Ready,
    accepted: Accepted,
    gunzips: Gunzips,
    /// The server has begun to answer a call: the session was of use.
    pub(super) answered: bool,
}

impl Calls {
    /// None. Their answers may be as `accepted` says; gzip has to be named by each of them.
    pub(super) fn new(accepted: Accepted) -> Calls {
        Calls {
            slab: Vec::new(),
            free: Vec::new(),
            first_due: NONE,
            last_due: NONE,
            resets: Vec::new(),
            ready: Ready::default(),
            accepted,
            gunzips: Gunzips::new(),
            answered: false,
        }
    }

    /// Begins a call at `now` that is to end by `deadline`; `fields` are metadata that only this call has.
    pub(super) fn begin<'f>(
        &mut self,
        now: Offset,
        deadline: Option<Offset>,
        fields: impl IntoIterator<Item = (&'f [u8], &'f [u8])>,
    ) -> CallId {
        let id = self.free.pop().unwrap_or_else(|| {
            self.slab.push(Call::new(now));
            CallId::try_from(self.slab.len() - 1).expect("fewer calls in flight than 2^32")
        });
        let call = self.get(id);
        let mut rare = call.rare.take();
        if let Some(rare) = &mut rare {
            rare.clear();
        }
        *call = Call { rare, deadline, ..Call::new(now) };
        for field in fields {
            call.rare().fields.push(field);
        }
        if let Some(deadline) = deadline {
            self.chain(id, deadline);
        }
        id
    }

    pub(super) fn get(&mut self, id: CallId) -> &mut Call {
        &mut self.slab[id as usize]
    }

    /// Gives the place of an ended (or given up) call back.
    pub(super) fn release(&mut self, id: CallId) {
        self.unchain(id);
        self.get(id).waker = None;
        self.free.push(id);
    }

    /// The next deadline.
    pub(super) fn next_deadline(&self) -> Option<Offset> {
        self.slab.get(self.first_due as usize).and_then(|call| call.deadline)
    }

    /// Ends a call as its client planned it.
    pub(super) fn end_by_client(&mut self, id: CallId, now: Offset) {
        self.end(id, now, Ending::ByClient);
    }

    /// Ends a call that has no stream, and will get none on this session.
    pub(super) fn end_unsent(&mut self, id: CallId, now: Offset) {
        self.end(id, now, Ending::NotSent);
    }

    /// Ends the calls whose deadline is over. Each is shown to `unqueue` first, with the stage that it was at.
    pub(super) fn expire(&mut self, now: Offset, mut unqueue: impl FnMut(CallId, Stage)) {
        while self.next_deadline().is_some_and(|deadline| deadline <= now) {
            let id = self.first_due;
            let stage = self.get(id).stage;
            unqueue(id, stage);
            self.fail(id, now, Code::DeadlineExceeded, format_args!("deadline exceeded"));
        }
    }

    /// Ends every call that has not ended: with `ending` if it has a stream, as not sent otherwise.
    pub(super) fn end_all(&mut self, now: Offset, ending: Ending, failure: &str) {
        for id in (0..).take(self.slab.len()) {
            let call = self.get(id);
            let ending = match (call.stage, ending) {
                (Stage::Ended(_), _) => continue,
                (_, Ending::Abandoned) | (Stage::Open, _) => ending,
                _ => Ending::NotSent,
            };
            if !failure.is_empty() {
                call.rare().failure.push_str(failure);
            }
            self.end(id, now, ending);
        }
    }

    /// Lets the call go on, when its turn comes.
    pub(super) fn wake(&mut self, id: CallId) {
        let waker = self.get(id).waker.take();
        self.ready.push(waker);
    }

    /// The streams to reset, emptied by this.
    pub(super) fn take_resets(&mut self) -> impl Iterator<Item = (StreamKey, ErrorCode)> {
        self.resets.drain(..)
    }

    /// Takes in what the server did. `now` is when its bytes were read.
    pub(super) fn apply(&mut self, event: Event<'_>, now: Offset, times: &mut StreamTimes) {
        match event {
            // What still comes for a call that has ended early, before its reset has reached the server.
            Event::Header { tag, .. } | Event::Head { tag, .. } | Event::Trailers { tag } | Event::Data { tag, .. }
                if matches!(self.get(tag).stage, Stage::Ended(_)) => {}
            Event::Header { tag, name, value } => self.get(tag).field(name, value),
            Event::Head { tag, status, end } => {
                self.answered = true;
                let call = self.get(tag);
                call.progress.head(now);
                call.http_status = status;
                if end {
                    if let Some(kept) = call.kept() {
                        kept.head_was_all();
                    }
                    self.answer_ended(tag, now);
                } else if status != 200 || !call.content_type_is_grpc {
                    self.not_grpc(tag, now);
                } else {
                    // A status belongs into trailers; what stands here is none.
                    call.grpc_status = None;
                    if let Some(rare) = &mut call.rare {
                        rare.grpc_message.clear();
                    }
                }
            }
            Event::Trailers { tag } => self.answer_ended(tag, now),
            Event::Data { tag, bytes, end } => {
                self.read_messages(tag, bytes, now, times);
                if end {
                    self.fail(tag, now, Code::Unknown, format_args!("the server ended the stream without a status"));
                }
            }
            Event::Reset { tag, code, by_peer: true, .. } => self.reset_by_server(tag, code, now),
            Event::Reset { tag, code, by_peer: false, reason } => {
                self.get(tag).key = None;
                let text = format_args!("the server broke the HTTP/2 protocol: {reason} ({code})");
                self.fail(tag, now, Code::Internal, text);
            }
            Event::Unprocessed { tag } => {
                self.get(tag).key = None;
                self.not_processed(
                    tag,
                    now,
                    format_args!("the server sent the connection away before it took the call"),
                );
            }
            Event::Settings | Event::Pong { .. } | Event::GoAway { .. } => {}
        }
    }

    /// Reads what has come of the messages of a call, and measures those that are complete if it is a streaming one.
    fn read_messages(&mut self, id: CallId, mut bytes: &[u8], now: Offset, times: &mut StreamTimes) {
        let Accepted { bytes: most, gzip } = self.accepted;
        while !bytes.is_empty() {
            let Calls { slab, gunzips, .. } = self;
            let call = &mut slab[id as usize];
            let accepted = Accepted { bytes: most, gzip: gzip && call.gzip };
            let kept = call.stream.as_mut().and_then(|stream| stream.kept.as_mut());
            match call.received.next(&mut bytes, accepted, gunzips, kept) {
                Ok(true) => {
                    call.progress.message(now);
                    if let Some(stream) = &mut call.stream {
                        stream.message_came(now, times);
                        if stream.stops_after(call.received.messages) {
                            return self.end(id, now, Ending::ByClient);
                        }
                    }
                }
                Ok(false) => {}
                Err(bad) => return self.fail(id, now, bad.code(), format_args!("{bad}")),
            }
        }
        let call = self.get(id);
        if call.awaited > 0 && call.received.messages >= call.awaited {
            call.awaited = 0;
            self.wake(id);
        }
    }

    fn reset_by_server(&mut self, id: CallId, code: ErrorCode, now: Offset) {
        let call = self.get(id);
        call.key = None;
        if code == ErrorCode::REFUSED_STREAM {
            self.not_processed(id, now, format_args!("the server reset the stream with {code}"));
        } else {
            let status = match status::of_reset(code) {
                Code::Cancelled if call.is_late(now) => Code::DeadlineExceeded,
                status => status,
            };
            self.fail(id, now, status, format_args!("the server reset the stream with {code}"));
        }
    }

    /// The server has ended its side, with trailers or with a head that is all.
    fn answer_ended(&mut self, id: CallId, now: Offset) {
        let call = self.get(id);
        if call.request_sent {
            // Both sides have ended: there is nothing to reset.
            call.key = None;
        }
        match call.grpc_status {
            Some(Ok(0)) if call.received.is_partial() => {
                self.fail(id, now, Code::Internal, format_args!("the last message is cut short"));
            }
            Some(Ok(0)) if call.received.messages != 1 && !call.has_many_replies() => {
                let messages = call.received.messages;
                self.fail(
                    id,
                    now,
                    status::WRONG_NUMBER_OF_MESSAGES,
                    format_args!("the call ended OK with {messages} messages instead of one"),
                );
            }
            Some(Ok(status)) => {
                if status != 0 {
                    let Rare { grpc_message, failure, .. } = call.rare();
                    status::decode_message(grpc_message, failure);
                }
                // A server that gives up at the deadline may say so as a cancellation, and our timer may be a little
                // later than its answer.
                let gave_up = status == status::number(Code::Cancelled) && call.is_late(now);
                let status = if gave_up { status::number(Code::DeadlineExceeded) } else { status };
                self.end(id, now, Ending::Status(status));
            }
            Some(Err(())) => {
                self.fail(id, now, Code::Unknown, format_args!("the server sent a grpc-status that is no number"));
            }
            None => self.not_grpc(id, now),
        }
    }

    /// The answer has no gRPC status: what HTTP says has to do.
    fn not_grpc(&mut self, id: CallId, now: Offset) {
        let call = self.get(id);
        let http = call.http_status;
        let code = status::of_http(http);
        if http == 200 && call.content_type_is_grpc {
            self.fail(id, now, code, format_args!("the server ended the stream without a grpc-status"));
            return;
        }
        let content_type = match (call.content_type_is_grpc, &*call.rare().other_content_type) {
            (true, _) => "with a gRPC content-type".to_owned(),
            (false, []) => "without a content-type".to_owned(),
            (false, other) => format!("with content-type {:?}", String::from_utf8_lossy(other)),
        };
        self.fail(id, now, code, format_args!("HTTP status {http} {content_type} instead of a gRPC answer"));
    }

    /// Ends a call with a status of our own making.
    pub(super) fn fail(&mut self, id: CallId, now: Offset, code: Code, text: fmt::Arguments<'_>) {
        self.say(id, text);
        self.end(id, now, Ending::Status(status::number(code)));
    }

    /// Ends a call that the server did not process; the text is for the case that it will not be sent again.
    fn not_processed(&mut self, id: CallId, now: Offset, text: fmt::Arguments<'_>) {
        self.say(id, text);
        self.end(id, now, Ending::NotProcessed);
    }

    /// What the call says, unless it has ended and said something else.
    fn say(&mut self, id: CallId, text: fmt::Arguments<'_>) {
        let call = self.get(id);
        if !matches!(call.stage, Stage::Ended(_)) {
            let failure = &mut call.rare().failure;
            failure.clear();
            let _ = fmt::Write::write_fmt(failure, text);
        }
    }

    fn end(&mut self, id: CallId, now: Offset, ending: Ending) {
        self.unchain(id);
        let call = &mut self.slab[id as usize];
        if matches!(call.stage, Stage::Ended(_)) {
            return;
        }
        call.stage = Stage::Ended(ending);
        call.done = now;
        if let Some(key) = call.key.take() {
            self.resets.push((key, ErrorCode::CANCEL));
        }
        self.ready.push(call.waker.take());
    }

    fn chain(&mut self, id: CallId, deadline: Offset) {
        let mut earlier = self.last_due;
        while earlier != NONE && self.get(earlier).deadline.is_some_and(|other| other > deadline) {
            earlier = self.get(earlier).earlier;
        }
        let later = if earlier == NONE { self.first_due } else { self.get(earlier).later };
        let call = self.get(id);
        (call.earlier, call.later) = (earlier, later);
        if earlier == NONE {
            self.first_due = id;
        } else {
            self.get(earlier).later = id;
        }
        if later == NONE {
            self.last_due = id;
        } else {
            self.get(later).earlier = id;
        }
    }

    fn unchain(&mut self, id: CallId) {
        let call = self.get(id);
        if call.deadline.take().is_none() {
            return;
        }
        let (earlier, later) = (call.earlier, call.later);
        if earlier == NONE {
            self.first_due = later;
        } else {
            self.get(earlier).later = later;
        }
        if later == NONE {
            self.last_due = earlier;
        } else {
            self.get(later).earlier = earlier;
        }
    }
}

impl Call {
    fn new(now: Offset) -> Call {
        Call {
            stage: Stage::Unopened,
            waker: None,
            key: None,
            request_sent: false,
            received: MessageCounter::default(),
            progress: Progress::new(now),
            done: now,
            stream: None,
            awaited: 0,
            rare: None,
            grpc_status: None,
            content_type_is_grpc: false,
            gzip: false,
            http_status: 0,
            deadline: None,
            earlier: NONE,
            later: NONE,
        }
    }

    fn has_many_replies(&self) -> bool {
        self.stream.as_ref().is_some_and(|stream| stream.many_replies())
    }

    /// Whether its deadline is over.
    fn is_late(&self, now: Offset) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// What the call says if it failed; empty until then.
    pub(super) fn failure(&self) -> &str {
        self.rare.as_ref().map_or("", |rare| &rare.failure)
    }

    /// Metadata of this call alone, until it has a stream.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.rare.iter().flat_map(|rare| rare.fields.iter())
    }

    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// What is kept of its answer, if anything is.
    pub(super) fn kept(&mut self) -> Option<&mut Kept> {
        self.stream.as_mut()?.kept.as_mut()
    }

    fn field(&mut self, name: &[u8], value: &[u8]) {
        let trailer = self.http_status != 0;
        if let Some(kept) = self.kept() {
            kept.field(name, value, trailer);
        }
        match name {
            b"grpc-status" => self.grpc_status = Some(status::parse(value).ok_or(())),
            b"grpc-message" => {
                let grpc_message = &mut self.rare().grpc_message;
                grpc_message.clear();
                grpc_message.extend_from_slice(value);
            }
            b"grpc-encoding" if self.http_status == 0 => self.gzip = value == b"gzip",
            // That of the head; trailers have no say in it.
            b"content-type" if self.http_status == 0 => {
                self.content_type_is_grpc = is_grpc(value);
                if !self.content_type_is_grpc {
                    let other_content_type = &mut self.rare().other_content_type;
                    other_content_type.clear();
                    other_content_type.extend_from_slice(value);
                }
            }
            _ => {}
        }
    }
}

/// `application/grpc` in any case of letters, alone or followed by `+proto` and the like, or by parameters.
fn is_grpc(content_type: &[u8]) -> bool {
    const GRPC: &[u8] = b"application/grpc";
    // Nearly every server writes it like this.
    content_type == GRPC
        || content_type.split_at_checked(GRPC.len()).is_some_and(|(start, rest)| {
            start.eq_ignore_ascii_case(GRPC) && matches!(rest.first(), None | Some(b'+' | b';' | b' '))
        })
}
