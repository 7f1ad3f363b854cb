//! What people want to see of a run beside its report: how it is getting on, the answers of the first calls, a log of all.

use super::call_log::{CallLogFile, RunFacts, Writing};
use super::diagnose::note;
use super::live::{Showing, Shown};
use super::responses::Responses;
use crate::drive::Watch;
use crate::error::OutputError;
use crate::plan::{About, Forecast, Plan};
use crate::schema::Method;

/// What is wanted.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// The answers of so many calls.
    pub(super) responses: u64,
    /// Nothing in them is masked.
    pub(super) secrets: bool,
    /// A log of all calls.
    pub(super) log: Option<CallLogFile>,
    /// How the run is shown while it goes on.
    pub(super) showing: Showing,
}

/// What comes of it while the run goes on.
pub(super) struct Watching {
    responses: Option<Responses>,
    log: Option<Writing>,
    shown: Option<Shown>,
}

impl Wanted {
    /// Begins to listen to the run of `plan`, which `title` tells from others: the first goes to the run, and has to be
    /// gone when the other ends.
    pub(super) fn begin(self, plan: &Plan, about: &About, title: Option<&str>) -> (Watch, Watching) {
        let responses = (self.responses > 0).then(|| Responses::wanted(self.responses, self.secrets));
        let (replies, responses) = responses.unzip();
        let run = RunFacts { host: about.host.clone(), call: about.call.clone() };
        let log = self.log.and_then(|file| {
            let begun = file.begin(run);
            begun.map_err(|error| note(&format!("--debug is not written: there is no thread for it: {error}"))).ok()
        });
        let (log, writing) = log.unzip();
        let foretold: Option<fn(Forecast)> = Some(|forecast| note(&forecast.to_string()));
        let shown = Shown::start(self.showing, plan, title);
        let live = shown.as_ref().map(|shown| shown.live().clone());
        (Watch { log, replies, foretold, live }, Watching { responses, log: writing, shown })
    }
}

impl Watching {
    /// Shows answers, and ends the log. Errors if that could not be written.
    pub(super) fn end(self, method: &Method) -> Result<(), OutputError> {
        drop(self.shown);
        if let Some(responses) = self.responses {
            responses.show(method);
        }
        let Some(log) = self.log else { return Ok(()) };
        let missed = log.finish()?;
        if missed > 0 {
            note(&format!("--debug misses {missed} calls, which ended faster than they could be written"));
        }
        Ok(())
    }
}
