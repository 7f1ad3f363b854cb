//! The rules of the architecture that a compiler cannot hold in one crate: who may use whom, and what stays at the edge.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module with the siblings that it may use: those above it, as ARCHITECTURE.md lists them.
const LAYERS: &[(&str, &[&str])] = &[
    ("files", &[]),
    ("units", &[]),
    ("error", &["units"]),
    ("clock", &["units"]),
    ("load", &["units", "error"]),
    ("record", &["units"]),
    ("wire", &[]),
    ("transport", &["files", "clock", "wire", "record", "units", "error"]),
    ("schema", &["files", "error", "transport"]),
    ("payload", &["schema", "units", "error"]),
    ("plan", &["load", "payload", "schema", "transport", "units", "error"]),
    ("drive", &["clock", "plan", "load", "payload", "schema", "transport", "record", "units", "error"]),
    ("report", &["record", "plan", "load", "units"]),
    ("sweep", &["report", "units"]),
    ("export", &["sweep", "report", "units"]),
    ("target", &["files", "units", "error"]),
    ("cli", &["*"]),
];

/// Foreign crates that are kept to some modules.
const CRATES: &[(&str, &[&str])] = &[
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("toml", &["cli"]),
    ("saphyr_parser", &["cli"]),
    ("tonic", &["transport", "schema", "target"]),
    ("tonic_reflection", &["schema", "target"]),
    ("tonic_health", &["target"]),
    ("tokio_stream", &["schema", "target"]),
    ("hyper_util", &["schema"]),
    ("tokio", &["clock", "transport", "schema", "drive", "cli", "target"]),
    ("tokio_rustls", &["transport"]),
    ("rustls", &["transport", "target"]),
    ("prost", &["schema", "payload", "target"]),
    ("prost_reflect", &["schema", "payload", "cli"]),
    ("protox", &["schema"]),
    ("flate2", &["payload", "transport", "record"]),
    ("hdrhistogram", &["record"]),
    ("serde", &["cli", "payload", "export"]),
    ("serde_json", &["cli", "payload", "export"]),
    ("gotmpl", &["payload"]),
    ("regex", &["payload"]),
    ("miette", &["schema", "cli"]),
    ("jiff", &["cli", "export", "payload"]),
    ("rustix", &["drive", "cli"]),
];

/// Names that say nothing about what a file is for.
const EMPTY_NAMES: &[&str] = &["util", "utils", "common", "helpers", "types", "misc"];

struct Source {
    path: PathBuf,
    module: String,
    /// The lines before the tests, without comments.
    lines: Vec<(usize, String)>,
}

/// The files of the library, without test files and test modules.
fn sources() -> Vec<Source> {
    let mut files = Vec::new();
    collect(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut files);
    files
        .into_iter()
        .filter(|path| !path.iter().any(|part| part == "tests") && !path.ends_with("drive/simulation.rs"))
        .filter(|path| path.file_stem().is_none_or(|stem| stem != "tests"))
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let lines = text
                .lines()
                .enumerate()
                .take_while(|(_, line)| line.trim() != "mod tests {")
                .filter(|(_, line)| !line.trim_start().starts_with("//"))
                .map(|(number, line)| (number + 1, line.to_owned()))
                .collect();
            let relative = path.strip_prefix(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).unwrap();
            let first = relative.iter().next().unwrap().to_string_lossy();
            Source { module: first.trim_end_matches(".rs").to_owned(), lines, path }
        })
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The word behind each `prefix` in `line`, where `prefix` does not continue a longer word.
fn words_after<'a>(line: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(prefix).filter_map(move |(at, _)| {
        let before = line[..at].chars().next_back();
        let inside = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '$'));
        let rest = &line[at + prefix.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        (!inside && end > 0).then_some(&rest[..end])
    })
}

fn assert_none(offences: &[String], rule: &str) {
    assert!(offences.is_empty(), "{rule}:\n{}", offences.join("\n"));
}

#[test]
fn modules_use_only_what_is_above_them() {
    let mut offences = Vec::new();
    let sources = sources();
    for source in sources.iter().filter(|source| !matches!(&*source.module, "lib" | "main")) {
        let Some((_, allowed)) = LAYERS.iter().find(|(module, _)| *module == source.module) else {
            offences.push(format!("{}: the module is in no layer", source.path.display()));
            continue;
        };
        for (number, line) in &source.lines {
            for used in words_after(line, "crate::") {
                if used != source.module && !allowed.contains(&used) && !allowed.contains(&"*") {
                    offences.push(format!("{}:{number}: {} uses {used}", source.path.display(), source.module));
                }
            }
        }
    }
    assert!(sources.len() > 50, "the test sees the sources");
    assert_none(&offences, "modules use only those above them (see ARCHITECTURE.md)");
}

#[test]
fn foreign_crates_stay_in_their_layers() {
    let mut offences = Vec::new();
    for source in sources().iter().filter(|source| !matches!(&*source.module, "lib" | "main")) {
        for (number, line) in &source.lines {
            for (name, allowed) in CRATES {
                let used = words_after(line, &format!("{name}::")).next().is_some()
                    || line.trim() == format!("use {name};")
                    || line.contains(&format!("{name}::{{"));
                let part_of_longer = line.contains(&format!("_{name}::")) || line.contains(&format!("::{name}::"));
                if used && !part_of_longer && !allowed.contains(&&*source.module) {
                    offences.push(format!("{}:{number}: {} uses {name}", source.path.display(), source.module));
                }
            }
        }
    }
    assert_none(&offences, "foreign crates are used in their layers only");
}

#[test]
fn siblings_are_named_in_use_lines() {
    let mut offences = Vec::new();
    for source in sources() {
        let mut in_use = false;
        for (number, line) in &source.lines {
            let code = line.trim_start();
            let starts =
                code.starts_with("use ") || code.starts_with("pub use ") || code.starts_with("pub(crate) use ");
            in_use = in_use || starts;
            let allowed = in_use || code.starts_with("pub(in crate::") || code.contains("$crate::");
            if !allowed && words_after(line, "crate::").next().is_some() {
                offences.push(format!("{}:{number}: {code}", source.path.display()));
            }
            in_use = in_use && !code.ends_with(';');
        }
    }
    assert_none(&offences, "other modules are named in `use` lines, where the layers can be read");
}

#[test]
fn only_the_command_line_prints_and_exits() {
    let mut offences = Vec::new();
    for source in sources().iter().filter(|source| source.module != "cli") {
        for (number, line) in &source.lines {
            for word in ["println!", "eprintln!", "print!", "eprint!", "process::exit", "env::var", "env::args", "dbg!"]
            {
                // Templates have a function for it.
                let asked_for = word == "env::var" && source.path.ends_with("payload/template/functions/system.rs");
                if line.contains(word) && !asked_for {
                    offences.push(format!("{}:{number}: {word}", source.path.display()));
                }
            }
        }
    }
    assert_none(&offences, "only cli prints, exits, or reads the environment");
}

#[test]
fn nothing_of_ours_locks_or_queues_on_the_call_path() {
    let mut offences = Vec::new();
    for source in sources().iter().filter(|source| matches!(&*source.module, "drive" | "record" | "transport" | "wire"))
    {
        for (number, line) in &source.lines {
            for word in ["Mutex", "RwLock", "mpsc::", "oneshot", "HashMap<String"] {
                let between_threads = ["drive/mod.rs", "drive/thread.rs", "drive/watching.rs", "transport/resolver.rs"]
                    .iter()
                    .any(|file| source.path.ends_with(file));
                if line.contains(word) && !between_threads {
                    offences.push(format!("{}:{number}: {word}", source.path.display()));
                }
            }
        }
    }
    assert_none(&offences, "the call path has no lock and no channel");
}

#[test]
fn names_say_what_a_file_is_for() {
    let offences: Vec<String> = sources()
        .iter()
        .filter(|source| source.path.file_stem().is_some_and(|stem| EMPTY_NAMES.iter().any(|name| stem == *name)))
        .map(|source| source.path.display().to_string())
        .collect();
    assert_none(&offences, "a file is named for what it is for");
}

#[test]
fn every_file_begins_by_saying_what_it_is() {
    let offences: Vec<String> = sources()
        .iter()
        .filter(|source| !fs::read_to_string(&source.path).unwrap().starts_with("//!"))
        .map(|source| source.path.display().to_string())
        .collect();
    assert_none(&offences, "a file begins with its module doc");
}

/// The long flags in a help text.
fn flags(args: &[&str]) -> BTreeSet<String> {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_grpcbench")).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}");
    let help = String::from_utf8(output.stdout).unwrap();
    help.lines()
        // Texts are farther to the right, and may begin with a dash too.
        .filter(|line| line.trim_start().starts_with('-') && !line.starts_with("          "))
        .filter_map(|line| words_after(line, "--").next().map(|name| (line, name)))
        .map(|(line, _)| {
            let at = line.find("--").unwrap();
            let end =
                line[at + 2..].find(|c: char| !c.is_alphanumeric() && c != '-').map_or(line.len(), |end| at + 2 + end);
            line[at..end].to_owned()
        })
        .collect()
}

#[test]
fn every_flag_is_in_the_readme() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let mut all = flags(&["--help"]);
    all.extend(flags(&["compare", "--help"]));
    all.extend(flags(&["serve", "--help"]));
    all.extend(flags(&["demo", "--help"]));
    all.extend(flags(&["describe", "--help"]));
    all.extend(flags(&["sweep", "--help"]));
    assert!(all.len() > 20, "the test sees the flags: {all:?}");
    let missing: Vec<String> = all.into_iter().filter(|flag| !readme.contains(&format!("`{flag}"))).collect();
    assert_none(&missing, "the README has a row for every flag");
}

#[test]
fn the_table_of_flags_in_the_readme_is_the_generated_one() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_grpcbench"))
        .args(["--generate", "flags-markdown"])
        .output()
        .unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.lines().count() > 20, "{table}");
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let (_, section) = readme.split_once("\n## Flags\n").expect("the README has a section for flags");
    let shown: Vec<&str> =
        section.lines().take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with('|')).collect();
    assert_eq!(
        shown,
        table.lines().collect::<Vec<_>>(),
        "put what `grpcbench --generate flags-markdown` writes into the README"
    );
}

/// `#[test]` functions whose name begins with the number of a case, such as `c25_...`, by file and name.
fn tests_of_cases() -> BTreeSet<(String, String)> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&project.join("src"), &mut files);
    collect(&project.join("tests"), &mut files);
    let mut found = BTreeSet::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(project).unwrap().display().to_string();
        for after in text.split("#[test]").skip(1) {
            let function = words_after(after, "fn ").next().unwrap_or_default();
            if function.len() > 4 && case_of(function).is_some() {
                found.insert((name.clone(), function.to_owned()));
            }
        }
    }
    found
}

/// The number of the case that a test is about.
fn case_of(test: &str) -> Option<u32> {
    let (number, rest) = test.strip_prefix('c')?.split_at_checked(2)?;
    rest.starts_with('_').then(|| number.parse().ok()).flatten()
}

#[test]
fn every_case_has_its_tests() {
    const CASES: u32 = 39;
    let table = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/README.md")).unwrap();
    let mut listed = BTreeSet::new();
    let mut offences = Vec::new();
    for case in 1..=CASES {
        let id = format!("| C{case:02} | ");
        let Some(row) = table.lines().find(|line| line.starts_with(&id)) else {
            offences.push(format!("C{case:02} is not in the table"));
            continue;
        };
        let (mut file, mut tests) = ("", 0);
        let cell = row.rsplit(" | ").next().unwrap();
        for name in cell.split('`').skip(1).step_by(2) {
            if name.contains('/') {
                file = name;
                continue;
            }
            tests += 1;
            listed.insert((file.to_owned(), name.to_owned()));
            if case_of(name) != Some(case) {
                offences.push(format!("C{case:02} lists `{name}`, whose name says otherwise"));
            }
        }
        if tests == 0 {
            offences.push(format!("C{case:02} has no test"));
        }
    }
    let there = tests_of_cases();
    let missing = listed.difference(&there).map(|(file, test)| format!("{file} has no test {test}"));
    let unlisted = there.difference(&listed).map(|(file, test)| format!("{file}: {test} is not in the table"));
    offences.extend(missing.chain(unlisted));
    assert!(there.len() > 80, "the test sees the tests: {}", there.len());
    assert_none(&offences, "tests/README.md lists the tests of each case (see there)");
}

/// A step of the wall clock must not move a measurement: it is read for what a report or a template says, and nowhere
/// else. (`Instant` of the standard library is not allowed anywhere; see `clippy.toml`.)
#[test]
fn the_wall_clock_is_read_where_it_is_shown() {
    const PLACES: [&str; 4] =
        ["drive/mod.rs", "cli/settle.rs", "payload/template/mod.rs", "payload/template/functions/dates.rs"];
    let mut offences = Vec::new();
    for source in sources().iter().filter(|source| !PLACES.iter().any(|place| source.path.ends_with(place))) {
        for (number, line) in &source.lines {
            for word in ["SystemTime::now", "Timestamp::now", "DateTime::now"] {
                if line.contains(word) {
                    offences.push(format!("{}:{number}: {word}", source.path.display()));
                }
            }
        }
    }
    assert_none(&offences, "the wall clock is read where it is shown");
}
