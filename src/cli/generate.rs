//! Texts that are made from the table of flags: the man page, completions, and the README's table.

use std::fmt::Write as _;
use std::io::{self, Write};

use clap::{Arg, ArgAction, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use super::args::Generated;
use super::stdout;
use super::table::is_setting;
use crate::error::OutputError;

/// The name of the program.
const NAME: &str = "grpcbench";

/// Writes `what` to standard output.
pub(super) fn print(what: Generated, command: &Command) -> Result<(), OutputError> {
    stdout::write(|out| out.write_all(&text(what, command)?))
}

fn text(what: Generated, command: &Command) -> io::Result<Vec<u8>> {
    match what {
        Generated::Man => man(command),
        Generated::CompleteBash => Ok(completions(Shell::Bash, command)),
        Generated::CompleteZsh => Ok(completions(Shell::Zsh, command)),
        Generated::CompleteFish => Ok(completions(Shell::Fish, command)),
        Generated::FlagsMarkdown => Ok(markdown(command).into_bytes()),
    }
}

fn completions(shell: Shell, command: &Command) -> Vec<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command.clone(), NAME, &mut text);
    text
}

/// One page: the run, and the flags of each command below it.
fn man(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let man = Man::new(command.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    for own in own_flags(command) {
        let command = &own;
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        writeln!(page, ".SH \"GRPCBENCH {}\"\n{about}", command.get_name().to_uppercase())?;
        let mut options = Vec::new();
        Man::new(command.clone()).render_options_section(&mut options)?;
        page.extend(String::from_utf8_lossy(&options).replace(".SH", ".SS").into_bytes());
    }
    man.render_extra_section(&mut page)?;
    man.render_version_section(&mut page)?;
    Ok(page)
}

/// A table of all flags, by command and heading.
fn markdown(command: &Command) -> String {
    let mut text = String::from("| flag | meaning |\n|---|---|\n");
    rows(command, "", &mut text);
    for own in own_flags(command) {
        rows(&own, own.get_name(), &mut text);
    }
    text
}

/// The commands below `command`. One that makes runs takes the flags of a run too: those that mean the same there are
/// left out.
fn own_flags(command: &Command) -> impl Iterator<Item = Command> {
    let is_same =
        |arg: &Arg| command.get_arguments().any(|of_run| of_run.get_id() == arg.get_id() && help(of_run) == help(arg));
    command.get_subcommands().filter(|below| !below.is_hide_set()).map(move |below| {
        let makes_runs = below.get_arguments().any(|arg| arg.get_id() == "total");
        below.clone().mut_args(|arg| if makes_runs && is_same(&arg) { arg.hide(true) } else { arg })
    })
}

fn rows(command: &Command, name: &str, text: &mut String) {
    let mut heading = None;
    for arg in command.get_arguments().filter(|arg| is_setting(arg)) {
        let own = arg.get_help_heading().unwrap_or_default();
        if heading != Some(own) {
            heading = Some(own);
            let title = if name.is_empty() { own.to_owned() } else { format!("`{name}` {own}") };
            let _ = match title.trim_end() {
                "" => Ok(()),
                title => writeln!(text, "| **{title}** | |"),
            };
        }
        let _ = writeln!(text, "| {} | {} |", cell(&spelled(arg)), cell(&help(arg)));
    }
}

/// `-n`, `--total COUNT`.
fn spelled(arg: &Arg) -> String {
    let values = match arg.get_action() {
        ArgAction::SetTrue => String::new(),
        _ => arg.get_value_names().unwrap_or_default().iter().flat_map(|name| [" ", name.as_str()]).collect(),
    };
    let Some(long) = arg.get_long() else { return format!("`{}`", values.trim_start()) };
    let aliases = arg.get_visible_aliases().unwrap_or_default();
    let longs = std::iter::once(long).chain(aliases).map(|long| format!("`--{long}{values}`"));
    let names: Vec<String> = arg.get_short().map(|short| format!("`-{short}`")).into_iter().chain(longs).collect();
    names.join(", ")
}

fn help(arg: &Arg) -> String {
    arg.get_help().map(ToString::to_string).unwrap_or_default()
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}
