//! `grpcbench report`: the report of a run that was stored, or of several runs of one plan together.

use super::args::ReportArgs;
use super::claims::Claims;
use super::expect::Gate;
use super::output::Outputs;
use super::values::format;
use super::{Exit, diagnose, stored, view};
use crate::error::{Problems, StoredError};
use crate::report::{Run, Unlike, View};

/// Writes the report of the files that `args` name.
pub(super) fn report(args: &ReportArgs) -> Result<Exit, Problems> {
    let Asked { mut run, view, details, outputs, gate } = Asked::new(args)?;
    run.recording.calls.details.keep(details);
    let report = run.report().seen(&view).expecting(&gate.expectations);
    let written = outputs.write(&report);
    let about = &report.setup.about;
    let (held, told) = gate.close(&[(about.name.as_deref().unwrap_or(&about.call), &report)]);

    let mut exit = if held { Exit::Fine } else { Exit::Failed };
    for problems in [written, told.map_err(Problems::from)].into_iter().filter_map(Result::err) {
        diagnose::show(&problems);
        exit = Exit::Failed;
    }
    Ok(exit)
}

/// What the flags say, and the run that the files hold.
struct Asked {
    run: Run,
    view: View,
    /// So many single calls are listed at most.
    details: usize,
    outputs: Outputs,
    gate: Gate,
}

impl Asked {
    fn new(args: &ReportArgs) -> Result<Asked, Problems> {
        let mut problems = Problems::new();
        problems.keep(stored::once(&args.files));
        let runs: Vec<Run> = args.files.iter().filter_map(|path| problems.keep(stored::read(path))).collect();
        let view = problems.keep(view::view(&args.view));
        let details = problems.keep(view::details(args.view.details.as_deref()));
        let mut claims = Claims::default();
        claims.read("the report", &args.files);
        let gate = problems.keep(Gate::new(&args.expect, args.junit.as_deref(), false, &mut claims));
        let format = problems.keep(format(args.format.as_deref()));
        let (main, others) = (args.output.as_deref(), &args.view.out);
        let outputs = format.and_then(|format| problems.keep(Outputs::open(format, main, others, &mut claims)));
        problems.into_result()?;

        let run = Run::merged(runs).map_err(|unlike| unlike_files(args, unlike))?;
        let everything =
            (|| Some(Asked { run: run?, view: view?, details: details?, outputs: outputs?, gate: gate? }))();
        let asked = everything.expect("whatever is missing is among the problems, and there is one file at least");
        asked.gate.check(asked.run.setup.is_open(), asked.run.recording.calls.streams.is_some())?;
        Ok(asked)
    }
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
