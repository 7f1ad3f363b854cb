//! Where the schema comes from, by the flags: files before sets before the server, as with ghz.

use super::args::SchemaArgs;
use crate::error::Problems;
use crate::payload::Metadata;
use crate::schema::Source;

/// The source that the flags name; flags that are not used are noted.
pub(super) fn source(args: &SchemaArgs, notes: &mut Vec<String>) -> Result<Source, Problems> {
    let unused = |flag: &str, given: &str| format!("{flag} is not used, because {given} says where the schema is");
    if args.proto.is_empty() && !args.import_paths.is_empty() {
        notes.push("--import-paths is not used, because there is no --proto".to_owned());
    }
    if args.proto.is_empty() && args.protoset.is_empty() {
        let metadata = args.reflect_metadata.as_deref();
        let metadata = metadata.map(|json| Metadata::fixed(json, "--reflect-metadata")).transpose()?;
        let metadata = metadata.map_or_else(Vec::new, |metadata| metadata.entries().to_vec());
        return Ok(Source::Reflection { metadata });
    }
    let given = if args.proto.is_empty() { "--protoset" } else { "--proto" };
    if !args.proto.is_empty() && !args.protoset.is_empty() {
        notes.push(unused("--protoset", given));
    }
    if args.reflect_metadata.is_some() {
        notes.push(unused("--reflect-metadata", given));
    }
    Ok(if args.proto.is_empty() {
        Source::Protosets(args.protoset.clone())
    } else {
        Source::Protos { files: args.proto.clone(), roots: args.import_paths.clone() }
    })
}
