//! The command line: the only module that prints, reads the environment, or chooses an exit code.
//!
//! What was typed ([`args`]) becomes what it means ([`settle`]) and then runs ([`run`]). Reports go to standard output or
//! a file; everything else that is said goes to standard error.

mod args;
mod demo;
mod diagnose;
mod input;
mod output;
mod run;
mod sending;
mod serve;
mod settle;
mod signals;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) => return told(&answer),
    };
    let outcome = match &cli.command {
        None => run::run(&cli.run),
        Some(Command::Demo(args)) => demo::demo(args),
        Some(Command::Serve(args)) => serve::serve(args),
    };
    match outcome {
        Ok(exit) => ExitCode::from(u8::from(exit)),
        Err(problems) => {
            diagnose::show(&problems);
            ExitCode::from(problems.exit())
        }
    }
}

/// Help, the version, or flags that don't exist, in the words of the parser.
fn told(answer: &clap::Error) -> ExitCode {
    // Nobody reads it if it cannot be printed.
    let _ = answer.print();
    ExitCode::from(if answer.use_stderr() { 2 } else { 0 })
}

/// How the process ends when its work came to an end. Mistakes found before that have the code of their kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Exit {
    /// As planned, with at least one call that succeeded.
    Fine,
    /// No call succeeded, or the report could not be written.
    Failed,
    /// The verdict on the run is not valid, and that was to count.
    Doubted,
    /// A worker panicked.
    Bug,
    /// Someone interrupted it.
    Interrupted,
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> u8 {
        match exit {
            Exit::Fine => 0,
            Exit::Failed => 1,
            Exit::Doubted => 4,
            Exit::Bug => 101,
            Exit::Interrupted => 130,
        }
    }
}

impl From<Exit> for i32 {
    fn from(exit: Exit) -> i32 {
        u8::from(exit).into()
    }
}
