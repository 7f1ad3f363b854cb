//! What is shown on standard error while a run goes on: a view on a terminal, which is gone at the end, or a line now and then.
//!
//! A thread of its own looks at the run and writes; the run does not wait for it, and neither does a terminal that stands
//! still hold up a call.

mod progress;
mod screen;
mod view;

use std::collections::VecDeque;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use self::progress::{Goal, Progress};
use self::screen::Screen;
use super::args::RunArgs;
use super::diagnose;
use super::values::{invalid, time};
use crate::drive::Live;
use crate::error::UsageError;
use crate::plan::Plan;
use crate::record::Glance;
use crate::units::Offset;

pub(super) use self::screen::above;

/// How often the view is drawn: four times a second is quick for the eye and nothing for the machine.
const FRAME: Duration = Duration::from_millis(250);
/// What the view says of "now" is about this time.
const NOW: Duration = Duration::from_secs(1);
/// Lines are no closer than that.
const LINES_MIN: Duration = Duration::from_millis(100);

/// How a run is shown.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Showing {
    /// By a view, if standard error is a terminal.
    #[default]
    Terminal,
    /// By a line each time.
    Lines(Duration),
    /// Not at all.
    Nothing,
}

impl Showing {
    /// What the flags say.
    pub(super) fn of(args: &RunArgs) -> Result<Showing, UsageError> {
        match time("--live", args.live.as_deref())? {
            _ if args.no_live => Ok(Showing::Nothing),
            None => Ok(Showing::Terminal),
            Some(Duration::ZERO) => Ok(Showing::Nothing),
            Some(every) if every >= LINES_MIN => Ok(Showing::Lines(every)),
            Some(_) => Err(invalid(
                "--live",
                args.live.as_deref().unwrap_or_default(),
                "it is 0 for nothing, or from 100ms on",
            )),
        }
    }
}

/// A run that is shown, until this is dropped.
pub(super) struct Shown {
    live: Live,
    end: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Shown {
    /// Begins to show the run of `plan`, which `title` tells from others. `None` if there is nothing to show it on.
    pub(super) fn start(showing: Showing, plan: &Plan, title: Option<&str>) -> Option<Shown> {
        let live = Live::default();
        let mut glances = Glances { live: live.clone(), goal: Goal::of(plan), seen: VecDeque::new() };
        let (end, ended) = mpsc::channel();
        let title = title.map(str::to_owned);
        let show: Box<dyn FnOnce() + Send> = match showing {
            Showing::Nothing => return None,
            Showing::Lines(every) => Box::new(move || lines(&mut glances, every, &ended)),
            Showing::Terminal => {
                let screen = Screen::of_stderr()?;
                Box::new(move || draw(&mut glances, &screen, title.as_deref(), &ended))
            }
        };
        let thread = thread::Builder::new().name("live view".to_owned()).spawn(show).ok()?;
        Some(Shown { live, end: Some(end), thread: Some(thread) })
    }

    /// With what the run is looked at.
    pub(super) fn live(&self) -> &Live {
        &self.live
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        drop(self.end.take());
        // If it panicked it has said so.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Draws the view until the run has ended.
fn draw(glances: &mut Glances, screen: &Screen, title: Option<&str>, ended: &mpsc::Receiver<()>) {
    while ended.recv_timeout(FRAME) == Err(RecvTimeoutError::Timeout) {
        let size = screen.size();
        let progress = glances.look(NOW);
        screen.draw(&view::block(title, progress.as_ref(), size, screen.has_colours()));
    }
    screen.erase();
}

/// Writes a line each time until the run has ended.
fn lines(glances: &mut Glances, every: Duration, ended: &mpsc::Receiver<()>) {
    while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
        if let Some(progress) = glances.look(every) {
            diagnose::say(&format!("{}\n", view::line(&progress)));
        }
    }
}

/// Looks at a run again and again.
struct Glances {
    live: Live,
    goal: Goal,
    /// Oldest first.
    seen: VecDeque<Glance>,
}

impl Glances {
    /// How the run is getting on, with what happened in the last `window`; `None` before its clock has started.
    fn look(&mut self, window: Duration) -> Option<Progress> {
        let now = self.live.glance()?;
        let began = || Glance::new(Offset::ZERO, None);
        // Half a frame is the tolerance for a thread that is woken late.
        let window = window.saturating_sub(FRAME / 2).as_nanos();
        while self.seen.get(1).is_some_and(|next| u128::from(now.at.since(next.at)) >= window) {
            self.seen.pop_front();
        }
        let progress = Progress::new(&self.goal, self.seen.front().unwrap_or(&began()), &now);
        self.seen.push_back(now);
        Some(progress)
    }
}
