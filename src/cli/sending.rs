//! What the flags say about the messages and metadata of calls.

use super::args::{BinaryFormat, RunArgs};
use super::input::{self, Text};
use crate::error::Problems;
use crate::payload::{BinaryForm, CallSource, Metadata, Reading, Templating};
use crate::schema::Method;
use crate::units::ByteCount;

/// Data and metadata as they were given. Files and standard input have been read.
#[derive(Debug)]
pub(super) struct Given {
    data: Data,
    form: BinaryForm,
    gzip: bool,
    /// The most bytes of a message.
    most: Option<ByteCount>,
    metadata: Option<Text>,
    headers: Vec<String>,
}

#[derive(Debug)]
enum Data {
    /// The empty message.
    None,
    /// JSON.
    Text(Text),
    /// Encoded messages, and where they come from.
    Binary(Vec<u8>, String),
}

impl Given {
    /// What `args` give, in messages of `most` bytes; flags that are not used are noted.
    pub(super) fn new(args: &RunArgs, most: Option<ByteCount>, notes: &mut Vec<String>) -> Result<Given, Problems> {
        let mut problems = Problems::new();
        let data = problems.keep(data(args, notes));
        let metadata = problems.keep(metadata(args, notes));
        problems.into_result()?;
        Ok(Given {
            data: data.expect("no problems"),
            form: match args.binary_format {
                None => BinaryForm::FindOut,
                Some(BinaryFormat::Delimited) => BinaryForm::Delimited,
                Some(BinaryFormat::Single) => BinaryForm::Single,
            },
            gzip: args.enable_compression,
            most,
            metadata: metadata.flatten(),
            headers: args.header.clone(),
        })
    }

    /// As messages and metadata of `method`.
    pub(super) fn read(&self, method: &Method, reading: &Reading) -> Result<(CallSource, Metadata), Problems> {
        let mut problems = Problems::new();
        let calls = match &self.data {
            Data::None => CallSource::from_json(None, "--data", method, reading),
            Data::Text(data) => CallSource::from_json(Some(&data.text), &data.origin, method, reading),
            Data::Binary(bytes, origin) => {
                CallSource::from_binary(bytes, origin, method, self.form, reading.allow_unknown_fields)
            }
        };
        let most = self.most.map(ByteCount::bytes);
        let calls = problems.keep(calls.and_then(|calls| calls.as_sent(self.gzip, most)));
        let metadata = self.metadata.as_ref();
        let metadata = metadata.map(|json| Metadata::from_json(&json.text, &json.origin, method, reading));
        let mut metadata = problems.keep(metadata.unwrap_or_else(|| Ok(Metadata::default()))).unwrap_or_default();
        for header in &self.headers {
            problems.keep(metadata.add_header(header, method, reading));
        }
        problems.into_result()?;
        Ok((calls.expect("no problems"), metadata))
    }

    /// Finds what mistakes there are without knowing the method: in metadata, and with `all` in data too.
    pub(super) fn check(&self, reading: &Reading, all: bool) -> Result<(), Problems> {
        let mut problems = Problems::new();
        if let Data::Text(data) = &self.data
            && all
        {
            problems.keep(CallSource::check_text(&data.text, &data.origin, reading));
        }
        if let Some(json) = &self.metadata {
            problems.keep(Metadata::check_text(&json.text, &json.origin, reading));
        }
        for header in &self.headers {
            problems.keep(Metadata::check_header(header, reading));
        }
        problems.into_result()
    }

    /// Whether there is some.
    pub(super) fn has_metadata(&self) -> bool {
        self.metadata.is_some() || !self.headers.is_empty()
    }

    /// JSON that a report may repeat.
    pub(super) fn into_text(self) -> Option<String> {
        match self.data {
            Data::Text(data) => Some(data.text),
            Data::None | Data::Binary(..) => None,
        }
    }
}

/// What counts of all that is given: a file of encoded messages, then standard input, then a JSON file, then JSON on the
/// command line, as in ghz.
fn data(args: &RunArgs, notes: &mut Vec<String>) -> Result<Data, Problems> {
    let ways = [
        ("--binary-file", args.binary_file.is_some()),
        ("--binary", args.binary),
        ("--data-file", args.data_file.is_some()),
        ("--data", args.data.is_some()),
    ];
    let mut given = ways.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag);
    if let Some(used) = given.next() {
        notes.extend(given.map(|flag| not_used(flag, used)));
    }
    Ok(if let Some(path) = &args.binary_file {
        Data::Binary(input::file_bytes("--binary-file", path)?, path.display().to_string())
    } else if args.binary {
        Data::Binary(input::stdin_bytes("--binary")?, input::STDIN.to_owned())
    } else {
        match (&args.data_file, &args.data) {
            (Some(path), _) => Data::Text(input::file("--data-file", path)?),
            (None, Some(data)) => Data::Text(input::data(data)?),
            (None, None) => Data::None,
        }
    })
}

fn metadata(args: &RunArgs, notes: &mut Vec<String>) -> Result<Option<Text>, Problems> {
    if args.metadata_file.is_some() && args.metadata.is_some() {
        notes.push(not_used("--metadata", "--metadata-file"));
    }
    Ok(match (&args.metadata_file, &args.metadata) {
        (Some(path), _) => Some(input::file("--metadata-file", path)?),
        (None, Some(json)) => Some(Text { text: json.clone(), origin: "--metadata".to_owned() }),
        (None, None) => None,
    })
}

fn not_used(flag: &str, used: &str) -> String {
    format!("{flag} is not used, because {used} goes before it")
}

/// A note for who wants messages made one by one and has data for which that is nothing to ask for.
pub(super) fn static_messages(args: &RunArgs, calls: &CallSource) -> Option<String> {
    let why = match calls.one_by_one(0) {
        Some(_) => return None,
        None if calls.is_rendered() => {
            "it is for methods that take a stream, and for messages that are told apart before \
            templates are rendered"
        }
        None => "there is no template in the data",
    };
    args.stream_dynamic_messages.then(|| format!("--stream-dynamic-messages is not used: {why}"))
}

/// How data and metadata are to be read.
pub(super) fn reading(args: &RunArgs, seed: u64) -> Reading {
    let templating = if args.disable_template_data {
        Templating::Off
    } else if args.disable_template_functions {
        Templating::NoFunctions
    } else {
        Templating::Full
    };
    Reading {
        templating,
        seed,
        run_name: args.name.clone(),
        allow_unknown_fields: args.allow_unknown_fields,
        one_by_one: args.stream_dynamic_messages,
    }
}
