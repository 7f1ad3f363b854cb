//! The command line: the only module that prints, reads the environment, or chooses an exit code.
//!
//! What was typed (`args`), with what variables and the config say (`layers`), becomes what it means (`settle`) and
//! then runs (`run`). Reports go to standard output or a file; everything else that is said goes to standard error.

mod args;
mod call_log;
mod claims;
mod compare;
mod config;
mod demo;
mod describe;
mod descriptors;
mod diagnose;
mod environment;
mod expect;
#[cfg(fuzzing)]
pub mod fuzzing;
mod generate;
mod input;
mod layers;
mod live;
mod load;
mod output;
mod report;
mod responses;
mod run;
mod security;
mod sending;
mod serve;
mod settle;
mod signals;
mod source;
mod stdout;
mod step_summary;
mod stored;
mod sweep;
mod table;
mod tls;
mod unused;
mod values;
mod view;
mod watching;

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, FromArgMatches as _};

use crate::error::{OutputError, Problems, UsageError};
use args::{Cli, Command, RunArgs};
use layers::{Layered, Refused};

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let command = table::command();
    let words: Vec<OsString> = std::env::args_os().collect();
    let parsed = command.clone().try_get_matches_from(&words).and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        Ok((cli, matches))
    });
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(answer) => match word_too_many(&answer, &command) {
            Some(error) => return failed(&error.into()),
            None => return told(&answer),
        },
    };
    let outcome = match (cli.generate, &cli.command) {
        (Some(what), _) => return printed(generate::print(what, &command)),
        (None, None) => run(&command, &words, &matches),
        (None, Some(Command::Compare(args))) => compare::compare(args).map_err(Refused::from),
        (None, Some(Command::Demo(args))) => demo::demo(args).map_err(Refused::from),
        (None, Some(Command::Describe(args))) => describe::describe(args).map_err(Refused::from),
        (None, Some(Command::Report(args))) => report::report(args).map_err(Refused::from),
        (None, Some(Command::Serve(args))) => serve::serve(args).map_err(Refused::from),
        (None, Some(Command::Sweep(_))) => {
            let own = matches.subcommand_matches("sweep").expect("it was parsed");
            sweep::sweep(&command, &words, own)
        }
    };
    match outcome {
        Ok(exit) => ExitCode::from(u8::from(exit)),
        Err(Refused::Words(answer)) => told(&answer),
        Err(Refused::Problems(problems)) => failed(&problems),
    }
}

/// A run with the flags of all layers.
fn run(command: &clap::Command, words: &[OsString], matches: &ArgMatches) -> Result<Exit, Refused> {
    let layered: Layered<RunArgs> = Layered::new(command, words, matches, std::env::vars_os())?;
    for text in &layered.notes {
        diagnose::note(text);
    }
    run::run(&layered.args).map_err(|problems| layered.place(problems).into())
}

fn failed(problems: &Problems) -> ExitCode {
    diagnose::show(problems);
    ExitCode::from(problems.exit())
}

/// The parser takes a second word for a command that the flags do not go with.
fn word_too_many(answer: &clap::Error, command: &clap::Command) -> Option<UsageError> {
    match answer.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if command.find_subcommand(word).is_none() => {
            Some(UsageError::OneWordTooMany { word: word.clone() })
        }
        _ => None,
    }
}

/// Help, the version, or flags that don't exist, in the words of the parser.
fn told(answer: &clap::Error) -> ExitCode {
    if answer.use_stderr() {
        // There is nobody to tell when standard error is gone.
        let _ = answer.print();
        return ExitCode::from(2);
    }
    let text = answer.render();
    let colours = std::io::stdout().is_terminal();
    printed(stdout::write(|out| if colours { write!(out, "{}", text.ansi()) } else { write!(out, "{text}") }))
}

/// The end of a command that only prints.
fn printed(written: Result<(), OutputError>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            diagnose::show(&error.into());
            ExitCode::FAILURE
        }
    }
}

/// How the process ends when its work came to an end. Mistakes found before that have the code of their kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Exit {
    /// As planned, with at least one call that succeeded.
    Fine,
    /// No call succeeded, an expectation did not hold, or the report could not be written.
    Failed,
    /// A target of several could not be reached.
    Unreachable,
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
            Exit::Unreachable => 3,
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
