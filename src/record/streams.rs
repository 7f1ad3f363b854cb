//! What happens inside streams: times between messages, and what the messages had to wait for.

use super::Distribution;

/// Times and counts of streaming calls. Times in nanoseconds.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct StreamTimes {
    /// From the start of a call to the end of the first message of the answer.
    pub first_message: Distribution,
    /// From the end of a message of the answer to the end of the next one.
    pub gap: Distribution,
    /// From sending a message to the end of the reply to it, where messages and replies match one to one, in order.
    pub round_trip: Distribution,
    /// How late messages left that were due at a planned instant within their stream.
    pub message_lag: Distribution,
    /// How long a call's messages waited for flow control, for each call that had to.
    pub blocked: Distribution,
    /// Messages of the answer, for each call that ended; a count, not a time.
    pub messages_received: Distribution,
    /// Messages sent, for each call that ended; a count, not a time.
    pub messages_sent: Distribution,
    /// Calls that the client ended as planned, by count or duration, before the server did.
    pub ended_by_client: u64,
    /// Calls whose replies did not match their messages one to one, so that the round trips are not to be trusted.
    pub unmatched: u64,
}

impl StreamTimes {
    /// Without values, and with the memory for those that all streams have or may have: the first ones don't wait for it.
    pub fn with_room() -> StreamTimes {
        let times = Distribution::with_room;
        StreamTimes {
            first_message: times(),
            gap: times(),
            round_trip: times(),
            message_lag: times(),
            messages_received: times(),
            messages_sent: times(),
            ..StreamTimes::default()
        }
    }

    /// Adds all that `other` holds.
    pub fn merge(&mut self, other: &StreamTimes) {
        self.first_message.merge(&other.first_message);
        self.gap.merge(&other.gap);
        self.round_trip.merge(&other.round_trip);
        self.message_lag.merge(&other.message_lag);
        self.blocked.merge(&other.blocked);
        self.messages_received.merge(&other.messages_received);
        self.messages_sent.merge(&other.messages_sent);
        self.ended_by_client += other.ended_by_client;
        self.unmatched += other.unmatched;
    }
}
