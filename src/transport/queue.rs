//! Calls that wait for a stream, because the server allows no more at a time.

use std::collections::VecDeque;

use super::calls::{CallId, Stage};

/// The calls of a session without a stream, and the stream slots that are held for some of them.
#[derive(Default, Debug)]
pub(super) struct Queue {
    /// In the order in which they came.
    waiting: VecDeque<CallId>,
    /// Slots held for calls that were woken to take them.
    granted: usize,
}

impl Queue {
    /// Whether of `free` slots none is for a call that has just come: they belong first to those that were granted one, then
    /// to those that wait.
    pub(super) fn comes_before(&self, free: usize) -> bool {
        !self.waiting.is_empty() || self.granted > 0 && free <= self.granted
    }

    pub(super) fn enter(&mut self, id: CallId) {
        self.waiting.push_back(id);
    }

    /// The next that a slot is granted to, of `free` ones.
    pub(super) fn grant(&mut self, free: usize) -> Option<CallId> {
        if free <= self.granted {
            return None;
        }
        let id = self.waiting.pop_front()?;
        self.granted += 1;
        Some(id)
    }

    /// A call at `stage` no longer waits: it takes the slot it was granted, or gives its place up.
    pub(super) fn leave(&mut self, id: CallId, stage: Stage) {
        match stage {
            Stage::Queued => self.waiting.retain(|waiting| *waiting != id),
            Stage::Granted => self.granted -= 1,
            Stage::Unopened | Stage::Open | Stage::Ended(_) => {}
        }
    }

    /// How many there are, with those that were granted a slot.
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.granted
    }

    /// Those that wait, taken out.
    pub(super) fn take_waiting(&mut self) -> impl Iterator<Item = CallId> {
        self.waiting.drain(..)
    }

    pub(super) fn clear(&mut self) {
        *self = Queue::default();
    }
}
