//! A run from its flags to its report.

use std::io;

use super::Exit;
use super::args::RunArgs;
use super::descriptors;
use super::diagnose;
use super::security::{self, Found};
use super::settle::{Settled, settle};
use super::signals::Interrupts;
use super::step_summary::StepSummary;
use super::watching::Wanted;
use crate::drive::{self, Stop};
use crate::error::{OutputError, Problems};
use crate::plan::{About, Plan};
use crate::record::{EndReason, Recording};
use crate::report::{Report, Verdict, compare};

/// Runs what `args` ask for.
pub(super) fn run(args: &RunArgs) -> Result<Exit, Problems> {
    carry_out(settle(args)?)
}

/// Runs a settled plan, and reports whatever happened.
pub(super) fn carry_out(test: Settled) -> Result<Exit, Problems> {
    let Settled { mut plan, mut about, output, view, wanted, gate, strict, notes } = test;
    for text in &notes {
        diagnose::note(text);
    }
    let mut interrupts = caught();
    if find_security(&mut plan, &mut about, interrupts.as_mut())? == Found::Interrupted {
        return Ok(interrupted_before_calls());
    }
    let step_summary = StepSummary::open();
    let (recording, watched) = record(&plan, &about, &stopped_by(interrupts), wanted, None)?;
    if recording.end_reason == EndReason::Interrupt && !recording.has_calls() {
        // What stands in the file of an earlier report is worth more.
        return Ok(interrupted_before_calls());
    }
    let report = Report::new(&recording, &plan, &about).seen(&view).expecting(&gate.expectations);
    let written = output.write(&report);
    let name = about.name.as_deref().unwrap_or(&about.call);
    let (held, told) = gate.close(&[(name, &report)]);
    let summed_up = step_summary.map_or(Ok(()), |summary| summary.write(&compare::tables(name, &report)));

    let mut exit = exit(&recording, held, strict && report.verdict != Verdict::Valid);
    let lost = [watched, told, summed_up].map(|done| done.map_err(Problems::from));
    for problems in [written].into_iter().chain(lost).filter_map(Result::err) {
        diagnose::show(&problems);
        if exit == Exit::Fine {
            exit = Exit::Failed;
        }
    }
    Ok(exit)
}

fn interrupted_before_calls() -> Exit {
    diagnose::note("interrupted before the first call; there is nothing to report");
    Exit::Interrupted
}

/// Runs `plan` for whoever wants to see some of it, under a `title` if it is one of several. Beside the recording, how it
/// went to write down what was wanted.
pub(super) fn record(
    plan: &Plan,
    about: &About,
    stop: &Stop,
    wanted: Wanted,
    title: Option<&str>,
) -> Result<(Recording, Result<(), OutputError>), Problems> {
    descriptors::provide(plan)?;
    let (watch, watching) = wanted.begin(plan, about, title);
    let recording = drive::run_watched(plan, stop, &watch);
    drop(watch);
    let watched = watching.end(&plan.method);
    Ok((recording?, watched))
}

/// Finds out what the target speaks, unless that is known; the report will say so.
pub(super) fn find_security(
    plan: &mut Plan,
    about: &mut About,
    interrupts: Option<&mut Interrupts>,
) -> Result<Found, Problems> {
    let found = security::find_out(&mut plan.target, &about.host, !plan.metadata.is_empty(), interrupts)?;
    if found == Found::Plaintext {
        about.plaintext = true;
        about.security_found_out = true;
    }
    Ok(found)
}

/// Interrupts of this process, which from now on end it only as it is decided here.
pub(super) fn caught() -> Option<Interrupts> {
    match Interrupts::catch() {
        Ok(interrupts) => Some(interrupts),
        Err(error) => {
            without_report(&error);
            None
        }
    }
}

/// A stop that interrupts set off.
fn stopped_by(interrupts: Option<Interrupts>) -> Stop {
    let stop = Stop::default();
    if let Some(Err(error)) = interrupts.map(|interrupts| interrupts.stop(&stop)) {
        without_report(&error);
    }
    stop
}

pub(super) fn without_report(error: &io::Error) {
    diagnose::note(&format!("an interrupt will end this run without a report: {error}"));
}

fn exit(recording: &Recording, held: bool, doubted: bool) -> Exit {
    if recording.workers_lost > 0 {
        let lost = recording.workers_lost;
        diagnose::say(&format!("error: {lost} of the workers panicked, and their calls are missing from the report\n"));
        diagnose::say("hint: this is a bug of grpcbench; please report it with the lines above\n");
        Exit::Bug
    } else if recording.end_reason == EndReason::Interrupt {
        Exit::Interrupted
    } else if !held || recording.end_reason == EndReason::Failures || recording.calls.statuses.count(0) == 0 {
        Exit::Failed
    } else if doubted {
        Exit::Doubted
    } else {
        Exit::Fine
    }
}
