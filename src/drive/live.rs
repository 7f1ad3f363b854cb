//! A look at a run while it goes on, from another thread.

use std::sync::{Arc, OnceLock};

use super::meeting::Meeting;
use crate::clock::Clock;
use crate::record::Glance;

/// Looks at a run; clones look at the same one. A run that nobody can look at counts nothing for it.
#[derive(Clone, Default, Debug)]
pub struct Live {
    run: Arc<OnceLock<(Clock, Arc<Meeting>)>>,
}

impl Live {
    /// How the run is getting on; `None` before its clock has started.
    pub fn glance(&self) -> Option<Glance> {
        let (clock, meeting) = self.run.get()?;
        let mut glance = Glance::new(clock.now(), meeting.measured_from());
        meeting.pulses().iter().for_each(|pulse| glance.add(pulse));
        Some(glance)
    }

    /// The clock starts.
    pub(super) fn started(&self, clock: Clock, meeting: &Arc<Meeting>) {
        // A second run with the same eyes is not seen.
        let _ = self.run.set((clock, Arc::clone(meeting)));
    }
}
