//! Each flag of ghz: there with its names and its kind of value, or with a line in docs/ghz-differences.md.

use std::collections::BTreeMap;
use std::fs;

use super::harness::{Run, flag_lines, project};

use Takes::{Switch, Value};

/// What a flag takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Takes {
    Switch,
    Value,
}

/// A flag of ghz: long name, short name, what it takes, whether configs have it, whether it means something else here.
type Row = (&'static str, &'static str, Takes, bool, bool);

/// All flags of ghz 0.121. The key in a config is the long name.
const GHZ: &[Row] = &[
    ("config", "", Value, false, true),
    ("proto", "", Value, true, true),
    ("protoset", "", Value, true, false),
    ("call", "", Value, true, false),
    ("import-paths", "i", Value, true, false),
    ("insecure", "", Switch, true, true),
    ("skipTLS", "", Switch, true, true),
    ("cacert", "", Value, true, false),
    ("cert", "", Value, true, false),
    ("key", "", Value, true, false),
    ("cname", "", Value, true, false),
    ("authority", "", Value, true, false),
    ("total", "n", Value, true, true),
    ("concurrency", "c", Value, true, true),
    ("duration", "z", Value, true, false),
    ("max-duration", "x", Value, true, true),
    ("duration-stop", "", Value, true, true),
    ("timeout", "t", Value, true, false),
    ("rps", "r", Value, true, true),
    ("async", "", Switch, true, true),
    ("load-schedule", "", Value, true, true),
    ("load-start", "", Value, true, true),
    ("load-step", "", Value, true, false),
    ("load-end", "", Value, true, false),
    ("load-step-duration", "", Value, true, false),
    ("load-max-duration", "", Value, true, true),
    ("concurrency-schedule", "", Value, true, true),
    ("concurrency-start", "", Value, true, false),
    ("concurrency-end", "", Value, true, false),
    ("concurrency-step", "", Value, true, false),
    ("concurrency-step-duration", "", Value, true, false),
    ("concurrency-max-duration", "", Value, true, false),
    ("connections", "", Value, true, false),
    ("cpus", "", Value, true, true),
    ("data", "d", Value, true, true),
    ("data-file", "D", Value, true, true),
    ("binary", "b", Switch, false, false),
    ("binary-file", "B", Value, true, false),
    ("metadata", "m", Value, true, false),
    ("metadata-file", "M", Value, true, false),
    ("reflect-metadata", "", Value, true, false),
    ("disable-template-functions", "", Switch, true, false),
    ("disable-template-data", "", Switch, true, false),
    ("enable-compression", "e", Switch, true, false),
    ("max-recv-message-size", "", Value, true, false),
    ("max-send-message-size", "", Value, true, false),
    ("stream-interval", "", Value, true, false),
    ("stream-call-duration", "", Value, true, true),
    ("stream-call-count", "", Value, true, true),
    ("stream-dynamic-messages", "", Switch, true, false),
    ("connect-timeout", "", Value, true, true),
    ("keepalive", "", Value, true, false),
    ("lb-strategy", "", Value, true, false),
    ("output", "o", Value, true, true),
    ("format", "O", Value, true, true),
    ("skipFirst", "", Value, true, true),
    ("count-errors", "", Switch, true, true),
    ("name", "", Value, true, false),
    ("tags", "", Value, true, false),
    ("debug", "", Value, true, false),
    ("help", "h", Switch, false, false),
    ("help-long", "", Switch, false, false),
    ("help-man", "", Switch, false, false),
    ("version", "v", Switch, false, false),
    ("completion-bash", "", Switch, false, false),
    ("completion-script-bash", "", Switch, false, false),
    ("completion-script-zsh", "", Switch, false, false),
];

/// The flags of a run: short name and what they take, by long name.
fn flags() -> BTreeMap<String, (String, Takes)> {
    let help = Run::new().args(["--help"]).go().stdout;
    let flags = flag_lines(&help).filter_map(|line| {
        let (before, after) = line.split_once("--")?;
        let (long, rest) = after.split_at(after.find([' ', ',']).unwrap_or(after.len()));
        let short = before.trim_start_matches('-').trim_end_matches([',', ' ']);
        Some((long.to_owned(), (short.to_owned(), if rest.contains('<') { Value } else { Switch })))
    });
    flags.collect()
}

/// The page: what is different, and the flags that are not there yet, which come first in each item of its list.
fn page() -> (String, Vec<String>) {
    let page = fs::read_to_string(project().join("docs/ghz-differences.md")).unwrap();
    let (different, missing) = page.split_once("## Flags that are not there yet").expect("the page has that heading");
    let items = missing.split("\n- ").skip(1).map(|item| item.split(':').next().unwrap_or_default());
    let names = items.flat_map(|item| item.split("`--").skip(1).map(|rest| rest.split('`').next().unwrap_or_default()));
    (different.to_owned(), names.map(str::to_owned).collect())
}

#[test]
fn each_is_there_or_on_the_page() {
    let flags = flags();
    let (different, missing) = page();
    let mut offences = Vec::new();
    for (long, short, takes, _, differs) in GHZ {
        let listed = missing.iter().any(|name| name == long);
        let offence = match flags.get(*long) {
            None if !listed => "is neither there nor in the list of what is not there yet".to_owned(),
            Some(_) if listed => "is there: take it from the list of what is not".to_owned(),
            Some((own, _)) if own != short => format!("is -{short} in ghz, not -{own}"),
            Some((_, own)) if own != takes => format!("is a {takes:?} in ghz, not a {own:?}"),
            Some(_) if *differs && !different.contains(&format!("| `--{long}` |")) => {
                "means something else, and has no row that says so".to_owned()
            }
            None | Some(_) => continue,
        };
        offences.push(format!("--{long} {offence}"));
    }
    for name in missing.iter().filter(|name| GHZ.iter().all(|row| row.0 != **name)) {
        offences.push(format!("--{name} is in the list of what is not there, and no flag of ghz"));
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

#[test]
fn no_short_name_means_another_flag() {
    for (long, (short, _)) in flags() {
        if let Some(row) = GHZ.iter().find(|row| !short.is_empty() && row.1 == short) {
            assert_eq!(row.0, long, "-{short}");
        }
    }
}

#[test]
fn each_switch_can_be_turned_off() {
    let flags = flags();
    for (long, ..) in GHZ.iter().filter(|row| row.2 == Switch && row.3 && flags.contains_key(row.0)) {
        // Nothing else is wrong with it.
        let done = Run::new().args([format!("--no-{long}").as_str()]).status(2).go();
        assert!(done.stderr.starts_with("error: the target is missing"), "--no-{long}: {}", done.stderr);
    }
}

#[test]
fn each_key_is_known_if_its_flag_is_there() {
    let flags = flags();
    let keys: Vec<&str> = GHZ.iter().filter(|row| row.3).map(|row| row.0).chain(["host"]).collect();
    let lines: Vec<String> = keys.iter().map(|key| format!("\"{key}\": null")).collect();
    let config = format!("{{\n{}\n}}", lines.join(",\n"));
    let done = Run::new().file("ghz.json", &config).args(["--config", "ghz.json"]).status(2).go();
    for key in keys {
        let refused = done.stderr.contains(&format!("sets `{key}`, and there is no flag"));
        assert_eq!(refused, key != "host" && !flags.contains_key(key), "{key}: {}", done.stderr);
    }
}
