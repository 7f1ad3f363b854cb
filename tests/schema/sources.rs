//! The table of sources: the same files, by way of each.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use grpcbench::error::{Error, Problems};
use grpcbench::payload::{CallSource, Reading, Room};
use grpcbench::schema::{Ask, Method, Schema};
use grpcbench::transport::{Security, Target};
use prost::Message as _;
use prost_reflect::prost_types::FileDescriptorSet;
use tempfile::TempDir;

use crate::server::{Manner, ReflectionServer, Version};

/// Ways to a schema.
pub(crate) const WAYS: [Way; 7] = [
    Way::Protos,
    Way::Protoset,
    Way::Server(Version::V1, Manner::OneFile),
    Way::Server(Version::V1Alpha, Manner::OneFile),
    Way::Server(Version::V1, Manner::WithImports),
    Way::Server(Version::V1, Manner::OneAnswer),
    Way::Server(Version::V1Alpha, Manner::Abrupt),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Protos,
    Protoset,
    Server(Version, Manner),
}

/// A schema that can be loaded by one of the ways.
pub(crate) struct Origin {
    pub(crate) way: Way,
    folder: TempDir,
    entry: PathBuf,
    server: Option<ReflectionServer>,
}

impl Origin {
    /// `files` by name and text; the first is the one that is given to the compiler.
    pub(crate) fn new(way: Way, files: &[(&str, &str)]) -> Origin {
        let folder = folder(files);
        let set = set_of(folder.path(), &[files[0].0]);
        Origin::with_set(way, files, &set)
    }

    /// As [`new`](Origin::new), with a set that is what a compiler makes of the files.
    pub(crate) fn with_set(way: Way, files: &[(&str, &str)], set: &FileDescriptorSet) -> Origin {
        let folder = folder(files);
        let entry = folder.path().join(files[0].0);
        fs::write(folder.path().join("set.pb"), set.encode_to_vec()).unwrap();
        let server = match way {
            Way::Server(version, manner) => Some(ReflectionServer::start(set, version, manner)),
            _ => None,
        };
        Origin { way, folder, entry, server }
    }

    pub(crate) fn load(&self, ask: Ask<'_>) -> Result<Schema, Problems> {
        match &self.server {
            Some(server) => Schema::reflect(&target(&server.address()), &[], ask),
            None if self.way == Way::Protos => Schema::compile(std::slice::from_ref(&self.entry), &[]),
            None => Schema::protosets(&[self.folder.path().join("set.pb")]),
        }
    }

    pub(crate) fn method(&self, call: &str) -> Result<Method, Problems> {
        self.load(Ask::Method(call))?.method(call)
    }

    /// The description of a symbol.
    pub(crate) fn text(&self, name: &str) -> Result<String, Problems> {
        Ok(self.load(Ask::Symbol(name))?.symbol(name)?.text())
    }

    pub(crate) fn template(&self, name: &str) -> Result<String, Problems> {
        self.load(Ask::Symbol(name))?.symbol(name)?.template()
    }

    /// The bytes of the message that `json` is for a call.
    pub(crate) fn encode(&self, call: &str, json: &str) -> Result<Vec<u8>, Problems> {
        let source = CallSource::from_json(Some(json), "--data", &self.method(call)?, &Reading::default())?;
        Ok(source.call(0, &Room::new()).get(0).expect("one message")[5..].to_vec())
    }
}

/// Runs `check` over each way to a schema of `files`.
#[expect(clippy::print_stdout, reason = "the test harness keeps it, and shows it when a check fails")]
pub(crate) fn each(files: &[(&str, &str)], check: impl Fn(&Origin)) {
    for way in WAYS {
        println!("by way of {way:?}");
        check(&Origin::new(way, files));
    }
}

/// The files called `names` in `folder` as a set, with imports and comments.
pub(crate) fn set_of(folder: &Path, names: &[&str]) -> FileDescriptorSet {
    let mut compiler = protox::Compiler::new([folder]).unwrap();
    compiler.include_imports(true).include_source_info(true);
    compiler.open_files(names.iter().map(|name| folder.join(name))).unwrap();
    compiler.file_descriptor_set()
}

/// A set of files given by name and text.
pub(crate) fn set(files: &[(&str, &str)]) -> FileDescriptorSet {
    set_of(folder(files).path(), &files.iter().map(|(name, _)| *name).collect::<Vec<_>>())
}

/// A folder of files given by name and text.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// A target in plaintext.
pub(crate) fn target(address: &str) -> Target {
    let target = Target::parse(address).unwrap();
    Target { security: Security::Plaintext, connect_timeout: Duration::from_secs(20), ..target }
}

/// What is said about mistakes, a line each: the sentence, and the hint.
#[track_caller]
pub(crate) fn said<T>(result: Result<T, Problems>) -> String {
    let Err(problems) = result else { panic!("there is no mistake") };
    let lines: Vec<String> = problems.iter().map(line).collect();
    lines.join("\n")
}

fn line(error: &Error) -> String {
    let mut line = error.to_string();
    if let Some(hint) = error.hint() {
        write!(line, " / {hint}").unwrap();
    }
    line
}
