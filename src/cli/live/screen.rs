//! The terminal behind standard error, with a block of lines that is drawn again and again at its lower end.
//!
//! After each drawing the cursor stands at the beginning of the block, so that whatever is printed next takes its place, and
//! a terminal that becomes narrower and breaks lines takes the cursor along with the first of them. All output to
//! standard error goes through [`above`] while a block is there.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// Clears from the cursor to the end of the screen.
const CLEAR_BELOW: &str = "\r\u{1b}[J";

/// Whether there is a block.
static DRAWN: AtomicBool = AtomicBool::new(false);

/// What a terminal has room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// The terminal. Its operations need one, which says that there is a terminal behind standard error.
#[derive(Debug)]
pub(super) struct Screen {
    colours: bool,
}

#[expect(clippy::unused_self, reason = "who has no screen must not draw")]
impl Screen {
    /// The terminal of standard error, if it is one that knows how to move its cursor.
    pub(super) fn of_stderr() -> Option<Screen> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let able = cfg!(unix) && set("TERM").is_some_and(|term| term != "dumb");
        // NO_COLOR: see no-color.org.
        (able && io::stderr().is_terminal()).then(|| Screen { colours: set("NO_COLOR").is_none() })
    }

    pub(super) fn has_colours(&self) -> bool {
        self.colours
    }

    /// Its size as it is now.
    #[cfg(unix)]
    pub(super) fn size(&self) -> Size {
        let size = rustix::termios::tcgetwinsize(io::stderr());
        // A terminal that does not tell is taken for one of the old days.
        let known = size.ok().filter(|size| size.ws_col > 0 && size.ws_row > 0);
        known.map_or(Size { columns: 80, rows: 24 }, |size| Size {
            columns: size.ws_col.into(),
            rows: size.ws_row.into(),
        })
    }

    #[cfg(not(unix))]
    pub(super) fn size(&self) -> Size {
        Size { columns: 80, rows: 24 }
    }

    /// Draws `lines` in the place of the block.
    pub(super) fn draw(&self, lines: &[String]) {
        let mut text = format!("{CLEAR_BELOW}{}\r", lines.join("\r\n"));
        if lines.len() > 1 {
            let _ = write!(text, "\u{1b}[{}A", lines.len() - 1);
        }
        let mut stderr = io::stderr().lock();
        DRAWN.store(true, Ordering::Relaxed);
        let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    }

    /// Takes the block away.
    pub(super) fn erase(&self) {
        above(&mut io::stderr().lock());
    }
}

/// Makes room for what will be written to `stderr`: a block that is there goes, and comes back below.
pub(in crate::cli) fn above(stderr: &mut io::StderrLock<'_>) {
    if DRAWN.swap(false, Ordering::Relaxed) {
        let _ = stderr.write_all(CLEAR_BELOW.as_bytes()).and_then(|()| stderr.flush());
    }
}
