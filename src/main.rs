//! The `grpcbench` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    grpcbench::cli::main()
}
