//! The texts that are made from the table of flags.

use std::collections::BTreeSet;

use super::harness::{Run, flag_lines};

fn generated(what: &str) -> String {
    Run::new().args(["--generate", what]).go().stdout
}

/// The long names of the flags that the helps list.
fn flags() -> BTreeSet<String> {
    let helps =
        [&["--help"][..], &["compare", "--help"], &["demo", "--help"], &["describe", "--help"], &["serve", "--help"]];
    let lines = helps.iter().flat_map(|args| {
        let help = Run::new().args(args.iter().copied()).go().stdout;
        flag_lines(&help).map(str::to_owned).collect::<Vec<_>>()
    });
    let names = lines.filter_map(|line| {
        let name = line.split("--").nth(1)?.split(|c: char| !c.is_alphanumeric() && c != '-').next()?;
        Some(name.to_owned())
    });
    names.collect()
}

#[track_caller]
fn names_every_flag(what: &str, text: &str, in_front: &str) {
    let flags = flags();
    assert!(flags.len() > 30, "{flags:?}");
    let missing: Vec<_> = flags
        .iter()
        .filter(|flag| {
            let name = format!("{in_front}{flag}");
            !text.match_indices(&name).any(|(at, _)| {
                let after = text[at + name.len()..].chars().next();
                after.is_none_or(|c| !c.is_alphanumeric() && c != '-')
            })
        })
        .collect();
    assert!(missing.is_empty(), "{what} misses {missing:?}");
}

#[test]
fn the_man_page_names_every_flag() {
    let page = generated("man");
    assert!(page.contains(".TH grpcbench 1"), "{}", &page[..200]);
    names_every_flag("the man page", &page.replace("\\-", "-"), "--");
    for section in ["METHOD", "DATA", "LOAD", "CONNECTION", "REPORT", "CONFIG", "\"GRPCBENCH SERVE\""] {
        assert!(page.contains(&format!(".SH {section}\n")), "{section}");
    }
    assert!(page.contains("GRPCBENCH_TIMEOUT"));
}

#[test]
fn completions_name_every_flag() {
    for (shell, in_front) in [("bash", "--"), ("zsh", "--"), ("fish", "-l ")] {
        names_every_flag(shell, &generated(&format!("complete-{shell}")), in_front);
    }
}

#[test]
fn the_table_names_every_flag_and_what_it_takes() {
    let table = generated("flags-markdown");
    names_every_flag("the table", &(table.clone() + "`--help` `--version`"), "`--");
    assert!(table.contains("| `-n`, `--total COUNT` |"), "{table}");
    assert!(table.lines().all(|line| line.replace("\\|", "").matches('|').count() == 3), "{table}");
}

#[test]
fn other_texts_are_refused() {
    let done = Run::new().args(["--generate", "flags"]).status(2).go();
    assert!(done.stderr.contains("complete-bash"), "{}", done.stderr);
}
