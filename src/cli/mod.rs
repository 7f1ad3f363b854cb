//! The command line: the only module that prints, reads the environment, or chooses an exit code.

use std::process::ExitCode;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    todo!()
}
