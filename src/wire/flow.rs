//! Flow-control windows (RFC 9113 section 6.9).

use super::frame::MAX_31;

/// How much we may send. A change of the peer's initial window can make it negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SendWindow(i64);

/// A window would exceed 2^31-1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Overflow;

impl SendWindow {
    /// A window of `size` bytes.
    pub(super) fn new(size: u32) -> SendWindow {
        SendWindow(i64::from(size))
    }

    /// The bytes that may be sent now.
    pub(super) fn room(self) -> usize {
        usize::try_from(self.0).unwrap_or(0)
    }

    /// Counts bytes that were sent, at most [`SendWindow::room`].
    pub(super) fn spend(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.room());
        self.0 -= i64::try_from(bytes).unwrap_or(i64::MAX);
    }

    /// A `WINDOW_UPDATE`.
    pub(super) fn grow(&mut self, by: u32) -> Result<(), Overflow> {
        self.set(self.0 + i64::from(by))
    }

    /// The initial window changed from `old` to `new`.
    pub(super) fn shift(&mut self, old: u32, new: u32) -> Result<(), Overflow> {
        self.set(self.0 - i64::from(old) + i64::from(new))
    }

    fn set(&mut self, size: i64) -> Result<(), Overflow> {
        if size > i64::from(MAX_31) {
            return Err(Overflow);
        }
        self.0 = size;
        Ok(())
    }
}

/// How much the peer may send. Received bytes count as consumed at once, and the window is opened again in large steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct ReceiveWindow {
    /// Bytes received since the window was last full.
    used: u32,
}

impl ReceiveWindow {
    /// Counts `bytes` received under a window of `size`. Errors when the peer sends more than it may.
    pub(super) fn receive(&mut self, bytes: u32, size: u32) -> Result<(), Overflow> {
        if bytes > size - self.used {
            return Err(Overflow);
        }
        self.used += bytes;
        Ok(())
    }

    /// The update that is due: when half of the window is used, all of that.
    pub(super) fn update(&mut self, size: u32) -> Option<u32> {
        let due = self.used > 0 && self.used >= size / 2;
        due.then(|| std::mem::take(&mut self.used))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_send_window_may_become_negative_and_never_exceeds_its_maximum() {
        let mut window = SendWindow::new(100);
        window.spend(80);
        window.shift(100, 10).unwrap();
        assert_eq!((window, window.room()), (SendWindow(-70), 0));
        window.grow(70).unwrap();
        assert_eq!(window.room(), 0);
        window.grow(1).unwrap();
        assert_eq!(window.room(), 1);
        assert_eq!(window.grow(MAX_31), Err(Overflow));
        assert_eq!(window.room(), 1);
        window.grow(MAX_31 - 1).unwrap();
        assert_eq!(window.shift(10, 11), Err(Overflow));
    }

    #[test]
    fn a_receive_window_is_opened_by_halves() {
        let mut window = ReceiveWindow::default();
        assert_eq!(window.update(10), None);
        window.receive(4, 10).unwrap();
        assert_eq!(window.update(10), None);
        window.receive(6, 10).unwrap();
        assert_eq!(window.receive(1, 10), Err(Overflow));
        assert_eq!(window.update(10), Some(10));
        window.receive(10, 10).unwrap();
        let mut least = ReceiveWindow::default();
        least.receive(1, 1).unwrap();
        assert_eq!(least.update(1), Some(1));
    }
}
