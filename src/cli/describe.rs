//! `grpcbench describe`: what a schema has in it, from files or from a server, as text for people and for scripts.

use std::fs;
use std::path::Path;

use super::Exit;
use super::args::{DescribeArgs, RunArgs};
use super::claims::Claims;
use super::diagnose;
use super::security;
use super::settle;
use super::source::source;
use super::stdout;
use crate::error::{OutputError, Problems, UsageError};
use crate::schema::{Ask, Schema, Source};
use crate::transport::Target;

/// Describes what `args` name.
pub(super) fn describe(args: &DescribeArgs) -> Result<Exit, Problems> {
    let mut problems = Problems::new();
    let mut notes = Vec::new();
    let (host, name) = words(args);
    let source = problems.keep(source(&args.schema, &mut notes));
    let target = match &source {
        Some(Source::Reflection { .. }) => problems.keep(target(args, host)),
        _ => None,
    };
    if args.template && name.is_none() {
        problems.push(UsageError::Missing {
            what: "the name of a method",
            example: "write it behind HOST, such as helloworld.Greeter.SayHello",
        });
    }
    if let Some(path) = &args.protoset_out {
        problems.keep(Claims::of_schema(&args.schema).write("--protoset-out", path));
    }
    problems.into_result()?;

    let ask = match name {
        Some(name) => Ask::Symbol(name),
        None if args.protoset_out.is_some() => Ask::Everything,
        None => Ask::Names,
    };
    for note in &notes {
        diagnose::note(note);
    }
    let source = source.expect("no problems");
    let schema = load(&source, target, host, ask)?;
    for note in schema.notes() {
        diagnose::note(&note.to_string());
    }
    if let Some(path) = &args.protoset_out {
        save(&schema, &source, path)?;
    }
    let text = text(&schema, name, args.template)?;
    stdout::write(|out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Fine)
}

/// The target and the name among the words. A single word is a target if it has a colon, as all targets have and no name.
fn words(args: &DescribeArgs) -> (Option<&str>, Option<&str>) {
    match (args.host.as_deref(), args.name.as_deref()) {
        (Some(word), None) if !word.contains(':') => (None, Some(word)),
        words => words,
    }
}

fn target(args: &DescribeArgs, host: Option<&str>) -> Result<Target, Problems> {
    let Some(host) = host else {
        return Err(UsageError::Missing {
            what: "the schema",
            example: "give its files with --proto or --protoset, or a server that has reflection as host:port",
        }
        .into());
    };
    settle::target(&RunArgs { host: Some(host.to_owned()), reach: args.reach.clone(), ..RunArgs::default() })
        .map(|target| target.expect("there is a host"))
}

fn load(source: &Source, target: Option<Target>, host: Option<&str>, ask: Ask<'_>) -> Result<Schema, Problems> {
    match (source, target) {
        (Source::Protos { files, roots }, _) => Schema::compile(files, roots),
        (Source::Protosets(paths), _) => Schema::protosets(paths),
        (Source::Reflection { metadata }, target) => {
            let mut target = target.expect("a target was asked for");
            security::find_out(&mut target, host.unwrap_or_default(), !metadata.is_empty(), None)?;
            Schema::reflect(&target, metadata, ask)
        }
    }
}

fn text(schema: &Schema, name: Option<&str>, template: bool) -> Result<String, Problems> {
    let Some(name) = name else {
        return Ok(schema.services().into_iter().flat_map(|service| [service, "\n".to_owned()]).collect());
    };
    let symbol = schema.symbol(name)?;
    if template { symbol.template() } else { Ok(symbol.text()) }
}

fn save(schema: &Schema, source: &Source, path: &Path) -> Result<(), Problems> {
    let whole = match source {
        Source::Protos { files, roots } => Schema::set_with_options(files, roots),
        Source::Protosets(_) | Source::Reflection { .. } => None,
    };
    let set = whole.map_or_else(|| schema.descriptor_set(), Ok)?;
    fs::write(path, set).map_err(|source| OutputError::Unwritable { path: path.to_owned(), source })?;
    Ok(())
}
