//! A run from its flags to its report.

use super::Exit;
use super::args::RunArgs;
use super::diagnose;
use super::settle::{Settled, settle};
use super::signals::Interrupts;
use crate::drive::{self, Stop};
use crate::error::{Error, Problems};
use crate::plan::{About, Plan};
use crate::record::{EndReason, Recording};
use crate::report::{Report, Verdict};
use crate::transport::{self, Security};

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

    find_security(&mut plan, &mut about)?;
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

/// Finds out whether the target speaks TLS or plaintext, unless the user has said so.
fn find_security(plan: &mut Plan, about: &mut About) -> Result<(), Problems> {
    if plan.target.security != Security::FindOut {
        return Ok(());
    }
    plan.target.security = transport::probe(&plan.target, !plan.metadata.is_empty()).map_err(Error::from)?;
    if plan.target.security == Security::Plaintext {
        about.plaintext = true;
        about.security_found_out = true;
        diagnose::note(&format!("{} speaks plaintext HTTP/2; add --insecure to say so and skip the test", about.host));
    }
    Ok(())
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
    } else if recording.end_reason == EndReason::Failures || recording.calls.statuses.count(0) == 0 {
        Exit::Failed
    } else if doubted {
        Exit::Doubted
    } else {
        Exit::Fine
    }
}
