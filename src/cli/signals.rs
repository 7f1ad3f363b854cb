//! Interrupts of this process: SIGINT and SIGTERM, or Ctrl-C where there are no signals.
//!
//! Until somebody listens here they end the process as they do by default.

use std::io;
use std::process;
use std::sync::mpsc;
use std::thread;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use super::Exit;
use super::diagnose::note;
use crate::drive::Stop;

/// Interrupts from now on.
pub(super) struct Interrupts {
    runtime: Runtime,
    signals: Signals,
}

impl Interrupts {
    /// Interrupts don't end the process any more when this returns.
    pub(super) fn catch() -> io::Result<Interrupts> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let signals = {
            let _inside = runtime.enter();
            Signals::register()?
        };
        Ok(Interrupts { runtime, signals })
    }

    /// Waits for the next one.
    pub(super) fn wait(&mut self) {
        self.runtime.block_on(self.signals.next());
    }

    /// Does `work` on a thread of its own, and returns what came of it; or `None` at the next interrupt, and then the work
    /// is left alone.
    pub(super) fn or<T: Send + 'static>(&mut self, work: impl FnOnce() -> T + Send + 'static) -> io::Result<Option<T>> {
        let (done, outcome) = tokio::sync::oneshot::channel();
        thread::Builder::new().name("before the run".to_owned()).spawn(move || {
            // Nobody waits for it any more after an interrupt.
            let _ = done.send(work());
        })?;
        Ok(self.runtime.block_on(async {
            tokio::select! {
                outcome = outcome => Some(outcome.expect("the work does not panic")),
                () = self.signals.next() => None,
            }
        }))
    }

    /// The next one ends the process.
    pub(super) fn end_the_process(mut self) -> io::Result<()> {
        thread::Builder::new().name("interrupts".to_owned()).spawn(move || {
            self.wait();
            process::exit(Exit::Interrupted.into());
        })?;
        Ok(())
    }

    /// The first one ends the issuing of calls, a second one cuts off those in flight, and a third one ends the process
    /// without a report.
    pub(super) fn stop(self, stop: &Stop) -> io::Result<()> {
        self.stop_current(watch::Sender::new(stop.clone()).subscribe()).map(drop)
    }

    /// The same for whichever run is the `current` one. What is returned tells of the first.
    pub(super) fn stop_current(mut self, current: watch::Receiver<Stop>) -> io::Result<mpsc::Receiver<()>> {
        let (tell, told) = mpsc::channel();
        thread::Builder::new().name("interrupts".to_owned()).spawn(move || {
            self.wait();
            note("interrupted, waiting for the calls in flight; interrupt again to cut them off");
            // In this order: who takes up another run looks here after saying which.
            let _ = tell.send(());
            current.borrow().interrupt();
            self.wait();
            current.borrow().interrupt();
            self.wait();
            note("interrupted a third time, and ended without a report");
            process::exit(Exit::Interrupted.into());
        })?;
        Ok(told)
    }
}

#[cfg(unix)]
struct Signals {
    int: tokio::signal::unix::Signal,
    term: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn register() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals { int: signal(SignalKind::interrupt())?, term: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.int.recv() => {}
            _ = self.term.recv() => {}
        }
    }
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn register() -> io::Result<Signals> {
        tokio::signal::windows::ctrl_c().map(Signals)
    }

    async fn next(&mut self) {
        self.0.recv().await;
    }
}
