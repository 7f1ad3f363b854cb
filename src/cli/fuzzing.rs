//! What fuzz targets reach of the command line, and no user: it is there only in builds with `--cfg fuzzing`.

use std::path::Path;
use std::sync::LazyLock;

use super::table::{self, Flag};
use super::{config, diagnose};
use crate::error::Problems;

/// Reads the config at `path`, and says how many flags it sets.
pub fn config(path: &Path, lenient: bool) -> Result<usize, Problems> {
    static FLAGS: LazyLock<Vec<Flag>> = LazyLock::new(|| table::flags(&table::command()));
    config::load(path, lenient, &FLAGS, &mut Vec::new()).map(|settings| settings.len())
}

/// Mistakes as they look on standard error.
pub fn rendered(problems: &Problems) -> String {
    diagnose::rendered(problems)
}
