//! `grpcbench sweep`: runs for several targets under several loads, one after the other, and what they say side by side.
//!
//! What is swept (`task`) is a grid of runs (`cells`); each one that has ended has its report in a folder (`folder`), from
//! which the tables are made, so that it makes no difference in how many goes a sweep was run.

mod cells;
mod folder;
mod task;

use std::ffi::OsString;

use clap::{Arg, ArgMatches, Command};

use self::cells::{Cells, Went};
use self::folder::Folder;
use self::task::Task;
use super::Exit;
use super::args::SweepArgs;
use super::diagnose;
use super::layers::{Layered, Refused};
use crate::error::Problems;
use crate::export::write_sweep;
use crate::report::Verdict;
use crate::sweep::{Outcome, Results};

/// Sweeps with the flags of all layers. `matches` is what the parser made of the words behind `sweep`.
pub(super) fn sweep(command: &Command, words: &[OsString], matches: &ArgMatches) -> Result<Exit, Refused> {
    let mut whole = command.clone();
    whole.build();
    let own = whole.find_subcommand("sweep").expect("it is one of the commands");
    let layered: Layered<SweepArgs> = Layered::new(own, &words[1..], matches, std::env::vars_os())?;
    for text in &layered.notes {
        diagnose::note(text);
    }
    carry_out(&layered).map_err(|problems| layered.place(problems).into())
}

fn carry_out(layered: &Layered<SweepArgs>) -> Result<Exit, Problems> {
    let task = Task::settle(&layered.args)?;
    let folder = Folder::open(&task.dir, &task.described(&layered.matches))?;
    let went = Cells::new(&task, &folder).run()?;
    let results = Results::new(task.grid.clone(), outcomes(&task, &folder, &went)?);
    let exit = exit(&results, &went, layered.args.run.strict);
    match task.place.put(|out| write_sweep(&results, task.format, out)) {
        Ok(()) => Ok(exit),
        Err(error) => {
            diagnose::show(&error.into());
            Ok(if exit == Exit::Fine { Exit::Failed } else { exit })
        }
    }
}

/// What came of the cells that have been run, now or before.
fn outcomes(task: &Task, folder: &Folder, went: &Went) -> Result<Vec<Outcome>, Problems> {
    let mut outcomes = Vec::new();
    for cell in task.grid.cells() {
        let why = went.unreachable.iter().find(|(unreachable, _)| *unreachable == cell).map(|(_, why)| why.clone());
        let file = task.grid.file_name(cell);
        let figures = if folder.has(&file) { Some(Ok(folder.figures(&file)?)) } else { why.map(Err) };
        outcomes.extend(figures.map(|figures| Outcome { cell, figures }));
    }
    Ok(outcomes)
}

fn exit(results: &Results, went: &Went, strict: bool) -> Exit {
    let figures = || results.outcomes().iter().filter_map(|outcome| outcome.figures.as_ref().ok());
    if went.workers_lost > 0 {
        Exit::Bug
    } else if went.interrupted {
        Exit::Interrupted
    } else if !went.unreachable.is_empty() {
        Exit::Unreachable
    } else if figures().any(|figures| figures.status("OK") == 0) {
        Exit::Failed
    } else if strict && figures().any(|figures| figures.verdict != Verdict::Valid) {
        Exit::Doubted
    } else {
        Exit::Fine
    }
}

/// The flags of a run that have several values in a sweep, or another default.
pub(super) fn with_lists(command: Command) -> Command {
    let with_list = |arg: Arg| {
        match arg.get_id().as_str() {
        "rps" => arg
            .value_name("RATE,..")
            .help("Open loop at each of these rates: 10,25,50; 0 is a closed loop [default: no rate: closed loop]"),
        "concurrency" => arg.value_name("COUNT,..").help(
            "Closed loop: with each of these numbers of callers: 2,10,25. Open loop: the most calls in flight [default: 50]",
        ),
        "warmup" => arg.help(
            "First make calls that are not counted, in each cell: for a time (2s), or a number of them (500); 0 for none \
             [default: 1s]",
        ),
        "format" => arg.help("The tables at the end: text, markdown, csv, json or html [default: text]"),
        "output" => arg.help("Write the tables to a file [default: standard output]"),
        _ => arg,
    }
    };
    command.mut_args(with_list)
}
