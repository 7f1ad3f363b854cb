//! A run from its flags to its report.

use super::Exit;
use super::args::RunArgs;
use super::diagnose;
use super::security;
use super::settle::{Settled, settle};
use super::signals::Interrupts;
use crate::drive::{self, Stop};
use crate::error::Problems;
use crate::record::{EndReason, Recording};
use crate::report::{Report, Verdict};

/// Runs what `args` ask for.
pub(super) fn run(args: &RunArgs) -> Result<Exit, Problems> {
    carry_out(settle(args)?)
}

/// Runs a settled plan, and reports whatever happened.
pub(super) fn carry_out(test: Settled) -> Result<Exit, Problems> {
    let Settled { mut plan, mut about, output, strict, notes } = test;
    for text in &notes {
        diagnose::note(text);
    }

    let private = !plan.metadata.is_empty();
    if security::find_out(&mut plan.target, &about.host, private)? {
        about.plaintext = true;
        about.security_found_out = true;
    }
    let recording = drive::run(&plan, &stop_on_interrupt())?;
    let report = Report::new(&recording, &plan, &about);
    let written = output.write(&report);

    let exit = exit(&recording, strict && report.verdict != Verdict::Valid);
    Ok(match written {
        Ok(()) => exit,
        Err(error) => {
            diagnose::show(&error.into());
            if exit == Exit::Fine { Exit::Failed } else { exit }
        }
    })
}

/// A stop that interrupts of this process set off.
fn stop_on_interrupt() -> Stop {
    let stop = Stop::default();
    if let Err(error) = Interrupts::catch().and_then(|interrupts| interrupts.stop(&stop)) {
        diagnose::note(&format!("an interrupt will end this run without a report: {error}"));
    }
    stop
}

fn exit(recording: &Recording, doubted: bool) -> Exit {
    if recording.workers_lost > 0 {
        let lost = recording.workers_lost;
        diagnose::say(&format!("error: {lost} of the workers panicked, and their calls are missing from the report\n"));
        diagnose::say("hint: this is a bug of grpcbench; please report it with the lines above\n");
        Exit::Bug
    } else if recording.end_reason == EndReason::Interrupt {
        Exit::Interrupted
    } else if recording.calls.statuses.count(0) == 0 {
        Exit::Failed
    } else if doubted {
        Exit::Doubted
    } else {
        Exit::Fine
    }
}
