//! `grpcbench demo`: a server, a run against it, and its report, from nothing but this binary.
//!
//! It shows the command that does the same by hand, and runs that very command line, so that the two cannot drift apart.

use std::io;
use std::path::{Path, PathBuf};
use std::process;

use clap::FromArgMatches as _;

use super::Exit;
use super::args::{Cli, DemoArgs, RunArgs};
use super::diagnose;
use super::run::carry_out;
use super::settle::settle;
use super::table;
use crate::error::{OutputError, Problems, UsageError};
use crate::target::{Background, Options};

/// The schema in the folder of the sources, where the command that is shown finds it.
const PROTO_PATH: &str = "protos/helloworld.proto";
const PROTO: &str = include_str!("../../protos/helloworld.proto");
const CALL: &str = "helloworld.Greeter.SayHello";
const DATA: &str = r#"{"name":"Ann"}"#;
const DURATION: &str = "2s";

/// Runs the demo.
pub(super) fn demo(args: &DemoArgs) -> Result<Exit, Problems> {
    let server = Background::start(Options::default())
        .map_err(|source| UsageError::CannotListen { address: "127.0.0.1:0".to_owned(), source })?;
    let words = words(args, server.address());
    let proto = TempProto::create()?;

    let mut run = parsed(&words);
    run.schema.proto = vec![proto.file()];
    let mut test = settle(&run)?;
    test.about.protos = vec![PROTO_PATH.to_owned()];
    drop(proto);

    diagnose::say(&format!(
        "A Greeter listens on {}, in this process. The same by hand:\n\n    grpcbench serve {}\n    grpcbench {}\n\n",
        server.address(),
        server.address(),
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    ));
    carry_out(test)
}

/// The command line of the run, without the name of the program.
fn words(args: &DemoArgs, address: &str) -> Vec<String> {
    let mut words: Vec<String> =
        ["--insecure", "--proto", PROTO_PATH, "--call", CALL, "-d", DATA].into_iter().map(str::to_owned).collect();
    let duration = args.duration.as_deref().unwrap_or(DURATION);
    let flags = [
        ("-c", args.concurrency.as_deref()),
        ("-r", args.rps.as_deref()),
        ("-z", Some(duration)),
        // Its calls are answered at once: waiting for the last ones leaves nothing to explain in the report.
        ("--duration-stop", Some("wait")),
        ("-O", args.format.as_deref()),
    ];
    for (flag, value) in flags {
        if let Some(value) = value {
            words.extend([flag.to_owned(), value.to_owned()]);
        }
    }
    words.push(address.to_owned());
    words
}

fn parsed(words: &[String]) -> RunArgs {
    let line = std::iter::once("grpcbench").chain(words.iter().map(String::as_str));
    let cli = table::command().try_get_matches_from(line).and_then(|matches| Cli::from_arg_matches(&matches));
    cli.expect("the demo writes a command line that can be read").run
}

/// A word as it is typed in a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The schema in a folder of its own, for as long as it takes to read it.
struct TempProto(PathBuf);

impl TempProto {
    fn create() -> Result<TempProto, OutputError> {
        let folder = std::env::temp_dir().join(format!("grpcbench-demo-{}-{:016x}", process::id(), fastrand::u64(..)));
        let unwritable = |path: &Path| {
            let path = path.to_owned();
            move |source: io::Error| OutputError::Unwritable { path, source }
        };
        std::fs::create_dir(&folder).map_err(unwritable(&folder))?;
        let proto = TempProto(folder);
        std::fs::write(proto.file(), PROTO).map_err(unwritable(&proto.file()))?;
        Ok(proto)
    }

    fn file(&self) -> PathBuf {
        self.0.join("helloworld.proto")
    }
}

impl Drop for TempProto {
    fn drop(&mut self) {
        // A folder of temporary files is cleaned by others if not by us.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        for (word, typed) in [
            ("127.0.0.1:50051", "127.0.0.1:50051"),
            ("--insecure", "--insecure"),
            (DATA, r#"'{"name":"Ann"}'"#),
            ("", "''"),
            ("it's", r"'it'\''s'"),
        ] {
            assert_eq!(quoted(word), typed);
        }
    }

    #[test]
    fn the_schema_is_there_while_it_is_needed() {
        let proto = TempProto::create().unwrap();
        assert_eq!(std::fs::read_to_string(proto.file()).unwrap(), PROTO);
        let folder = proto.0.clone();
        drop(proto);
        assert!(!folder.exists());
    }
}
