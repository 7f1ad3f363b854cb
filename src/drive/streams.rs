//! Streaming calls of all three kinds: the script of their messages.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::caller::{Caller, Outcome};
use super::clock::Clock;
use super::contents::Contents;
use crate::load::Arrival;
use crate::payload::{Messages, payload_bytes};
use crate::plan::Streams;
use crate::record::{End, Sample};
use crate::schema::Kind;
use crate::transport::{Connection, Form, Over, Shared, StreamCall};

/// A bidirectional stream whose client has ended its side by duration may be one that the server never ends, such as a
/// subscription: after this long the client ends it altogether.
const GRACE: Duration = Duration::from_secs(1);

/// Streaming calls over a connection.
pub(super) struct StreamCaller {
    connection: Connection,
    shared: Rc<Shared>,
    contents: Contents,
    kind: Kind,
    streams: Streams,
    clock: Clock,
    failure: String,
}

impl StreamCaller {
    pub(super) fn new(
        connection: Connection,
        shared: Rc<Shared>,
        contents: Contents,
        kind: Kind,
        streams: Streams,
        clock: Clock,
    ) -> StreamCaller {
        StreamCaller { connection, shared, contents, kind, streams, clock, failure: String::new() }
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
        self.contents.prepare(arrival);
    }

    async fn call(&mut self, arrival: Arrival) -> Outcome {
        if let Err(reason) = self.contents.complete(arrival) {
            self.failure = reason;
            return Outcome::Unsent;
        }
        let form = self.form();
        let fields = self.contents.fields(arrival);
        let sent = Instant::now();
        let script = Script {
            messages: self.contents.messages(arrival),
            streams: self.streams,
            start: sent,
            shared: &self.shared,
            bytes_sent: Cell::new(0),
            messages_sent: Cell::new(0),
        };
        let reply = match self.kind {
            Kind::Unary | Kind::ServerStreaming => {
                let listen = async |call: &StreamCall<'_>| {
                    let _over = script.listen(call).await;
                };
                self.connection.streaming(form, fields, sent, &mut self.failure, listen).await
            }
            Kind::ClientStreaming | Kind::Bidi => {
                let speak = async |call: &StreamCall<'_>| {
                    let _over = script.send(call, form.many_replies).await;
                };
                self.connection.streaming(form, fields, sent, &mut self.failure, speak).await
            }
        };
        let sent = self.clock.offset(sent);
        let done = self.clock.offset(reply.done);
        Outcome::Sent(Sample {
            due: arrival.due.unwrap_or(sent),
            sent,
            done,
            phases: reply.phases,
            bytes_received: reply.bytes_received,
            bytes_sent: script.bytes_sent.get(),
            messages_received: reply.messages_received,
            messages_sent: script.messages_sent.get(),
            status: reply.status.unwrap_or(0),
            end: if reply.status.is_some() { End::Done } else { End::Abandoned },
            slot_was_free: true,
        })
    }

    fn failure(&self) -> &str {
        &self.failure
    }
}

/// The client's part in one call.
struct Script<'a> {
    messages: Messages<'a>,
    streams: Streams,
    start: Instant,
    shared: &'a Shared,
    bytes_sent: Cell<u32>,
    messages_sent: Cell<u32>,
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
                call.received(self.messages_sent.get()).await?;
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
        self.bytes_sent.set(0);
        self.messages_sent.set(0);
    }

    async fn send_one(&self, call: &StreamCall<'_>, framed: &[u8], last: bool) -> Result<(), Over> {
        self.messages_sent.set(self.messages_sent.get().saturating_add(1));
        self.bytes_sent.set(self.bytes_sent.get().saturating_add(payload_bytes(framed)));
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
