//! What the flags say about the messages and metadata of calls.

use super::args::{BinaryFormat, RunArgs};
use super::input;
use super::settle::invalid;
use crate::error::{Problems, UsageError};
use crate::payload::{BinaryForm, CallSource, Metadata, Reading, Templating};
use crate::schema::Method;

/// Seeds that are made up stay below 2^53, so that every reader of JSON reads them to the last digit.
const SEEDS_END: u64 = 1 << 53;

/// The data of a run as it was given.
#[derive(Debug)]
pub(super) enum Data {
    /// None: the empty message.
    None,
    /// JSON.
    Text(input::Text),
    /// Encoded messages, and where they come from.
    Binary(Vec<u8>, String),
}

impl Data {
    /// What counts of all that is given: a file of encoded messages, then standard input, then a JSON file, then JSON in
    /// the command line, as in ghz.
    pub(super) fn given(args: &RunArgs, notes: &mut Vec<String>) -> Result<Data, UsageError> {
        let ways = [
            ("--binary-file", args.binary_file.is_some()),
            ("--binary", args.binary),
            ("--data-file", args.data_file.is_some()),
            ("--data", args.data.is_some()),
        ];
        let mut given = ways.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag);
        if let Some(used) = given.next() {
            notes.extend(given.map(|flag| format!("{flag} is not used, because {used} goes before it")));
        }
        if let Some(path) = &args.binary_file {
            return input::file_bytes("--binary-file", path)
                .map(|bytes| Data::Binary(bytes, path.display().to_string()));
        }
        if args.binary {
            return input::stdin_bytes("--binary").map(|bytes| Data::Binary(bytes, input::STDIN.to_owned()));
        }
        match (&args.data_file, &args.data) {
            (Some(path), _) => input::file("--data-file", path).map(Data::Text),
            (None, Some(data)) => input::data(data).map(Data::Text),
            (None, None) => Ok(Data::None),
        }
    }

    /// As the messages of `method`.
    pub(super) fn calls(&self, args: &RunArgs, method: &Method, reading: &Reading) -> Result<CallSource, Problems> {
        match self {
            Data::None => CallSource::from_json(None, "--data", method, reading),
            Data::Text(data) => CallSource::from_json(Some(&data.text), &data.origin, method, reading),
            Data::Binary(bytes, origin) => {
                let form = match args.binary_format {
                    None => BinaryForm::FindOut,
                    Some(BinaryFormat::Delimited) => BinaryForm::Delimited,
                    Some(BinaryFormat::Single) => BinaryForm::Single,
                };
                CallSource::from_binary(bytes, origin, method, form, reading.allow_unknown_fields)
            }
        }
    }

    /// JSON that a report may repeat.
    pub(super) fn into_text(self) -> Option<String> {
        match self {
            Data::Text(data) => Some(data.text),
            Data::None | Data::Binary(..) => None,
        }
    }
}

/// The metadata of the calls: what `-M` or else `-m` says, and each `-H` behind it.
pub(super) fn metadata(
    args: &RunArgs,
    method: &Method,
    reading: &Reading,
    notes: &mut Vec<String>,
) -> Result<Metadata, Problems> {
    let mut problems = Problems::new();
    if args.metadata_file.is_some() && args.metadata.is_some() {
        notes.push("--metadata is not used, because --metadata-file goes before it".to_owned());
    }
    let json = match (&args.metadata_file, &args.metadata) {
        (Some(path), _) => Some(input::file("--metadata-file", path)?),
        (None, Some(json)) => Some(input::Text { text: json.clone(), origin: "--metadata".to_owned() }),
        (None, None) => None,
    };
    let metadata = json.map(|json| Metadata::from_json(&json.text, &json.origin, method, reading));
    let mut metadata =
        metadata.map_or_else(|| Some(Metadata::default()), |read| problems.keep(read)).unwrap_or_default();
    for header in &args.header {
        problems.keep(metadata.add_header(header, method, reading));
    }
    problems.into_result()?;
    Ok(metadata)
}

/// How data and metadata are to be read.
pub(super) fn reading(args: &RunArgs) -> Result<Reading, UsageError> {
    let templating = if args.disable_template_data {
        Templating::Off
    } else if args.disable_template_functions {
        Templating::NoFunctions
    } else {
        Templating::Full
    };
    let seed = match args.seed.as_deref() {
        None => fastrand::u64(..SEEDS_END),
        Some(text) => text
            .trim()
            .parse()
            .map_err(|_| invalid("--seed", text, format!("it is a whole number from 0 to {}", u64::MAX)))?,
    };
    Ok(Reading { templating, seed, run_name: args.name.clone(), allow_unknown_fields: args.allow_unknown_fields })
}
