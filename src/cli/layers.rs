//! Where the flags of a run come from: the command line, then variables, then the config, then defaults.
//!
//! What is set outside of the command line becomes words in front of those that were typed, and all are parsed together: there is one
//! way to read a flag. A flag that is set in a layer is not looked at in those below, and neither are its alternatives: `-D` on the
//! command line replaces `data` in a config.

use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};

use super::table::{Flag, Takes, flags, is_opposite};
use super::{config, environment};
use crate::error::{Error, Excerpt, Placed, Problems, UsageError};
use crate::payload::hide;

/// Flags of which a layer has one, in the place of the others in the layers below.
const ALTERNATIVES: &[&[&str]] = &[
    &["data", "data_file", "binary", "binary_file"],
    &["metadata", "metadata_file"],
    &["proto", "protoset"],
    &["total", "duration"],
    &["rps", "load_schedule", "stages"],
    &["live", "no_live"],
];
/// Flags that ask for TLS, and the one that asks for plaintext.
const TLS: &[&str] = &["tls", "skip_tls", "cacert", "cert", "key", "cname"];
const PLAINTEXT: &str = "insecure";

/// The flags of a run, or of a command that makes runs, from all layers.
#[derive(Debug)]
pub(super) struct Layered<T> {
    /// The flags.
    pub(super) args: T,
    /// The same as the parser has them.
    pub(super) matches: ArgMatches,
    /// What the user should know.
    pub(super) notes: Vec<String>,
    /// What was set outside of the command line.
    settings: Vec<Setting>,
}

/// Why there are no flags.
#[derive(Debug)]
pub(super) enum Refused {
    /// Words that the parser does not take together.
    Words(clap::Error),
    /// Mistakes in variables or in the config.
    Problems(Problems),
}

impl From<clap::Error> for Refused {
    fn from(error: clap::Error) -> Refused {
        Refused::Words(error)
    }
}

impl From<Problems> for Refused {
    fn from(problems: Problems) -> Refused {
        Refused::Problems(problems)
    }
}

impl<T: FromArgMatches> Layered<T> {
    /// Adds the `variables` and the config to the `words` that were typed, which `matches` holds parsed by `command`.
    pub(super) fn new(
        command: &Command,
        words: &[OsString],
        matches: &ArgMatches,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Layered<T>, Refused> {
        let flags = flags(command);
        let mut notes = Vec::new();
        let typed = typed(matches, &flags);
        let mut settings = environment::settings(variables, &flags, &mut notes)?;
        settings.retain(|setting| !setting.is_covered(&typed));

        let above: Vec<Above> = typed.into_iter().chain(settings.iter().map(Setting::above)).collect();
        let (path, lenient) = config(command, words, &settings)?;
        if let Some(path) = path {
            let mut more = config::load(&path, lenient, &flags, &mut notes)?;
            more.retain(|setting| !setting.is_covered(&above));
            settings.extend(more);
        }
        let matches = parsed(command, words, &settings)?;
        Ok(Layered { args: T::from_arg_matches(&matches)?, matches, notes, settings })
    }

    /// `problems`, with those in values from outside of the command line shown where they are written.
    pub(super) fn place(&self, problems: Problems) -> Problems {
        problems.map(|error| match self.place_of(&error) {
            Some(excerpt) => Placed { error: Box::new(error), excerpt }.into(),
            None => error,
        })
    }

    fn place_of(&self, error: &Error) -> Option<Excerpt> {
        let setting = |flag: &str| self.settings.iter().find(|setting| setting.flag == flag);
        match (error, error.excerpt()) {
            (Error::Usage(error), None) => Some(setting(error.flag()?)?.excerpt("here")),
            (Error::Gate(error), None) => Some(setting(error.flag()?)?.excerpt("here")),
            (Error::Data(_), Some(inner)) => Some(setting(&inner.origin)?.excerpt_within(inner)),
            _ => None,
        }
    }
}

/// A text outside of the command line that sets flags.
#[derive(Debug)]
pub(super) struct Source {
    /// The file or the variable.
    pub(super) origin: String,
    /// What it holds.
    pub(super) text: String,
    /// Where metadata may stand in it.
    pub(super) metadata: Vec<Range<usize>>,
}

impl Source {
    /// A piece of it, shown without the secrets that metadata has.
    pub(super) fn excerpt(&self, at: &Range<usize>, label: &str) -> Excerpt {
        let mut text = self.text.clone();
        for part in &self.metadata {
            text.replace_range(part.clone(), &hide(&self.text[part.clone()]));
        }
        Excerpt { origin: self.origin.clone(), text, offset: at.start, len: at.len(), label: label.to_owned() }
    }
}

/// What is said about a flag.
#[derive(Debug)]
pub(super) enum Word {
    /// A switch is on or off.
    Switch(bool),
    /// Its values.
    Values(Vec<String>),
}

/// A flag that is set outside of the command line.
#[derive(Debug)]
pub(super) struct Setting {
    id: String,
    /// As errors name it.
    flag: String,
    /// Without dashes; `None` for the host.
    long: Option<String>,
    word: Word,
    source: Arc<Source>,
    at: Range<usize>,
    /// Whether its value is that piece of the source, byte for byte.
    literal: bool,
}

impl Setting {
    /// `flag` is set to `word` by the piece `at` of `source`.
    pub(super) fn new(
        flag: &Flag,
        word: Word,
        source: &Arc<Source>,
        at: Range<usize>,
        literal: bool,
    ) -> Result<Setting, Problems> {
        let setting = Setting {
            id: flag.id.clone(),
            flag: flag.typed(),
            long: flag.long().map(str::to_owned),
            word,
            source: Arc::clone(source),
            at,
            literal,
        };
        if let (Takes::OneOf(known), Word::Values(values)) = (&flag.takes, &setting.word)
            && let Some(wrong) =
                values.iter().find(|value| !known.iter().any(|known| known.eq_ignore_ascii_case(value)))
        {
            let (what, value, known) = (setting.flag.clone(), wrong.clone(), known.clone());
            let error = UsageError::NotAmong { what, value, known };
            return Err(Placed { error: Box::new(error.into()), excerpt: setting.excerpt("here") }.into());
        }
        Ok(setting)
    }

    /// It as words on the command line. A switch that is off is no word.
    pub(super) fn words(&self) -> Vec<OsString> {
        match (&self.word, &self.long) {
            (Word::Switch(false), _) => Vec::new(),
            (Word::Switch(true), long) => long.iter().map(|long| format!("--{long}").into()).collect(),
            (Word::Values(values), Some(long)) => {
                values.iter().map(|value| format!("--{long}={value}").into()).collect()
            }
            (Word::Values(values), None) => values.iter().map(OsString::from).collect(),
        }
    }

    fn above(&self) -> Above {
        let off = match &self.word {
            Word::Switch(on) => !on,
            Word::Values(values) => values.iter().any(|value| is_constant(value.as_ref())),
        };
        Above { id: self.id.clone(), on: !off }
    }

    fn is_covered(&self, above: &[Above]) -> bool {
        above.iter().any(|above| above.id == self.id || (above.on && replaces(&above.id, &self.id)))
    }

    fn excerpt(&self, label: &str) -> Excerpt {
        self.source.excerpt(&self.at, label)
    }

    /// `inner`, which points into the value, in the source; if that has the value in other words, in the value.
    fn excerpt_within(&self, inner: &Excerpt) -> Excerpt {
        if self.literal {
            let start = self.at.start + inner.offset;
            return self.source.excerpt(&(start..start + inner.len), &inner.label);
        }
        let key = self.flag.trim_start_matches('-');
        Excerpt { origin: format!("{key} of {}", self.source.origin), ..inner.clone() }
    }
}

/// A flag that is set in a layer above.
#[derive(Debug)]
struct Above {
    id: String,
    /// Whether it is more than a switch that is off, or a schedule that changes nothing.
    on: bool,
}

fn typed(matches: &ArgMatches, flags: &[Flag]) -> Vec<Above> {
    let is_typed = |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    let above = matches.ids().filter(is_typed).filter_map(|id| {
        let flag = flags.iter().find(|flag| flag.is(id.as_str()))?;
        let constant = || matches.get_raw(id.as_str()).is_some_and(|mut words| words.any(is_constant));
        Some(Above { id: flag.id.clone(), on: !is_opposite(id.as_str()) && !constant() })
    });
    above.collect()
}

/// The word for schedules that change nothing.
fn is_constant(word: &OsStr) -> bool {
    word.eq_ignore_ascii_case("const")
}

/// Whether `above` takes the place of `below`, which is another flag.
fn replaces(above: &str, below: &str) -> bool {
    ALTERNATIVES.iter().any(|flags| flags.contains(&above) && flags.contains(&below))
        || (above == PLAINTEXT && TLS.contains(&below))
        || (below == PLAINTEXT && TLS.contains(&above))
}

/// The config that flags and variables name, and whether it may have unknown keys.
fn config(command: &Command, words: &[OsString], variables: &[Setting]) -> Result<(Option<PathBuf>, bool), Refused> {
    let own: Vec<&Setting> = variables.iter().filter(|setting| setting.id.starts_with("config")).collect();
    let own = own.iter().flat_map(|setting| setting.words());
    let matches = parse(command, own.chain(words.iter().skip(1).cloned()))?;
    Ok((matches.get_one("config").cloned(), matches.get_flag("config_lenient")))
}

/// All words parsed together: those of the layers below first, and the host last.
fn parsed(command: &Command, words: &[OsString], settings: &[Setting]) -> Result<ArgMatches, Refused> {
    let (hosts, others): (Vec<_>, Vec<_>) = settings.iter().partition(|setting| setting.long.is_none());
    let mut typed = words.get(1..).unwrap_or_default();
    if let ([rest @ .., last], [_, ..]) = (typed, hosts.as_slice())
        && last == OsStr::new("--")
    {
        typed = rest;
    }
    let host: Vec<OsString> = hosts.iter().flat_map(|setting| setting.words()).collect();
    // A host that is named like a command is still a host.
    let end = (!host.is_empty()).then(|| OsString::from("--"));
    let below = others.iter().flat_map(|setting| setting.words());
    parse(command, below.chain(typed.iter().cloned()).chain(end).chain(host))
}

fn parse(command: &Command, words: impl Iterator<Item = OsString>) -> Result<ArgMatches, Refused> {
    let words = std::iter::once(OsString::from("grpcbench")).chain(words);
    Ok(command.clone().try_get_matches_from(words)?)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::args::RunArgs;
    use super::super::table;
    use super::*;

    /// What comes of a `config`, variables and words.
    fn layered(config: &str, variables: &[(String, String)], words: &[String], folder: &Path) -> Layered<RunArgs> {
        let path = folder.join("run.json");
        std::fs::write(&path, config).unwrap();
        let command = table::command();
        let start = ["grpcbench".into(), "--config".into(), path.into_os_string()];
        let words: Vec<OsString> = start.into_iter().chain(words.iter().map(OsString::from)).collect();
        let matches = command.clone().try_get_matches_from(&words).unwrap();
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        Layered::new(&command, &words, &matches, variables).unwrap()
    }

    /// Two values of a flag: as JSON, as text, and as words.
    fn values(flag: &Flag) -> [(String, String, String); 2] {
        let long = flag.long().unwrap_or_default();
        let texts = match &flag.takes {
            Takes::Nothing => {
                return [("true", "no-"), ("false", "")]
                    .map(|(on, no)| (on.into(), on.into(), format!("--{no}{long}")));
            }
            Takes::OneOf(known) => [known[0].clone(), known[1].clone()],
            Takes::Json => [r#"{"a":"1"}"#.to_owned(), r#"{"b":"2"}"#.to_owned()],
            Takes::One | Takes::Listed | Takes::Several => ["1".to_owned(), "2".to_owned()],
        };
        let [one, other] = &texts;
        let word = |text: &str| if long.is_empty() { text.to_owned() } else { format!("--{long}={text}") };
        let json = |text: &str| if flag.takes == Takes::Json { text.to_owned() } else { format!("\"{text}\"") };
        // Each with the word that says the other.
        [(json(one), one.clone(), word(other)), (json(other), other.clone(), word(one))]
    }

    #[test]
    fn each_flag_wins_over_its_variable_and_that_over_the_config() {
        let folder = tempfile::tempdir().unwrap();
        let shown = |config: &str, variables: &[(String, String)], words: &[String]| {
            format!("{:?}", layered(config, variables, words, folder.path()).args)
        };
        let nothing = shown("{}", &[], &[]);
        let mut seen = 0;
        for flag in flags(&table::command()).iter().filter(|flag| flag.in_configs) {
            let key = flag.key();
            for (json, text, opposite) in values(flag) {
                let config = format!("{{\"{key}\": {json}}}");
                let variable = [(environment::names(flag).next().unwrap(), text.clone())];
                let typed = [opposite];
                assert_eq!(shown(&config, &[], &[]), shown("{}", &variable, &[]), "{key}: {config}");
                assert_eq!(shown(&config, &[], &[]) == nothing, text == "false", "{key}: {config} is of consequence");
                let only_typed = shown("{}", &[], &typed);
                assert_ne!(only_typed, shown(&config, &[], &[]), "{key}: {typed:?} says something else");
                assert_eq!(shown(&config, &[], &typed), only_typed, "{key}: a flag over the config");
                assert_eq!(shown("{}", &variable, &typed), only_typed, "{key}: a flag over a variable");
            }
            let [(config, ..), (_, variable, _)] = values(flag);
            let variable = [(environment::names(flag).next().unwrap(), variable)];
            let only_variable = shown("{}", &variable, &[]);
            assert_eq!(
                shown(&format!("{{\"{key}\": {config}}}"), &variable, &[]),
                only_variable,
                "{key}: a variable over the config"
            );
            seen += 1;
        }
        assert!(seen > 25, "{seen} flags");
    }

    #[test]
    fn an_alternative_in_a_layer_above_replaces_a_flag() {
        let folder = tempfile::tempdir().unwrap();
        let args = |config: &str, line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            layered(config, &[], &words, folder.path()).args
        };
        let file = args(r#"{"data": {"name": "Ann"}}"#, "-D messages.json");
        assert_eq!((file.data, file.data_file), (None, Some("messages.json".into())));
        let text = args(r#"{"data-file": "messages.json"}"#, "-d {}");
        assert_eq!((text.data.as_deref(), text.data_file), (Some("{}"), None));

        assert!(!args(r#"{"insecure": true}"#, "--tls").reach.insecure);
        assert!(!args(r#"{"insecure": true}"#, "--skipTLS").reach.insecure);
        assert!(args(r#"{"insecure": true}"#, "--no-tls").reach.insecure);
        let plaintext = args(r#"{"cacert": "ca.pem", "skipTLS": true}"#, "--insecure");
        assert_eq!((plaintext.reach.insecure, plaintext.reach.cacert, plaintext.reach.skip_tls), (true, None, false));
        let counted = args(r#"{"duration": "10s", "max-duration": "1m"}"#, "-n 5");
        assert_eq!((counted.duration, counted.max_duration.as_deref()), (None, Some("1m")));
        let steady = args(r#"{"load-schedule": "step", "load-start": 5}"#, "-r 10");
        assert!(steady.load_schedule.is_none());
        assert_eq!(args(r#"{"rps": 10}"#, "--load-schedule line").rps, None);
        assert_eq!(args(r#"{"rps": 10}"#, "--load-schedule const").rps.as_deref(), Some("10"));
        let both = args(r#"{"cacert": "ca.pem"}"#, "--tls");
        assert_eq!((both.reach.tls, both.reach.cacert), (true, Some("ca.pem".into())));
    }

    #[test]
    fn a_host_of_a_config_is_never_a_command_or_a_flag() {
        let folder = tempfile::tempdir().unwrap();
        for (host, words) in [("demo", vec![]), ("serve", vec!["--insecure", "--"]), ("-n", vec!["-c", "5"])] {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            let args = layered(&format!("{{\"host\": \"{host}\"}}"), &[], &words, folder.path()).args;
            assert_eq!(args.host.as_deref(), Some(host));
        }
        let typed = layered(r#"{"host": "one:1"}"#, &[], &["two:2".to_owned()], folder.path()).args;
        assert_eq!(typed.host.as_deref(), Some("two:2"));
    }
}
