//! What a recording means. Pure: values in, values out.

use crate::plan::{About, Plan};
use crate::record::Recording;

/// What a run means.
#[derive(Clone, Debug)]
pub struct Report {}

impl Report {
    /// The report of `recording`, which `plan` produced.
    pub fn new(recording: &Recording, plan: &Plan, about: &About) -> Report {
        let _ = (recording, plan, about);
        todo!()
    }
}
