//! The form of a call: how many messages it takes each way, and what is measured of them.

use std::collections::VecDeque;

use super::calls::Ending;
use super::kept::Kept;
use crate::record::StreamTimes;
use crate::units::Offset;

/// So many messages may wait for their replies; a server that leaves more unanswered does not reply one by one.
const UNANSWERED_MAX: usize = 65_536;

/// The form of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// The answer has any number of messages, not exactly one.
    pub many_replies: bool,
    /// Messages and replies match one to one, in order, so that round trips can be told.
    pub match_replies: bool,
    /// The client ends the call when so many messages of the answer have come.
    pub stop_after: Option<u32>,
    /// What happens within it is recorded: it does not belong to a warm-up.
    pub measured: bool,
    /// So many bytes of the answer are kept for a reader.
    pub keep: Option<usize>,
}

/// What is kept of a call whose messages are measured one by one.
#[derive(Debug)]
pub(super) struct Stream {
    form: Form,
    start: Offset,
    last_message: Option<Offset>,
    /// When the messages were sent that have no reply yet.
    unanswered: VecDeque<Offset>,
    /// Replies to nothing came.
    unmatched: bool,
    pub(super) messages_sent: u32,
    /// What is kept of the answer, if anything is.
    pub(super) kept: Option<Kept>,
}

impl Stream {
    pub(super) fn new(form: Form, start: Offset) -> Stream {
        Stream {
            form,
            start,
            last_message: None,
            unanswered: VecDeque::new(),
            unmatched: false,
            messages_sent: 0,
            kept: form.keep.map(Kept::with_room),
        }
    }

    pub(super) fn many_replies(&self) -> bool {
        self.form.many_replies
    }

    /// Whether the client ends the call after `messages` messages of the answer.
    pub(super) fn stops_after(&self, messages: u32) -> bool {
        self.form.stop_after.is_some_and(|stop_after| messages >= stop_after)
    }

    /// A message begins to be sent.
    pub(super) fn message_sent(&mut self, now: Offset) {
        self.messages_sent = self.messages_sent.saturating_add(1);
        if !self.form.match_replies || !self.form.measured {
            return;
        }
        if self.unanswered.len() < UNANSWERED_MAX {
            self.unanswered.push_back(now);
        } else {
            self.form.match_replies = false;
            self.unmatched = true;
            self.unanswered = VecDeque::new();
        }
    }

    /// A message of the answer is complete.
    pub(super) fn message_came(&mut self, now: Offset, times: &mut StreamTimes) {
        if !self.form.measured {
            return;
        }
        match self.last_message.replace(now) {
            None => times.first_message.record(now.since(self.start)),
            Some(last) => times.gap.record(now.since(last)),
        }
        if self.form.match_replies {
            match self.unanswered.pop_front() {
                Some(sent) => times.round_trip.record(now.since(sent)),
                None => self.unmatched = true,
            }
        }
    }

    /// The call has ended, with `messages` messages in its answer; flow control has held its own messages back for
    /// `held_ns`. Only what an end says that was the server's or the client's plan is of interest.
    pub(super) fn end(&self, ending: Ending, messages: u32, held_ns: u64, times: &mut StreamTimes) {
        match ending {
            _ if !self.form.measured => return,
            Ending::Status(_) => {}
            Ending::ByClient => times.ended_by_client += 1,
            Ending::NotProcessed | Ending::NotSent | Ending::Abandoned => return,
        }
        times.messages_sent.record(self.messages_sent.into());
        times.messages_received.record(messages.into());
        if held_ns > 0 {
            times.blocked.record(held_ns);
        }
        if self.unmatched || self.form.match_replies && messages != self.messages_sent {
            times.unmatched += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_messages_without_replies_is_bounded() {
        let form = Form { many_replies: true, match_replies: true, stop_after: None, measured: true, keep: None };
        for (sent, round_trips, unmatched) in [(UNANSWERED_MAX, 1, 0), (UNANSWERED_MAX + 1, 0, 1)] {
            let now = Offset::ZERO;
            let (mut stream, mut times) = (Stream::new(form, now), StreamTimes::with_room());
            (0..sent).for_each(|_| stream.message_sent(now));
            assert!(stream.unanswered.len() <= UNANSWERED_MAX);
            stream.message_came(now, &mut times);
            stream.end(Ending::Status(0), stream.messages_sent, 0, &mut times);
            assert_eq!((times.round_trip.count(), times.unmatched), (round_trips, unmatched));
        }
    }
}
