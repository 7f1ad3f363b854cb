//! Variables of the environment that set flags: `GRPCBENCH_` and the name of the flag in capitals.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use super::layers::{Setting, Source, Word};
use super::table::{Flag, Takes};
use super::values::invalid;
use crate::error::{Problems, UsageError};
use crate::schema::near;

const PREFIX: &str = "GRPCBENCH_";
/// How wide a line of the help may be.
const WIDTH: usize = 98;

/// The flags that variables set. A variable of ours that is no flag may be meant for somebody else: a note. An empty one
/// sets nothing.
pub(super) fn settings(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    flags: &[Flag],
    notes: &mut Vec<String>,
) -> Result<Vec<Setting>, Problems> {
    let mut problems = Problems::new();
    let mut settings: Vec<Setting> = Vec::new();
    let ours = variables.into_iter().filter(|(name, value)| is_ours(name) && !value.is_empty());
    for (name, value) in ours {
        let name = name.to_string_lossy().into_owned();
        let Some(flag) = flags.iter().find(|flag| names(flag).any(|known| known == name)) else {
            let known: Vec<String> = flags.iter().flat_map(names).collect();
            let guess = near(&name, known.iter().map(String::as_str))
                .first()
                .map_or_else(|| "see --help for those that are".to_owned(), |near| format!("did you mean {near}?"));
            notes.push(format!("the variable {name} is no flag and sets nothing; {guess}"));
            continue;
        };
        settings.extend(problems.keep(setting(flag, &name, &value)));
    }
    problems.into_result()?;
    Ok(settings)
}

fn is_ours(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
}

fn setting(flag: &Flag, name: &str, value: &OsStr) -> Result<Setting, Problems> {
    let text = value.to_string_lossy().into_owned();
    let at = 0..text.len();
    let metadata = if flag.is_metadata() { vec![at.clone()] } else { Vec::new() };
    let source = Arc::new(Source { origin: name.to_owned(), text: text.clone(), metadata });
    let word = match flag.takes {
        Takes::Nothing => Word::Switch(truth(&text).ok_or_else(|| {
            let known = vec!["true".to_owned(), "false".to_owned()];
            UsageError::NotAmong { what: name.to_owned(), value: text, known }
        })?),
        _ if value.to_str().is_none() => {
            return Err(invalid("a variable of the environment", name, "its text is UTF-8").into());
        }
        _ => Word::Values(vec![text]),
    };
    Setting::new(flag, word, &source, at, true)
}

/// The words for true and false.
pub(super) fn truth(text: &str) -> Option<bool> {
    let is = |words: [&str; 4]| words.iter().any(|word| word.eq_ignore_ascii_case(text.trim()));
    match text {
        _ if is(["true", "yes", "on", "1"]) => Some(true),
        _ if is(["false", "no", "off", "0"]) => Some(false),
        _ => None,
    }
}

/// The variable of a flag, and those of its aliases.
pub(super) fn names(flag: &Flag) -> impl Iterator<Item = String> {
    flag.keys().map(|key| format!("{PREFIX}{}", key.replace('-', "_").to_ascii_uppercase()))
}

/// The variables as the help lists them.
pub(super) fn listing(flags: &[Flag]) -> String {
    let mut text = String::from(
        "Variables:\n  Each flag of a run can be set by a variable; a flag wins over a variable, and a variable over\n  --config. \
         Switches are true or false: GRPCBENCH_INSECURE=true GRPCBENCH_TIMEOUT=5s\n",
    );
    let mut line = String::from(" ");
    for name in flags.iter().filter_map(|flag| names(flag).next()) {
        if line.len() + 1 + name.len() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = String::from(" ");
        }
        line.push(' ');
        line.push_str(&name);
    }
    text + &line
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;

    fn set(name: &str, value: &str) -> (Result<Vec<Setting>, Problems>, Vec<String>) {
        let mut notes = Vec::new();
        let variables = [(name.into(), value.into()), ("PATH".into(), "/bin".into())];
        let settings = settings(variables, &table::flags(&table::command()), &mut notes);
        (settings, notes)
    }

    #[test]
    fn variables_are_named_after_their_flags() {
        for (name, value, word) in [
            ("GRPCBENCH_TIMEOUT", "5s", Some("--timeout=5s")),
            ("GRPCBENCH_CONNECT_TIMEOUT", "5s", Some("--connect-timeout=5s")),
            ("GRPCBENCH_SKIPTLS", "true", Some("--skipTLS")),
            ("GRPCBENCH_SKIP_TLS", "YES", Some("--skipTLS")),
            ("GRPCBENCH_INSECURE", "0", None),
            ("GRPCBENCH_RATE", "5", Some("--rps=5")),
            ("GRPCBENCH_PROTO", "a.proto,b.proto", Some("--proto=a.proto,b.proto")),
            ("GRPCBENCH_CONFIG", "run.json", Some("--config=run.json")),
        ] {
            let (settings, notes) = set(name, value);
            let words: Vec<OsString> = settings.unwrap().iter().flat_map(Setting::words).collect();
            assert_eq!(words, word.map(OsString::from).into_iter().collect::<Vec<_>>(), "{name}");
            assert!(notes.is_empty(), "{notes:?}");
        }
    }

    #[test]
    fn mistakes_are_told() {
        assert!(set("GRPCBENCH_INSECURE", "maybe").0.is_err());
        assert!(set("GRPCBENCH_DURATION_STOP", "never").0.is_err());
        let (settings, notes) = set("GRPCBENCH_TIMOUT", "5s");
        assert!(settings.unwrap().is_empty());
        assert!(notes[0].contains("did you mean GRPCBENCH_TIMEOUT?"), "{notes:?}");
        assert!(set("GRPCBENCH_TIMEOUT", "").0.unwrap().is_empty(), "an empty variable sets nothing");
    }
}
