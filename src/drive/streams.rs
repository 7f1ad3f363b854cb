//! Streaming calls of all three kinds: the script of their messages.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::caller::{Caller, Outcome, Seat, Sent};
use crate::load::Arrival;
use crate::payload::Messages;
use crate::plan::Streams;
use crate::schema::Kind;
use crate::transport::{Form, Over, Shared, StreamCall};

/// A bidirectional stream whose client has ended its side by duration may be one that the server never ends, such as a
/// subscription: after this long the client ends it altogether.
const GRACE: Duration = Duration::from_secs(1);

/// Streaming calls over a connection.
pub(super) struct StreamCaller {
    seat: Seat,
    shared: Rc<Shared>,
    kind: Kind,
    streams: Streams,
}

impl StreamCaller {
    pub(super) fn new(seat: Seat, shared: Rc<Shared>, kind: Kind, streams: Streams) -> StreamCaller {
        StreamCaller { seat, shared, kind, streams }
    }

    fn form(&self) -> Form {
        Form {
            many_replies: matches!(self.kind, Kind::ServerStreaming | Kind::Bidi),
            match_replies: self.kind == Kind::Bidi,
            stop_after: self.streams.count.filter(|_| self.kind == Kind::ServerStreaming),
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
        let form = self.form();
        let Seat { connection, contents, failure, .. } = &mut self.seat;
        let sent = Instant::now();
        let script = Script {
            messages: contents.messages(arrival),
            streams: self.streams,
            start: sent,
            shared: &self.shared,
            sent: Cell::default(),
        };
        let fields = contents.fields(arrival);
        let reply = match self.kind {
            Kind::Unary | Kind::ServerStreaming => {
                let listen = async |call: &StreamCall<'_>| {
                    let _over = script.listen(call).await;
                };
                connection.streaming(form, fields, sent, failure, listen).await
            }
            Kind::ClientStreaming | Kind::Bidi => {
                let speak = async |call: &StreamCall<'_>| {
                    let _over = script.send(call, form.many_replies).await;
                };
                connection.streaming(form, fields, sent, failure, speak).await
            }
        };
        let messages = script.sent.get();
        self.seat.outcome(arrival, sent, messages, &reply)
    }

    fn failure(&self) -> &str {
        &self.seat.failure
    }
}

/// The client's part in one call.
struct Script<'a> {
    messages: Messages<'a>,
    streams: Streams,
    start: Instant,
    shared: &'a Shared,
    sent: Cell<Sent>,
}

impl Script<'_> {
    /// Sends one message and listens, no longer than the client wants to.
    async fn listen(&self, call: &StreamCall<'_>) -> Result<(), Over> {
        self.begin();
        let message = self.messages.get(0).ok_or(Over)?;
        self.send_one(call, message, true).await?;
        if let Some(duration) = self.streams.duration {
            wait_until(call, self.start + duration).await?;
            call.end();
        }
        Ok(())
    }

    /// Sends messages as planned, then ends the client's side.
    async fn send(&self, call: &StreamCall<'_>, many_replies: bool) -> Result<(), Over> {
        self.begin();
        let end = self.streams.duration.map(|duration| self.start + duration);
        let count = self.streams.count.map_or(self.messages.len(), |count| count as usize);
        let mut finished = false;
        for (number, message) in self.messages.iter().cycle().take(count).enumerate() {
            if !self.streams.interval.is_zero() {
                // `number` is below a u32, as the count is.
                let due = self.start + self.streams.interval * u32::try_from(number).unwrap_or(u32::MAX);
                wait_until(call, end.map_or(due, |end| due.min(end))).await?;
                let lag = Instant::now().saturating_duration_since(due);
                self.shared.message_lag(lag);
            }
            if end.is_some_and(|end| Instant::now() >= end) {
                break;
            }
            finished = number + 1 == count;
            self.send_one(call, message, finished).await?;
            if self.streams.ping_pong {
                call.received(self.sent.get().count).await?;
            }
        }
        if !finished {
            call.finish().await?;
        }
        if let Some(end) = end.filter(|_| many_replies) {
            wait_until(call, end + GRACE).await?;
            call.end();
        }
        Ok(())
    }

    /// What an earlier attempt has sent, which the server did not process, is not part of the call.
    fn begin(&self) {
        self.sent.set(Sent::default());
    }

    async fn send_one(&self, call: &StreamCall<'_>, framed: &[u8], last: bool) -> Result<(), Over> {
        self.sent.set(self.sent.get().and(framed));
        call.send(framed, last).await
    }
}

/// Waits until `due`, or with an error until the call is over.
async fn wait_until(call: &StreamCall<'_>, due: Instant) -> Result<(), Over> {
    tokio::select! {
        biased;
        () = call.over() => Err(Over),
        () = sleep_until(due) => Ok(()),
    }
}
