//! Calls that can go on after a read, woken in portions.
//!
//! What woken calls put out leaves when all of them have run. If those of a long read ran together, a server that has
//! answered everything would wait for the last of them, and then the client for the server: neither works while the other
//! does. So the first few run alone and their requests leave, and each further portion is twice as large, which keeps
//! writes few. What was read has been timed before, so portions change no figure of it. Where a worker has several
//! connections, the others give the server something to do.

use std::collections::VecDeque;
use std::task::Waker;

/// The first portion.
const FIRST: usize = 4;

/// So many run together: a write of its own costs more than is won by it.
const TOGETHER: usize = 16;

/// The calls of a session that can go on, in the order in which they were told so.
#[derive(Default, Debug)]
pub(super) struct Ready {
    wakers: VecDeque<Waker>,
    /// The next portion, once the first has been woken.
    next: Option<usize>,
}

impl Ready {
    pub(super) fn push(&mut self, waker: Option<Waker>) {
        self.wakers.extend(waker);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.wakers.is_empty()
    }

    /// Wakes the next portion; all, unless the session is `alone` on its worker.
    pub(super) fn wake_portion(&mut self, alone: bool) {
        let left = self.wakers.len();
        let portion = match self.next {
            None if !alone || left <= TOGETHER => left,
            None => FIRST,
            Some(next) => next,
        };
        // A rest that is smaller than the portion goes with it.
        let portion = if left <= 2 * portion { left } else { portion };
        self.wake(portion);
        self.next = (portion < left).then_some(2 * portion);
    }

    pub(super) fn wake_all(&mut self) {
        self.wake(self.wakers.len());
        self.next = None;
    }

    fn wake(&mut self, count: usize) {
        self.wakers.drain(..count).for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of `ready` calls go on at a time.
    fn portions(ready: usize, alone: bool) -> Vec<usize> {
        let mut calls = Ready::default();
        (0..ready).for_each(|_| calls.push(Some(Waker::noop().clone())));
        let mut portions = Vec::new();
        while !calls.is_empty() {
            let before = calls.wakers.len();
            calls.wake_portion(alone);
            portions.push(before - calls.wakers.len());
        }
        portions
    }

    #[test]
    fn portions_double_and_leave_no_small_rest() {
        assert_eq!(portions(17, true), [4, 13]);
        assert_eq!(portions(50, true), [4, 8, 16, 22]);
        assert_eq!(portions(200, true), [4, 8, 16, 32, 64, 76]);
    }

    #[test]
    fn few_calls_go_on_together() {
        assert_eq!(portions(1, true), [1]);
        assert_eq!(portions(16, true), [16]);
    }

    #[test]
    fn all_go_on_where_other_connections_are() {
        assert_eq!(portions(200, false), [200]);
    }

    #[test]
    fn each_read_begins_anew() {
        let mut calls = Ready::default();
        for _ in 0..2 {
            (0..20).for_each(|_| calls.push(Some(Waker::noop().clone())));
            calls.wake_portion(true);
            assert_eq!(calls.wakers.len(), 16);
            calls.wake_all();
            assert!(calls.is_empty());
        }
    }
}
