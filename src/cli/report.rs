//! `grpcbench report`: the report of a run that was stored, or of several runs of one plan together.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use super::Exit;
use super::args::ReportArgs;
use super::diagnose;
use super::output::Outputs;
use super::settle::format;
use super::view;
use crate::error::{Problems, StoredError};
use crate::export::{self, ReadError};
use crate::report::{Details, Run, Unlike};

/// Writes the report of the files that `args` name.
pub(super) fn report(args: &ReportArgs) -> Result<Exit, Problems> {
    let mut problems = Problems::new();
    let runs: Vec<Option<Run>> = args.files.iter().map(|path| problems.keep(read(path))).collect();
    let view = problems.keep(view::view(&args.view));
    let details = problems.keep(view::details(args.view.details.as_deref()));
    let format = problems.keep(format(args.format.as_deref()));
    let outputs =
        format.and_then(|format| problems.keep(Outputs::open(format, args.output.as_deref(), &args.view.out)));
    problems.into_result()?;
    let (Some(runs), Some(view), Some(details), Some(outputs)) =
        (runs.into_iter().collect::<Option<Vec<Run>>>(), view, details, outputs)
    else {
        unreachable!("there were no problems")
    };
    let mut run = Run::merged(runs).map_err(|unlike| unlike_files(args, unlike))?.expect("there is one file at least");
    listed(&mut run, details);
    let written = outputs.write(&run.report().seen(&view));
    Ok(match written {
        Ok(()) => Exit::Fine,
        Err(problems) => {
            diagnose::show(&problems);
            Exit::Failed
        }
    })
}

/// The run that is stored in the file `path`.
pub(super) fn read(path: &Path) -> Result<Run, StoredError> {
    let from = if path == Path::new("-") { "standard input".to_owned() } else { format!("`{}`", path.display()) };
    let document = document(path).map_err(|source| StoredError::Unreadable { from: from.clone(), source })?;
    export::read(&document).map_err(|error| match error {
        ReadError::NoJson { what } => StoredError::NoJson { from, what },
        ReadError::Foreign { ghz } => StoredError::Foreign { from, ghz },
        ReadError::Newer { schema, known } => StoredError::Newer { from, schema, known },
        ReadError::Broken { place, what } => StoredError::Broken { from, place, what },
    })
}

fn document(path: &Path) -> io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unlike_files(args: &ReportArgs, unlike: Unlike) -> StoredError {
    match unlike {
        Unlike::Plan { run, differences } => {
            let name = |at: usize| args.files.get(at).map_or_else(String::new, |path| path.display().to_string());
            let differences =
                differences.iter().map(|found| (found.what, found.first.clone(), found.other.clone())).collect();
            StoredError::Unlike { first: name(0), other: name(run), differences }
        }
        Unlike::TooLarge { rule } => StoredError::TooLarge { rule },
    }
}

/// Leaves no more than `most` single calls.
fn listed(run: &mut Run, most: usize) {
    let details = &run.recording.calls.details;
    let beyond = details.rows().len().saturating_sub(most);
    if beyond > 0 {
        let rows = details.rows()[..most].to_vec();
        run.recording.calls.details = Details::listed(rows, most, details.left_out() + beyond as u64);
    }
}
