//! The flags as data: what [`super::args`] declares, with what is made from it for all flags alike.
//!
//! Each switch gets its `--no-` form, the help gets the list of variables, and configs, variables, the README and completions know
//! each flag from here.

use clap::{Arg, ArgAction, Command, CommandFactory as _, Id};

use super::args::{Cli, EXAMPLES};
use super::{environment, sweep};

/// What is put in front of the name of a switch to turn it off.
const NO: &str = "no-";

/// The command line of this program.
pub(super) fn command() -> Command {
    let command = Cli::command().mut_subcommand("sweep", sweep::with_lists);
    let command = with_signs(with_opposites(command));
    let variables = environment::listing(&flags(&command));
    command.after_help(format!("{EXAMPLES}\n\n{variables}"))
}

/// Each switch can be turned off again: by `--no-` and its name, whichever comes last.
fn with_opposites(mut command: Command) -> Command {
    let switches: Vec<(String, String)> = command
        .get_arguments()
        .filter(|arg| matches!(arg.get_action(), ArgAction::SetTrue) && !arg.is_hide_set())
        .filter_map(|arg| Some((arg.get_id().to_string(), arg.get_long()?.to_owned())))
        .collect();
    let either = |id: &str| [Id::from(id.to_owned()), Id::from(format!("{NO}{id}"))];
    // In place: an argument that is changed by its name moves to the end of the table.
    command = command.mut_args(|arg| {
        let id = arg.get_id().to_string();
        if switches.iter().any(|(switch, _)| *switch == id) { arg.overrides_with_all(either(&id)) } else { arg }
    });
    for (id, long) in &switches {
        command = command.arg(
            Arg::new(format!("{NO}{id}"))
                .long(format!("{NO}{long}"))
                .action(ArgAction::SetTrue)
                .overrides_with_all(either(id))
                .help(format!("Turn --{long} off"))
                .hide(true),
        );
    }
    command.mut_subcommands(with_opposites)
}

/// A number below 0 is a value, even where it is a wrong one: `--load-step -10`.
fn with_signs(command: Command) -> Command {
    let with_sign = |arg: Arg| if arg.get_action().takes_values() { arg.allow_negative_numbers(true) } else { arg };
    command.mut_args(with_sign).mut_subcommands(with_signs)
}

/// A flag of a run, or its host.
#[derive(Debug)]
pub(super) struct Flag {
    /// What the parser calls it.
    pub(super) id: String,
    /// Its long name and the aliases of that, without dashes. The host has none.
    names: Vec<String>,
    /// What comes behind it.
    pub(super) takes: Takes,
    /// Whether it can be in a config.
    pub(super) in_configs: bool,
}

/// What comes behind a flag.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Takes {
    /// It is a switch.
    Nothing,
    /// A value.
    One,
    /// One of some words.
    OneOf(Vec<String>),
    /// Values with commas in one word.
    Listed,
    /// Values, with commas or by repeating it.
    Several,
    /// A value in JSON.
    Json,
}

impl Flag {
    /// Its key in a config.
    pub(super) fn key(&self) -> &str {
        self.names.first().map_or("host", String::as_str)
    }

    /// Its name on the command line, as errors have it.
    pub(super) fn typed(&self) -> String {
        self.names.first().map_or_else(|| "the target".to_owned(), |name| format!("--{name}"))
    }

    /// Its long name, unless it is the host.
    pub(super) fn long(&self) -> Option<&str> {
        self.names.first().map(String::as_str)
    }

    /// Whether it has metadata, where secrets may be.
    pub(super) fn is_metadata(&self) -> bool {
        ["metadata", "reflect_metadata", "header"].contains(&&*self.id)
    }

    /// Whether it is called `name`, in upper or lower case.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.keys().any(|key| key.eq_ignore_ascii_case(name))
    }

    /// Its key and the aliases of that.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str).chain(self.names.is_empty().then_some("host"))
    }

    /// Whether the flag of that id is this one or its opposite.
    pub(super) fn is(&self, id: &str) -> bool {
        id == self.id || id.strip_prefix(NO) == Some(&self.id)
    }
}

/// Whether the flag of that id turns one off.
pub(super) fn is_opposite(id: &str) -> bool {
    id.starts_with(NO)
}

/// The flags of a run, and its host.
pub(super) fn flags(command: &Command) -> Vec<Flag> {
    command.get_arguments().filter(|arg| is_setting(arg)).map(flag).collect()
}

/// Whether it says something about what is done: everything but the help, the version, and what is hidden.
pub(super) fn is_setting(arg: &Arg) -> bool {
    !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version")
}

fn flag(arg: &Arg) -> Flag {
    let id = arg.get_id().to_string();
    let names = arg.get_long_and_visible_aliases().unwrap_or_default().into_iter().map(str::to_owned);
    let hidden = arg.get_all_aliases().unwrap_or_default().into_iter().map(str::to_owned);
    let mut names: Vec<String> = names.collect();
    for alias in hidden {
        if !names.contains(&alias) {
            names.push(alias);
        }
    }
    let possible: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let takes = match arg.get_action() {
        ArgAction::SetTrue => Takes::Nothing,
        ArgAction::Append => Takes::Several,
        _ if arg.get_value_names().is_some_and(|names| names.iter().any(|name| *name == "JSON")) => Takes::Json,
        _ if arg.get_value_names().is_some_and(|names| names.iter().any(|name| name.ends_with(",.."))) => Takes::Listed,
        _ if !possible.is_empty() => Takes::OneOf(possible),
        _ => Takes::One,
    };
    Flag { in_configs: !id.starts_with("config"), id, names, takes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_switch_and_its_opposite_holds() {
        for (line, expected) in [
            ("--insecure", true),
            ("--no-insecure", false),
            ("--insecure --no-insecure", false),
            ("--no-insecure --insecure", true),
            ("--insecure --insecure", true),
            ("--no-insecure --no-insecure", false),
        ] {
            let matches = command().try_get_matches_from(std::iter::once("grpcbench").chain(line.split(' '))).unwrap();
            assert_eq!(matches.get_flag("insecure"), expected, "{line}");
        }
    }

    #[test]
    fn every_switch_has_an_opposite_and_every_value_may_be_negative() {
        fn check(command: &Command) -> usize {
            let longs: Vec<_> = command.get_arguments().filter_map(Arg::get_long).collect();
            let mut seen = 0;
            for arg in command.get_arguments().filter(|arg| is_setting(arg)) {
                let long = arg.get_long().unwrap_or_default();
                if arg.get_action().takes_values() {
                    assert!(arg.is_allow_negative_numbers_set(), "--{long} -10");
                } else {
                    assert!(longs.contains(&format!("{NO}{long}").as_str()), "--{NO}{long}");
                }
                seen += 1;
            }
            seen + command.get_subcommands().map(check).sum::<usize>()
        }
        assert!(check(&command()) > 30);
    }

    #[test]
    fn flags_know_what_they_take() {
        let command = command();
        let flags = flags(&command);
        let takes =
            |name: &str| &flags.iter().find(|flag| flag.has_name(name)).unwrap_or_else(|| panic!("{name}")).takes;
        assert_eq!(takes("insecure"), &Takes::Nothing);
        assert_eq!(takes("SKIPTLS"), &Takes::Nothing);
        assert_eq!(takes("skip-tls"), &Takes::Nothing);
        assert_eq!(takes("data"), &Takes::Json);
        assert_eq!(takes("tags"), &Takes::Json);
        assert_eq!(takes("proto"), &Takes::Several);
        assert_eq!(takes("import-paths"), &Takes::Several);
        assert_eq!(takes("host"), &Takes::One);
        assert_eq!(takes("rate"), &Takes::One);
        assert_eq!(takes("duration-stop"), &Takes::OneOf(["close", "wait", "ignore"].map(str::to_owned).to_vec()));
        assert!(
            flags.iter().all(|flag| !flag.has_name("help") && !flag.has_name("version") && !flag.has_name("generate"))
        );
    }
}
