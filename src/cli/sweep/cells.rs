//! The runs of a sweep, one after the other.

use std::sync::mpsc;
use std::thread;

use tokio::sync::watch;

use super::folder::Folder;
use super::task::Task;
use crate::cli::diagnose;
use crate::cli::run::{caught, find_security, record, without_report};
use crate::cli::settle::settle;
use crate::drive::Stop;
use crate::error::{Error, Problems};
use crate::record::EndReason;
use crate::report::Report;
use crate::sweep::Cell;
use crate::transport::Security;
use crate::units::Nanos;

/// How the cells of a sweep went.
#[derive(Default, Debug)]
pub(super) struct Went {
    /// Cells of targets that could not be reached, and why.
    pub(super) unreachable: Vec<(Cell, String)>,
    /// Someone did not want to wait for all of them.
    pub(super) interrupted: bool,
    /// Workers that panicked.
    pub(super) workers_lost: u32,
}

/// The cells that are not finished.
pub(super) struct Cells<'a> {
    task: &'a Task,
    folder: &'a Folder,
    /// The run that an interrupt stops.
    current: watch::Sender<Stop>,
    /// Tells of an interrupt; `None` if that ends the process.
    interrupts: Option<mpsc::Receiver<()>>,
    /// What the targets speak, as far as that was found out.
    spoken: Vec<Option<Security>>,
    /// What has been said once.
    said: Vec<String>,
}

/// What came of a cell.
enum Done {
    Finished(Box<Report>),
    Interrupted,
}

impl<'a> Cells<'a> {
    pub(super) fn new(task: &'a Task, folder: &'a Folder) -> Cells<'a> {
        let current = watch::Sender::new(Stop::default());
        let interrupts = caught().and_then(|interrupts| match interrupts.stop_current(current.subscribe()) {
            Ok(told) => Some(told),
            Err(error) => {
                without_report(&error);
                None
            }
        });
        Cells { task, folder, current, interrupts, spoken: task.spoken.clone(), said: Vec::new() }
    }

    /// Runs the cells that have no report yet.
    pub(super) fn run(mut self) -> Result<Went, Problems> {
        let grid = &self.task.grid;
        let cells = grid.cells();
        let missing: Vec<(usize, Cell)> =
            cells.iter().copied().enumerate().filter(|(_, cell)| !self.folder.has(&grid.file_name(*cell))).collect();
        if missing.len() < cells.len() {
            let finished = cells.len() - missing.len();
            diagnose::note(&format!("{finished} of {} cells are finished already", cells.len()));
        }
        let mut went = Went::default();
        for (turn, (number, cell)) in missing.into_iter().enumerate() {
            if turn > 0 && self.is_interrupted_in_rest() {
                went.interrupted = true;
                break;
            }
            let title = format!("{} of {}: {}", number + 1, cells.len(), grid.title(cell));
            match self.cell(cell, &title) {
                Ok(Done::Finished(report)) => {
                    went.workers_lost += report.workers_lost;
                    diagnose::say(&format!("{title}: {}\n", told(&report)));
                }
                Ok(Done::Interrupted) => {
                    went.interrupted = true;
                    break;
                }
                Err(problems) if problems.iter().all(|error| matches!(error, Error::Connect(_))) => {
                    let why = problems.to_string();
                    diagnose::say(&format!("{title}: unreachable: {}\n", why.lines().next().unwrap_or_default()));
                    went.unreachable.push((cell, why));
                }
                Err(problems) => return Err(problems),
            }
        }
        if went.interrupted {
            let finished = cells.iter().filter(|cell| self.folder.has(&grid.file_name(**cell))).count();
            let of = cells.len();
            diagnose::note(&format!(
                "interrupted with {finished} of {of} cells finished; the same command goes on with the others"
            ));
        }
        Ok(went)
    }

    fn cell(&mut self, cell: Cell, title: &str) -> Result<Done, Problems> {
        let stop = Stop::default();
        // Before the question whether there was an interrupt: one that comes after it finds this run.
        self.current.send_replace(stop.clone());
        if self.was_interrupted() {
            return Ok(Done::Interrupted);
        }
        let mut test = settle(&self.task.args(cell, self.spoken[cell.target]))?;
        for text in test.notes {
            if !self.said.contains(&text) {
                diagnose::note(&text);
                self.said.push(text);
            }
        }
        find_security(&mut test.plan, &mut test.about, None)?;
        self.spoken[cell.target] = Some(test.plan.target.security);
        // Tables need no single calls, and a folder of many cells would be much larger with them.
        test.plan.details = 0;
        let (recording, watched) = record(&test.plan, &test.about, &stop, test.wanted, Some(title))?;
        watched?;
        if recording.end_reason == EndReason::Interrupt {
            return Ok(Done::Interrupted);
        }
        let report = Report::new(&recording, &test.plan, &test.about);
        self.folder.keep(&self.task.grid.file_name(cell), &report)?;
        Ok(Done::Finished(Box::new(report)))
    }

    /// Rests until the next cell.
    fn is_interrupted_in_rest(&self) -> bool {
        let Some(interrupts) = &self.interrupts else {
            thread::sleep(self.task.rest);
            return false;
        };
        interrupts.recv_timeout(self.task.rest).is_ok()
    }

    fn was_interrupted(&self) -> bool {
        self.interrupts.as_ref().is_some_and(|interrupts| interrupts.try_recv().is_ok())
    }
}

/// What came of a run, in a few words.
fn told(report: &Report) -> String {
    let counts = &report.counts;
    let failed = if counts.failed > 0 { format!(", {} failed", counts.failed) } else { String::new() };
    let times = report.times.headline();
    let times = if times.is_empty() { String::new() } else { format!(", p99 {}", Nanos(times.quantile(0.99))) };
    format!("{} OK{failed}, {:.2}/s{times}, {}", counts.ok, report.throughput, report.verdict)
}
