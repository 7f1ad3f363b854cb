//! One HTTP/2 connection after its handshake: the calls on it, and the task between its socket and
//! [`wire`].
//!
//! A turn of the task: write what the calls have put out, read what has come, hand it to the calls, and let a portion of
//! the calls that it ended run before the next turn, so that their next requests leave in one write. While there are
//! calls left of a read, nothing more is read.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::sync::Notify;
use tokio::task::spawn_local;
use tokio::time::{Instant, Sleep, sleep_until};
use tonic::Code;

use super::calls::{CallId, Calls, Ending, Stage};
use super::form::{Form, Stream};
use super::keepalive::{KeepAlive, Verdict};
use super::kept::Kept;
use super::queue::Queue;
use super::route::Route;
use super::socket::Socket;
use super::{status, tally};
use crate::clock::Clock;
use crate::record::{Connections, Phases, StreamTimes};
use crate::units::Offset;
use crate::wire::{self, Blocked, ErrorCode, HeadId};

/// Reads in one turn at most: enough to empty a socket whose every read is small (TLS gives one record at a time).
const READS_PER_TURN: usize = 16;

/// As large as one read can get. A larger one leaves the nearest cache, and empties the socket so far that a server which
/// sends long answers waits to be told.
const READ_BUFFER: usize = 32 * 1024;

/// What the sessions of a worker share: the buffer that they read into, and the counts of what they did.
#[derive(Debug)]
pub struct Shared {
    /// Times within calls are told by it.
    pub(super) clock: Clock,
    read_buffer: RefCell<Box<[u8]>>,
    pub(super) tally: RefCell<Connections>,
    pub(super) streams: RefCell<StreamTimes>,
    /// Sessions that are running.
    running: Cell<usize>,
    broken: Notify,
}

/// Tells when a task ends by a panic, which the runtime keeps to itself.
struct Watched(Rc<Shared>);

impl Drop for Watched {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.notify_one();
        }
    }
}

impl Shared {
    /// For one worker. Its calls begin later than this.
    pub fn new() -> Rc<Shared> {
        let read_buffer = vec![0; READ_BUFFER].into_boxed_slice();
        Rc::new(Shared {
            clock: Clock::starting_at(Instant::now()),
            read_buffer: RefCell::new(read_buffer),
            tally: RefCell::default(),
            streams: RefCell::default(),
            running: Cell::default(),
            broken: Notify::new(),
        })
    }

    /// Runs a task of a connection beside everything else.
    pub(super) fn spawn(self: &Rc<Shared>, task: impl Future<Output = ()> + 'static) {
        let watched = Watched(Rc::clone(self));
        spawn_local(async move {
            let _watched = watched;
            task.await;
        });
    }

    /// Waits until a task of a connection has panicked: its calls would never end.
    pub async fn broken(&self) {
        self.broken.notified().await;
    }

    /// The counts so far, taken out.
    pub fn take_tally(&self) -> Connections {
        self.tally.take()
    }

    /// Makes ready to measure what happens within streams.
    pub fn expect_streams(&self) {
        self.streams.replace(StreamTimes::with_room());
    }

    /// A message that was due at a planned instant within its stream left so late.
    pub fn message_lag(&self, lag: Duration) {
        self.streams.borrow_mut().message_lag.record(u64::try_from(lag.as_nanos()).unwrap_or(u64::MAX));
    }

    /// What was measured within streams so far, taken out.
    pub fn take_streams(&self) -> StreamTimes {
        self.streams.take()
    }
}

/// How a call ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The gRPC status by number; `None` if the call was cut off by [`Connection::abandon`](super::Connection::abandon).
    pub status: Option<u32>,
    /// How long it was in each phase.
    pub phases: Phases,
    /// Whether all that it had to send had been handed to the connection.
    pub request_sent: bool,
    /// From the real start of the call to its end, in nanoseconds: until that was read, if the server ended it.
    pub service_ns: u64,
    /// Message bytes of the answer as they came, without framing.
    pub bytes_received: u64,
    /// The same with compressed messages unpacked.
    pub bytes_unpacked: u64,
    /// Messages of the answer.
    pub messages_received: u32,
}

impl Reply {
    /// Of a call that ended after so many nanoseconds without having had a session.
    pub(super) fn without_answer(status: Option<Code>, service_ns: u64) -> Reply {
        Reply {
            status: status.map(status::number),
            phases: Phases::default(),
            request_sent: false,
            service_ns,
            bytes_received: 0,
            bytes_unpacked: 0,
            messages_received: 0,
        }
    }
}

/// When an attempt to make a call begins, and when the call ends at the latest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    /// The real start of the call, of which this may be the second attempt.
    pub(super) sent: Offset,
    pub(super) begun: Offset,
    pub(super) deadline: Option<Offset>,
}

/// One HTTP/2 connection. Clones share it.
#[derive(Clone)]
pub(super) struct Session {
    core: Rc<RefCell<Core>>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

struct Core {
    wire: wire::Connection,
    head: HeadId,
    calls: Calls,
    /// Calls that wait for a stream.
    queue: Queue,
    /// Calls whose whole request has been put out and perhaps not been written, and where each ends.
    unwritten: VecDeque<(u64, CallId)>,
    shared: Rc<Shared>,
    /// What the connection counted is in the tally.
    accounted: bool,
    /// Wakes the task when there is something to write.
    task: Option<Waker>,
    /// No new calls.
    retired: bool,
    task_life: Life,
    /// Wakes who waits for the end of the task.
    awaits_end: Option<Waker>,
    /// Asks whether a silent server is still there.
    keepalive: Option<KeepAlive>,
    /// The socket holds back bytes that it was given, as TLS does when the way below is full.
    unflushed: bool,
}

/// How far the task of a session is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    Going,
    /// It says goodbye, and ends.
    Leaving,
    Ended,
}

impl Session {
    /// A session on a connection of this route, whose handshake is over.
    pub(super) fn new(mut wire: wire::Connection, route: &Route, shared: Rc<Shared>) -> Session {
        let head = wire.prepare(route.head.clone());
        let core = Core {
            wire,
            head,
            calls: Calls::new(route.accepted),
            queue: Queue::default(),
            unwritten: VecDeque::new(),
            shared,
            accounted: false,
            task: None,
            retired: false,
            task_life: Life::Going,
            awaits_end: None,
            keepalive: route.target.keepalive.map(KeepAlive::new),
            unflushed: false,
        };
        Session { core: Rc::new(RefCell::new(core)) }
    }

    /// Begins a call: of one message each way, or of another form. `fields` are metadata of this call alone.
    pub(super) fn begin<'f>(
        &self,
        form: Option<&Form>,
        fields: impl IntoIterator<Item = (&'f [u8], &'f [u8])>,
        attempt: Attempt,
    ) -> ClientCall {
        let calls = &mut self.core.borrow_mut().calls;
        let id = calls.begin(attempt.begun, attempt.deadline, fields);
        calls.get(id).stream = form.map(|form| Box::new(Stream::new(*form, attempt.sent)));
        ClientCall { core: Rc::clone(&self.core), id, sent: attempt.sent }
    }

    /// Takes no new calls. Calls that wait for a stream slot end as not sent; those with a stream go on.
    pub(super) fn retire(&self) {
        let mut core = self.core.borrow_mut();
        core.retired = true;
        let Core { queue, calls, shared, .. } = &mut *core;
        for id in queue.take_waiting() {
            calls.end_unsent(id, shared.clock.now());
        }
        core.wake_task();
    }

    /// Cuts off every call.
    pub(super) fn abandon(&self) {
        self.core.borrow_mut().end(Ending::Abandoned, "");
    }

    /// Says goodbye as soon as the task comes to it, which then ends.
    pub(super) fn leave(&self) {
        let mut core = self.core.borrow_mut();
        if core.task_life == Life::Going {
            core.task_life = Life::Leaving;
        }
        core.wake_task();
    }

    /// Waits for the end of the task. There is one who waits, at most.
    pub(super) async fn ended(&self) {
        poll_fn(|cx| {
            let mut core = self.core.borrow_mut();
            if core.task_life == Life::Ended {
                return Poll::Ready(());
            }
            core.awaits_end = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Whether the server has begun to answer a call on this session.
    pub(super) fn was_of_use(&self) -> bool {
        self.core.borrow().calls.answered
    }

    /// Whether `other` is the same session.
    pub(super) fn is(&self, other: &Session) -> bool {
        Rc::ptr_eq(&self.core, &other.core)
    }

    /// Puts what the connection counted into the tally of its worker, once.
    pub(super) fn account(&self) {
        let mut core = self.core.borrow_mut();
        if !std::mem::replace(&mut core.accounted, true) {
            tally::add(&mut core.shared.tally.borrow_mut().http2, &core.wire);
        }
    }

    /// The task between the socket and the calls. Tells `on_closing` once that no new calls can be taken; returns when
    /// the connection has ended, and with it, as unavailable, the calls that were open.
    pub(super) async fn run(&self, mut socket: Socket, on_closing: impl Fn()) {
        let shared = Rc::clone(&self.core.borrow().shared);
        shared.running.set(shared.running.get() + 1);
        let mut alarm =
            DeadlineAlarm { clock: shared.clock, sleep: Box::pin(sleep_until(Instant::now())), armed: None };
        let reason = poll_fn(|cx| {
            let mut core = self.core.borrow_mut();
            let turn = core.poll_turn(&mut socket, &mut alarm, cx);
            let closing = core.wire.closing() && !core.retired;
            drop(core);
            if closing {
                on_closing();
            }
            turn
        })
        .await;
        shared.running.set(shared.running.get() - 1);
        let unavailable = Ending::Status(status::number(Code::Unavailable));
        self.core.borrow_mut().end(unavailable, &format!("connection lost: {reason}"));
        self.account();
        if self.core.borrow().task_life == Life::Leaving {
            // The end of TLS, and of the bytes. The server may have gone.
            let _ = socket.shutdown().await;
        }
        let mut core = self.core.borrow_mut();
        core.task_life = Life::Ended;
        if let Some(waiting) = core.awaits_end.take() {
            waiting.wake();
        }
    }
}

/// A call has ended; what remains of its script is pointless.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Over;

/// A call that is under way. Its place is given back when it has ended or its caller has gone away.
pub struct ClientCall {
    core: Rc<RefCell<Core>>,
    id: CallId,
    /// The real start of the call, of which this may be the second attempt.
    sent: Offset,
}

impl ClientCall {
    /// Sends a message, framed, and with `last` ends the client's side. Returns when flow control has let all of it go. A
    /// stream counts the message from here on, and not from when the first of it is let go.
    pub fn send(&self, framed: &[u8], last: bool) -> impl Future<Output = Result<(), Over>> {
        let core = &mut *self.core.borrow_mut();
        if let Some(stream) = &mut core.calls.get(self.id).stream
            && !framed.is_empty()
        {
            stream.message_sent(core.shared.clock.now());
        }
        let mut offset = 0;
        poll_fn(move |cx| self.core.borrow_mut().poll_send(self.id, framed, &mut offset, last, cx))
    }

    /// Ends the client's side.
    pub async fn finish(&self) -> Result<(), Over> {
        self.send(&[], true).await
    }

    /// Waits until so many messages of the answer have come.
    pub async fn received(&self, messages: u32) -> Result<(), Over> {
        poll_fn(|cx| {
            let mut core = self.core.borrow_mut();
            let call = core.calls.get(self.id);
            if call.received.messages >= messages {
                return Poll::Ready(Ok(()));
            }
            call.awaited = messages;
            core.poll_ended(self.id, cx).map(|_ending| Err(Over))
        })
        .await
    }

    /// Waits until the call is over.
    pub async fn over(&self) {
        poll_fn(|cx| self.core.borrow_mut().poll_ended(self.id, cx)).await;
    }

    /// Ends the call as planned, if the server has not done so.
    pub fn end(&self) {
        let mut core = self.core.borrow_mut();
        let stage = core.calls.get(self.id).stage;
        core.queue.leave(self.id, stage);
        let now = core.shared.clock.now();
        core.calls.end_by_client(self.id, now);
        core.wake_task();
    }

    /// Ends the call with a failure of the client's own: what it was to send could not be made. By gRPC's statuscodes.md
    /// that is Internal.
    pub fn fail(&self, reason: fmt::Arguments<'_>) {
        let mut core = self.core.borrow_mut();
        let stage = core.calls.get(self.id).stage;
        core.queue.leave(self.id, stage);
        let now = core.shared.clock.now();
        core.calls.fail(self.id, now, Code::Internal, reason);
        core.wake_task();
    }

    /// What was kept of its answer so far, taken out.
    pub fn kept(&self) -> Option<Kept> {
        self.core.borrow_mut().calls.get(self.id).kept().map(std::mem::take)
    }

    /// Waits until the call is over, and says how it ended, with the reply that it has if that is the end of it. What a
    /// failed call says goes to `failure`.
    pub(super) fn answer(self, failure: &mut String) -> impl Future<Output = (Ending, Reply)> {
        poll_fn(move |cx| {
            let mut core = self.core.borrow_mut();
            let ending = ready!(core.poll_ended(self.id, cx));
            let Core { calls, shared, .. } = &mut *core;
            let call = calls.get(self.id);
            failure.clear();
            failure.push_str(call.failure());
            call.progress.go_on(shared.clock);
            if call.progress.has_waited() {
                call.progress.add_waits(call.done, &mut shared.tally.borrow_mut().http2);
            }
            if let Some(stream) = &call.stream {
                stream.end(ending, call.received.messages, call.progress.held_ns(), &mut shared.streams.borrow_mut());
            }
            let reply = Reply {
                status: match ending {
                    Ending::Status(status) => Some(status),
                    Ending::ByClient => Some(status::number(Code::Ok)),
                    Ending::Abandoned | Ending::NotSent | Ending::NotProcessed => None,
                },
                phases: call.progress.phases(self.sent, call.done),
                request_sent: call.request_sent,
                service_ns: call.done.since(self.sent),
                bytes_received: call.received.bytes,
                bytes_unpacked: call.received.bytes_unpacked,
                messages_received: call.received.messages,
            };
            Poll::Ready((ending, reply))
        })
    }
}

impl Drop for ClientCall {
    fn drop(&mut self) {
        let mut core = self.core.borrow_mut();
        let stage = core.calls.get(self.id).stage;
        if !matches!(stage, Stage::Ended(_)) {
            core.queue.leave(self.id, stage);
            let now = core.shared.clock.now();
            core.calls.fail(self.id, now, Code::Cancelled, format_args!("given up"));
            core.wake_task();
        }
        core.calls.release(self.id);
    }
}

/// The one timer of a session. It is left alone while calls come and go, and looks at the next deadline when it fires.
#[derive(Debug)]
struct DeadlineAlarm {
    clock: Clock,
    sleep: Pin<Box<Sleep>>,
    armed: Option<Offset>,
}

impl DeadlineAlarm {
    /// Ready when a deadline may be over. Otherwise the task is woken by then.
    fn poll(&mut self, next: Option<Offset>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(next) = next else { return Poll::Pending };
        // A deadline earlier than the armed one is that of a call sent again.
        if self.armed.is_none_or(|armed| next < armed) {
            self.sleep.as_mut().reset(self.clock.instant(next));
            self.armed = Some(next);
        }
        let fired = self.sleep.as_mut().poll(cx);
        if fired.is_ready() {
            self.armed = None;
        }
        fired
    }
}

impl Core {
    /// Brings the sending of a message forward as far as it goes: `offset` says how far it is. With `last` the client's
    /// side ends behind it.
    fn poll_send(
        &mut self,
        id: CallId,
        framed: &[u8],
        offset: &mut usize,
        last: bool,
        cx: &Context<'_>,
    ) -> Poll<Result<(), Over>> {
        loop {
            let call = self.calls.get(id);
            match (call.stage, call.key) {
                (Stage::Ended(_), _) => return Poll::Ready(Err(Over)),
                (Stage::Unopened | Stage::Granted, _) => self.open(id),
                (Stage::Open, Some(key)) if *offset < framed.len() || last && !call.request_sent => {
                    call.progress.go_on(self.shared.clock);
                    *offset += self.wire.send(key, &framed[*offset..], last);
                    let whole = *offset == framed.len();
                    self.wake_task();
                    let call = self.calls.get(id);
                    call.request_sent = last && whole;
                    if call.request_sent {
                        call.progress.request_end = self.wire.bytes_put_out();
                        self.unwritten.push_back((call.progress.request_end, id));
                    }
                    if !whole {
                        call.progress.hold(self.wire.shut(key), self.shared.clock.now());
                        self.wait(id, cx);
                        return Poll::Pending;
                    }
                }
                (Stage::Open, _) => return Poll::Ready(Ok(())),
                (Stage::Queued, _) => {
                    self.wait(id, cx);
                    return Poll::Pending;
                }
            }
        }
    }

    /// Ready when the call has ended.
    fn poll_ended(&mut self, id: CallId, cx: &Context<'_>) -> Poll<Ending> {
        if let Stage::Ended(ending) = self.calls.get(id).stage {
            return Poll::Ready(ending);
        }
        self.wait(id, cx);
        Poll::Pending
    }

    fn wait(&mut self, id: CallId, cx: &Context<'_>) {
        let waker = &mut self.calls.get(id).waker;
        match waker {
            Some(waker) => waker.clone_from(cx.waker()),
            None => *waker = Some(cx.waker().clone()),
        }
    }

    /// Gives the call a stream, or a place in the queue for one.
    fn open(&mut self, id: CallId) {
        let stage = self.calls.get(id).stage;
        self.queue.leave(id, stage);
        if self.retired {
            return self.calls.end_unsent(id, self.shared.clock.now());
        }
        if stage != Stage::Granted && self.queue.comes_before(self.wire.free_slots()) {
            return self.enqueue(id);
        }
        let fields = self.calls.get(id).fields();
        match self.wire.open(self.head, fields, id, false) {
            Ok(key) => {
                let call = self.calls.get(id);
                call.key = Some(key);
                call.stage = Stage::Open;
                call.progress.opened(self.shared.clock);
            }
            Err(Blocked::StreamLimit) => self.enqueue(id),
            Err(Blocked::Closing) => {
                self.calls.end_unsent(id, self.shared.clock.now());
                self.wake_task();
            }
        }
    }

    fn enqueue(&mut self, id: CallId) {
        let call = self.calls.get(id);
        call.stage = Stage::Queued;
        call.progress.queued();
        self.queue.enter(id);
        // It may be the first with a deadline, for which the task does not look out yet.
        self.wake_task();
        let wanted = (self.wire.active() + self.queue.len()) as u64;
        let http2 = &mut self.shared.tally.borrow_mut().http2;
        http2.streams_wanted_max = http2.streams_wanted_max.max(wanted);
    }

    /// Wakes calls for which a stream slot has become free.
    fn grant(&mut self) {
        while let Some(id) = self.queue.grant(self.wire.free_slots()) {
            self.calls.get(id).stage = Stage::Granted;
            self.calls.wake(id);
        }
    }

    fn wake_task(&mut self) {
        if let Some(task) = self.task.take() {
            task.wake();
        }
    }

    /// Ends every call, and takes no more.
    fn end(&mut self, ending: Ending, failure: &str) {
        self.retired = true;
        self.queue.clear();
        self.calls.end_all(self.shared.clock.now(), ending, failure);
        self.calls.ready.wake_all();
        self.wake_task();
    }

    /// One turn of the task; ready, with the reason, when the connection has ended.
    fn poll_turn(&mut self, socket: &mut Socket, alarm: &mut DeadlineAlarm, cx: &mut Context<'_>) -> Poll<String> {
        let calls_left = !self.calls.ready.is_empty();
        // First of all, so that what comes for the place of a call is for the call that has it now.
        self.settle();
        if let Err(error) = self.write(socket, cx) {
            return Poll::Ready(describe(&error));
        }
        let read = if calls_left { Ok(true) } else { self.read(socket, cx) };
        self.expire(alarm, cx);
        self.settle();
        if self.ask_whether_alive(cx) == Some(Verdict::Lost) {
            return Poll::Ready("the server did not answer a PING in time".to_owned());
        }
        if self.task_life == Life::Leaving && !self.wire.closing() {
            self.wire.go_away(ErrorCode::NO_ERROR);
        }
        self.calls.ready.wake_portion(self.shared.running.get() == 1);
        match read {
            Ok(more) if more || !self.calls.ready.is_empty() => {
                // Calls that were woken run first; what they put out leaves in one write, in the next turn.
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Ok(_) => {}
            Err(reason) => {
                // Says goodbye, and why, if the socket still takes it.
                let _ = self.write(socket, cx);
                return Poll::Ready(reason);
            }
        }
        if let Err(error) = self.write(socket, cx) {
            return Poll::Ready(describe(&error));
        }
        let nothing_left = self.wire.output().is_empty() && !self.unflushed;
        if self.task_life == Life::Leaving && nothing_left {
            return Poll::Ready("this is the end of the run".to_owned());
        }
        if self.wire.closing() && self.wire.active() == 0 && nothing_left {
            return Poll::Ready("the server sent the connection away".to_owned());
        }
        match &mut self.task {
            Some(task) => task.clone_from(cx.waker()),
            None => self.task = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// Writes until there is nothing left or the socket takes no more.
    fn write(&mut self, socket: &mut Socket, cx: &mut Context<'_>) -> io::Result<()> {
        if self.wire.output().is_empty() && !self.unflushed {
            return Ok(());
        }
        let mut total = 0;
        while !self.wire.output().is_empty() {
            let Poll::Ready(written) = Pin::new(&mut *socket).poll_write(cx, self.wire.output())? else { break };
            self.wire.wrote(written);
            total += written;
        }
        self.shared.tally.borrow_mut().wire_bytes_sent += total as u64;
        self.note_written();
        self.unflushed = Pin::new(socket).poll_flush(cx)?.is_pending();
        Ok(())
    }

    /// Says to the calls whose request has left when that was: after the write, for all that it took along.
    fn note_written(&mut self) {
        let written = self.wire.bytes_written();
        let mut now = None;
        while let Some(&(end, id)) = self.unwritten.front()
            && end <= written
        {
            self.unwritten.pop_front();
            let progress = &mut self.calls.get(id).progress;
            // A call that has ended meanwhile may have left its place to another.
            if progress.request_end == end {
                progress.written(*now.get_or_insert_with(|| self.shared.clock.now()));
            }
        }
    }

    /// Reads what has come; whether anything has. The error is the reason why the connection has ended.
    fn read(&mut self, socket: &mut Socket, cx: &mut Context<'_>) -> Result<bool, String> {
        let Core { wire, calls, keepalive, shared, .. } = self;
        let mut buffer = shared.read_buffer.borrow_mut();
        let mut times = shared.streams.borrow_mut();
        let mut progress = false;
        for _ in 0..READS_PER_TURN {
            let mut read = ReadBuf::new(&mut buffer);
            match Pin::new(&mut *socket).poll_read(cx, &mut read) {
                Poll::Pending => break,
                Poll::Ready(Err(error)) => return Err(describe(&error)),
                Poll::Ready(Ok(())) if read.filled().is_empty() => return Err("the server closed it".to_owned()),
                Poll::Ready(Ok(())) => progress = true,
            }
            let read_at = Instant::now();
            if let Some(keepalive) = keepalive {
                keepalive.heard(read_at);
            }
            let now = shared.clock.offset(read_at);
            shared.tally.borrow_mut().wire_bytes_received += read.filled().len() as u64;
            wire.receive(read.filled(), &mut |event| calls.apply(event, now, &mut times))
                .map_err(|fault| fault.to_string())?;
        }
        Ok(progress)
    }

    /// Ends calls whose deadline is over.
    fn expire(&mut self, alarm: &mut DeadlineAlarm, cx: &mut Context<'_>) {
        while alarm.poll(self.calls.next_deadline(), cx).is_ready() {
            let Core { calls, queue, shared, .. } = self;
            calls.expire(shared.clock.now(), |id, stage| queue.leave(id, stage));
        }
    }

    /// Sends a PING if that is called for.
    fn ask_whether_alive(&mut self, cx: &mut Context<'_>) -> Option<Verdict> {
        let idle = self.wire.active() == 0;
        let Poll::Ready(verdict) = self.keepalive.as_mut()?.poll(idle, cx) else { return None };
        if verdict == Verdict::Ask {
            self.wire.ping(*b"alive?  ");
            // Sets the alarm for the answer.
            cx.waker().wake_by_ref();
        }
        Some(verdict)
    }

    /// Resets the streams of calls that ended early, lets calls go on whose messages found no room, and gives out
    /// stream slots that have become free.
    fn settle(&mut self) {
        let Core { wire, calls, .. } = self;
        for (key, code) in calls.take_resets() {
            wire.reset(key, code);
        }
        while let Some(id) = wire.take_writable() {
            calls.wake(id);
        }
        self.grant();
    }
}

fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionReset => "the server reset it".to_owned(),
        io::ErrorKind::BrokenPipe => "the server closed it".to_owned(),
        io::ErrorKind::UnexpectedEof => "the server closed it without ending TLS".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::LocalRuntime;
    use tokio::task::yield_now;

    use super::*;

    #[test]
    fn a_task_that_panics_is_told_of() {
        let shared = Shared::new();
        LocalRuntime::new().unwrap().block_on(async {
            shared.spawn(yield_now());
            shared.spawn(async {
                yield_now().await;
                panic!("a bug of ours");
            });
            shared.broken().await;
        });
    }
}
