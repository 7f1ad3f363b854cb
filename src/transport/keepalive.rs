//! Asks a server that has been silent for a while whether it is still there (RFC 9113, section 6.7).

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// What is to be done about the silence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// Send a PING.
    Ask,
    /// The last PING was not answered in time, and nothing else came.
    Lost,
}

/// The silence on one connection.
#[derive(Debug)]
pub(super) struct KeepAlive {
    /// So long a silence may be, and so long an answer may take.
    patience: Duration,
    sleep: Pin<Box<Sleep>>,
    heard: Instant,
    asked: Option<Instant>,
}

impl KeepAlive {
    pub(super) fn new(patience: Duration) -> KeepAlive {
        let now = Instant::now();
        KeepAlive { patience, sleep: Box::pin(sleep_until(now + patience)), heard: now, asked: None }
    }

    /// Something came.
    pub(super) fn heard(&mut self, now: Instant) {
        self.heard = now;
    }

    /// Ready when something is to be done; the task is woken when that may be so. A connection that is `idle` is left
    /// in peace.
    pub(super) fn poll(&mut self, idle: bool, cx: &mut Context<'_>) -> Poll<Verdict> {
        loop {
            if self.sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            let now = Instant::now();
            // Whatever comes after the question is an answer.
            let unanswered = self.asked.is_some_and(|asked| self.heard < asked);
            if unanswered {
                return Poll::Ready(Verdict::Lost);
            }
            self.asked = None;
            let silent = now >= self.heard + self.patience;
            let next = if silent { now + self.patience } else { self.heard + self.patience };
            self.sleep.as_mut().reset(next);
            if silent && !idle {
                self.asked = Some(now);
                return Poll::Ready(Verdict::Ask);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    async fn verdict(alive: &mut KeepAlive, idle: bool) -> (u128, Verdict) {
        let start = Instant::now();
        let verdict = poll_fn(|cx| alive.poll(idle, cx)).await;
        (start.elapsed().as_millis(), verdict)
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_asked_about_and_then_final() {
        let mut alive = KeepAlive::new(Duration::from_secs(2));
        tokio::time::advance(Duration::from_secs(1)).await;
        alive.heard(Instant::now());
        assert_eq!(verdict(&mut alive, false).await, (2000, Verdict::Ask));
        tokio::time::advance(Duration::from_millis(500)).await;
        alive.heard(Instant::now());
        assert_eq!(verdict(&mut alive, false).await, (2000, Verdict::Ask), "since something was heard");
        assert_eq!(verdict(&mut alive, false).await, (2000, Verdict::Lost));
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_calls_is_left_in_peace() {
        let mut alive = KeepAlive::new(Duration::from_secs(2));
        let waited = tokio::time::timeout(Duration::from_secs(60), verdict(&mut alive, true)).await;
        assert!(waited.is_err());
        assert_eq!(verdict(&mut alive, false).await, (2000, Verdict::Ask));
    }
}
