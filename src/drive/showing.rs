//! Unary calls of which the first have their answers kept. All others are made as if nobody wanted to see any.

use super::caller::{Caller, Outcome, UnaryCaller};
use super::streams::StreamCaller;
use super::watching::Replies;
use crate::load::Arrival;

/// Unary calls, the first of them as streams with one message each way, which keep what comes.
pub(super) struct ShowingCaller {
    replies: Replies,
    shown: StreamCaller,
    others: UnaryCaller,
    last_was_shown: bool,
}

impl ShowingCaller {
    /// `shown` keeps the answers that `replies` wants.
    pub(super) fn new(replies: Replies, shown: StreamCaller, others: UnaryCaller) -> ShowingCaller {
        ShowingCaller { replies, shown, others, last_was_shown: false }
    }
}

impl Caller for ShowingCaller {
    fn prepare(&mut self, arrival: Arrival) {
        self.last_was_shown = self.replies.want(arrival);
        if self.last_was_shown { self.shown.prepare(arrival) } else { self.others.prepare(arrival) }
    }

    async fn call(&mut self, arrival: Arrival) -> Outcome {
        if self.last_was_shown { self.shown.call(arrival).await } else { self.others.call(arrival).await }
    }

    fn failure(&self) -> &str {
        if self.last_was_shown { self.shown.failure() } else { self.others.failure() }
    }
}
