//! Configs: files in JSON, TOML or YAML that set flags, with the keys and types of ghz.
//!
//! A key is the long name of a flag, in any case, or `host`. What a value means is not decided here: it becomes the word that would
//! have been typed, so that a config can say nothing that the command line cannot. Only the kind of a value is checked:
//! true or false for a switch, a text or number for a value, any JSON for data, an array for a flag that repeats.

mod json;
mod toml;
mod tree;
mod yaml;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use self::tree::{Broken, Member, Node, Value};
use super::input;
use super::layers::{Setting, Source, Word};
use super::table::{Flag, Takes};
use crate::error::{ConfigError, Problems};
use crate::schema::near;

/// The flags that the config at `path` sets. Keys that are no flags are mistakes, or notes if `lenient`.
pub(super) fn load(
    path: &Path,
    lenient: bool,
    flags: &[Flag],
    notes: &mut Vec<String>,
) -> Result<Vec<Setting>, Problems> {
    let input::Text { text, origin } = input::file("--config", path)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    // Until it has been read, metadata may be anywhere.
    let metadata = std::iter::once(0..text.len()).collect();
    let source = Source { origin, text: text.to_owned(), metadata };
    let mut config = Config { source: Arc::new(source), flags, lenient };
    let node = config.read(path)?;
    let source = Source { origin: config.name(), text: text.to_owned(), metadata: config.metadata(&node) };
    config.source = Arc::new(source);
    config.settings(node, notes)
}

/// How many keys that should not be there are told one by one.
const SHOWN: usize = 10;

struct Config<'a> {
    source: Arc<Source>,
    flags: &'a [Flag],
    lenient: bool,
}

/// Reads a text of a format.
type Read = fn(&str) -> Result<Node, Broken>;

impl Config<'_> {
    /// The values, by the format that the name of the file tells. If it tells none, whatever format reads them.
    fn read(&self, path: &Path) -> Result<Node, Problems> {
        const FORMATS: [(&str, Read); 3] = [("JSON", json::read), ("TOML", toml::read), ("YAML", yaml::read)];
        let text = self.source.text.as_str();
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
        let extension = if extension == "YML" { "YAML" } else { &*extension };
        match FORMATS.iter().find(|(format, _)| *format == extension) {
            Some((format, read)) => read(text).map_err(|broken| self.broken(format, broken)),
            None if text.trim_start().starts_with('{') => {
                json::read(text).map_err(|broken| self.broken("JSON", broken))
            }
            None => {
                [toml::read, yaml::read].iter().find_map(|read| read(text).ok().filter(is_object)).ok_or_else(|| {
                    let problem = "its name does not tell which, and it can be read as none of them".to_owned();
                    ConfigError::Syntax { config: self.name(), format: "JSON, TOML or YAML", problem, excerpt: None }
                        .into()
                })
            }
        }
    }

    fn broken(&self, format: &'static str, Broken { at, problem }: Broken) -> Problems {
        let excerpt = Some(self.source.excerpt(&at, "here"));
        ConfigError::Syntax { config: self.name(), format, problem, excerpt }.into()
    }

    /// Where metadata may stand: in JSON in its values, and in those of keys that are no flags and may be meant for it;
    /// elsewhere in the whole text, where tables can be spread out.
    fn metadata(&self, node: &Node) -> Vec<Range<usize>> {
        let whole = 0..self.source.text.len();
        let Value::Object(members) = &node.value else { return vec![whole] };
        let may_be = |member: &&Member| {
            let flag = self.flags.iter().find(|flag| flag.in_configs && flag.has_name(&member.key));
            flag.is_none_or(|flag| flag.is_metadata() || flag.long() == Some("metadata-file"))
        };
        let mut found = members.iter().filter(may_be);
        if self.source.text.trim_start().starts_with('{') {
            found.map(|member| member.key_at.start..member.value.at.end).collect()
        } else {
            found.next().map(|_| whole).into_iter().collect()
        }
    }

    fn settings(&self, node: Node, notes: &mut Vec<String>) -> Result<Vec<Setting>, Problems> {
        let members = match node.value {
            Value::Object(members) => members,
            Value::Null => Vec::new(),
            value => {
                let problem = format!("it has to be an object of flags, and is {}", value.noun());
                return Err(self.broken("a config", Broken { at: node.at, problem }));
            }
        };
        let mut problems = Problems::new();
        let mut seen = Vec::new();
        let mut settings = Vec::new();
        let mut wrong = Vec::new();
        for member in members {
            let flag = self.flags.iter().find(|flag| flag.in_configs && flag.has_name(&member.key));
            match flag {
                Some(flag) if !seen.contains(&flag.id.as_str()) => {
                    seen.push(flag.id.as_str());
                    settings.extend(problems.keep(self.setting(flag, &member.value)).flatten());
                }
                known => wrong.push((known, member)),
            }
        }
        problems.keep(self.refuse(wrong, notes));
        problems.into_result()?;
        Ok(settings)
    }

    /// Tells of keys that are no flags, or are there a second time. There may be as many as the text has lines, and each
    /// is shown with a copy of the text; so only the first are.
    fn refuse(&self, wrong: Vec<(Option<&Flag>, Member)>, notes: &mut Vec<String>) -> Result<(), Problems> {
        let (passed, wrong): (Vec<_>, Vec<_>) = wrong.into_iter().partition(|(flag, _)| self.lenient && flag.is_none());
        notes.extend(passed.iter().take(SHOWN).map(|(_, member)| self.passed_over(member)));
        if let Some(more @ 1..) = passed.len().checked_sub(SHOWN) {
            notes.push(format!("{more} more keys in `{}` are no flags, and are passed over", self.name()));
        }
        let mut problems = Problems::new();
        let more = wrong.len().saturating_sub(SHOWN);
        for (flag, member) in wrong.into_iter().take(SHOWN) {
            problems.push(flag.map_or_else(|| self.unknown(&member), |flag| self.twice(flag, &member)));
        }
        if more > 0 {
            problems.push(ConfigError::More { config: self.name(), count: more });
        }
        problems.into_result()
    }

    /// What `node` makes of `flag`; `None` if it sets nothing.
    fn setting(&self, flag: &Flag, node: &Node) -> Result<Option<Setting>, Problems> {
        let mut whole_text = false;
        let word = match (&flag.takes, &node.value) {
            (_, Value::Null) => return Ok(None),
            // In ghz's configs an empty text is one that is not set.
            (_, Value::Text(text)) if text.is_empty() => return Ok(None),
            (Takes::Json, value) => {
                // As it stands in a JSON file, so that mistakes in it are shown there.
                let (written, json) = (&self.source.text[node.at.clone()], value.json());
                whole_text = json::read(written).is_ok_and(|read| read.value.json() == json);
                Word::Values(vec![if whole_text { written.to_owned() } else { json }])
            }
            (Takes::Nothing, value) => {
                Word::Switch(truth(value).ok_or_else(|| self.other(flag, "true or false", node))?)
            }
            (Takes::Several, Value::List(nodes)) => {
                let texts = nodes.iter().map(|node| scalar(node).ok_or_else(|| self.other(flag, "texts", node)));
                Word::Values(texts.collect::<Result<_, _>>()?)
            }
            (Takes::Listed, Value::List(nodes)) => {
                let texts = nodes.iter().map(|node| scalar(node).ok_or_else(|| self.other(flag, "texts", node)));
                Word::Values(vec![texts.collect::<Result<Vec<_>, _>>()?.join(",")])
            }
            (Takes::One | Takes::OneOf(_) | Takes::Listed | Takes::Several, _) => {
                let wanted = if flag.takes == Takes::Several { "an array of texts" } else { "a text or a number" };
                Word::Values(vec![scalar(node).ok_or_else(|| self.other(flag, wanted, node))?])
            }
        };
        Ok(Some(Setting::new(flag, word, &self.source, node.at.clone(), whole_text)?))
    }

    fn twice(&self, flag: &Flag, member: &Member) -> ConfigError {
        let excerpt = self.source.excerpt(&member.key_at, "a second time");
        ConfigError::KeyTwice { config: self.name(), key: flag.key().to_owned(), excerpt }
    }

    fn unknown(&self, member: &Member) -> ConfigError {
        let (key, near) = (member.key.clone(), self.near(&member.key));
        let excerpt = self.source.excerpt(&member.key_at, "no such flag");
        ConfigError::UnknownKey { config: self.name(), key, near, excerpt }
    }

    fn passed_over(&self, member: &Member) -> String {
        let near = self.near(&member.key);
        let guess = near.first().map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        format!("`{}` in `{}` is no flag, and is passed over{guess}", member.key, self.name())
    }

    /// Flags that `key` may be meant for.
    fn near(&self, key: &str) -> Vec<String> {
        near(key, self.flags.iter().filter(|flag| flag.in_configs).map(Flag::key))
    }

    fn other(&self, flag: &Flag, wanted: &'static str, node: &Node) -> Problems {
        let excerpt = self.source.excerpt(&node.at, "this value");
        let found = node.value.noun();
        ConfigError::KeyValue { config: self.name(), key: flag.key().to_owned(), wanted, found, excerpt }.into()
    }

    fn name(&self) -> String {
        self.source.origin.clone()
    }
}

fn is_object(node: &Node) -> bool {
    matches!(node.value, Value::Object(_))
}

/// A text or number as it would be typed.
fn scalar(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) | Value::Number(text) => Some(text.clone()),
        _ => None,
    }
}

/// True or false; also in the words that YAML 1.1 had for them, which mean nothing else here.
fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::Text(text) => super::environment::truth(text),
        _ => None,
    }
}
