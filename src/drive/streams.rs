//! Streaming calls of all three kinds: the script of their messages.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::caller::{Caller, Outcome, Seat, Sent};
use super::contents::{Contents, Feed};
use super::watching::{KeptReply, Replies};
use crate::load::Arrival;
use crate::plan::Streams;
use crate::schema::Kind;
use crate::transport::{ClientCall, Form, Over, Shared};

/// A bidirectional stream whose client has ended its side by duration may be one that the server never ends, such as a
/// subscription: after this long the client ends it altogether.
const GRACE: Duration = Duration::from_secs(1);

/// Streaming calls over a connection.
pub(super) struct StreamCaller {
    seat: Seat,
    shared: Rc<Shared>,
    kind: Kind,
    streams: Streams,
    /// Who wants to see answers.
    replies: Option<Replies>,
}

impl StreamCaller {
    pub(super) fn new(
        seat: Seat,
        shared: Rc<Shared>,
        kind: Kind,
        streams: Streams,
        replies: Option<Replies>,
    ) -> StreamCaller {
        StreamCaller { seat, shared, kind, streams, replies }
    }

    fn form(&self, measured: bool, replies: Option<&Replies>) -> Form {
        Form {
            many_replies: matches!(self.kind, Kind::ServerStreaming | Kind::Bidi),
            match_replies: self.kind == Kind::Bidi,
            stop_after: self.streams.count.filter(|_| self.kind == Kind::ServerStreaming),
            measured,
            keep: replies.map(|replies| replies.room),
        }
    }
}

impl Caller for StreamCaller {
    fn prepare(&mut self, arrival: Arrival) {
        self.seat.contents.prepare(arrival);
    }

    async fn call(&mut self, arrival: Arrival) -> Outcome {
        if !self.seat.complete(arrival) {
            return Outcome::Unsent;
        }
        let replies = self.replies.as_ref().filter(|replies| replies.want(arrival));
        let form = self.form(arrival.measured, replies);
        let Seat { connection, contents, failure, .. } = &mut self.seat;
        let sent = Instant::now();
        let script = Script {
            contents,
            arrival,
            streams: self.streams,
            start: sent,
            shared: &self.shared,
            sent: Cell::default(),
        };
        let kept = RefCell::default();
        let play = async |call: &ClientCall| {
            let _over = match self.kind {
                Kind::Unary | Kind::ServerStreaming => script.listen(call).await,
                Kind::ClientStreaming | Kind::Bidi => script.send(call, form.many_replies).await,
            };
            if form.keep.is_some() {
                call.over().await;
                kept.replace(call.kept().unwrap_or_default());
            }
        };
        let reply = connection.streaming(&form, &contents.fields(arrival), sent, failure, play).await;
        let messages = script.sent.get();
        let outcome = self.seat.outcome(arrival, sent, messages, &reply);
        if let (Some(replies), Outcome::Sent(sample)) = (replies, outcome) {
            let (number, failure) = (arrival.index, self.seat.failure.clone());
            // Nobody listens any more if this fails.
            let _ = replies.to.send(KeptReply { number, sample, failure, kept: kept.into_inner() });
        }
        outcome
    }

    fn failure(&self) -> &str {
        &self.seat.failure
    }
}

/// The client's part in one call.
struct Script<'a> {
    contents: &'a Contents,
    arrival: Arrival,
    streams: Streams,
    start: Instant,
    shared: &'a Shared,
    sent: Cell<Sent>,
}

impl Script<'_> {
    /// Sends one message and listens, no longer than the client wants to.
    async fn listen(&self, call: &ClientCall) -> Result<(), Over> {
        self.begin();
        let message = self.contents.messages(self.arrival).get(0).ok_or(Over)?;
        let end = self.streams.duration.map(|duration| self.start + duration);
        end_at(end, call, self.send_one(call, message, true)).await
    }

    /// Sends messages as planned, then ends the client's side. A stream of many replies that goes on when its time is long
    /// over is ended altogether, be it that the server never ends it, or that it does not take what is sent.
    async fn send(&self, call: &ClientCall, many_replies: bool) -> Result<(), Over> {
        self.begin();
        let end = self.streams.duration.map(|duration| self.start + duration);
        end_at(end.filter(|_| many_replies).map(|end| end + GRACE), call, self.send_until(call, end)).await
    }

    /// Sends messages as planned, none from `end` on, and ends the client's side.
    async fn send_until(&self, call: &ClientCall, end: Option<Instant>) -> Result<(), Over> {
        let mut feed = self.contents.feed(self.arrival);
        let count = self.count(&feed);
        let mut time_over = std::pin::pin!(reach(end));
        let mut finished = false;
        for number in 0..count {
            made(call, number, feed.prepare(number))?;
            let due = self.start + self.streams.interval * number;
            if !self.streams.interval.is_zero() {
                wait_until(call, end.map_or(due, |end| due.min(end))).await?;
            }
            if end.is_some_and(|end| Instant::now() >= end) {
                break;
            }
            if !self.streams.interval.is_zero() && self.arrival.measured {
                self.shared.message_lag(Instant::now().saturating_duration_since(due));
            }
            made(call, number, feed.complete(number))?;
            let Some(message) = feed.message(number) else { break };
            finished = number + 1 == count;
            self.send_one(call, message, finished).await?;
            if self.streams.ping_pong {
                tokio::select! {
                    biased;
                    replied = call.received(self.sent.get().count) => replied?,
                    () = &mut time_over => {}
                }
            }
        }
        if finished { Ok(()) } else { call.finish().await }
    }

    /// How many messages are sent: as many as asked for, or once all that there are. Messages that are made one by one
    /// go on for as long as the call is to send.
    fn count(&self, feed: &Feed<'_>) -> u32 {
        match (self.streams.count, self.streams.duration) {
            (Some(count), _) => count,
            (None, Some(_)) if feed.is_endless() => u32::MAX,
            (None, _) => u32::try_from(feed.len()).unwrap_or(u32::MAX),
        }
    }

    /// What an earlier attempt has sent, which the server did not process, is not part of the call.
    fn begin(&self) {
        self.sent.set(Sent::default());
    }

    async fn send_one(&self, call: &ClientCall, framed: &[u8], last: bool) -> Result<(), Over> {
        self.sent.set(self.sent.get().and(framed));
        call.send(framed, last).await
    }
}

/// Sends, and ends the whole call at `end`, if there is one and the call has not ended by then.
async fn end_at(
    end: Option<Instant>,
    call: &ClientCall,
    sending: impl Future<Output = Result<(), Over>>,
) -> Result<(), Over> {
    let Some(end) = end else { return sending.await };
    let to_the_end = async {
        sending.await?;
        call.over().await;
        Err(Over)
    };
    tokio::select! {
        biased;
        over = to_the_end => over,
        () = sleep_until(end) => {
            call.end();
            Ok(())
        }
    }
}

/// Waits until `end`, if there is one.
async fn reach(end: Option<Instant>) {
    match end {
        Some(end) => sleep_until(end).await,
        None => std::future::pending().await,
    }
}

/// Waits until `due`, or with an error until the call is over.
async fn wait_until(call: &ClientCall, due: Instant) -> Result<(), Over> {
    tokio::select! {
        biased;
        () = call.over() => Err(Over),
        () = sleep_until(due) => Ok(()),
    }
}

/// Ends the call if its message `number` could not be made.
fn made(call: &ClientCall, number: u32, made: Result<(), String>) -> Result<(), Over> {
    made.map_err(|reason| {
        call.fail(format_args!("message {} could not be made: {reason}", number + 1));
        Over
    })
}
