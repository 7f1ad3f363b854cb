//! Mistakes in the data and metadata of calls.

use super::Excerpt;
use super::schema::{alternatives, listing};

/// A mistake in the data or metadata of the calls.
///
/// A `place` is a path in JSON, such as `leaf.list[2].n`; it is empty for the whole of the message.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// There is an array of messages, and it is empty.
    #[error("{origin} is an empty list: there is nothing to send")]
    NothingToSend {
        /// Where the data comes from.
        origin: String,
    },
    /// The text is not JSON.
    #[error("{origin} is not JSON: {problem}")]
    NotJson {
        /// Where the text comes from.
        origin: String,
        /// What is wrong.
        problem: String,
        /// Whether there is a bare word where double quotes are needed, as after a shell has taken them away.
        bare: bool,
        /// Where.
        excerpt: Excerpt,
    },
    /// A message has no field of the name.
    #[error("{} has no field `{name}`{}", message, at(place))]
    UnknownField {
        /// The message that has the name in it.
        place: String,
        /// The type of that message.
        message: String,
        /// The name as it is written.
        name: String,
        /// Fields with a similar name, best first.
        near: Vec<String>,
        /// All fields.
        known: Vec<String>,
        /// The name.
        excerpt: Excerpt,
    },
    /// A field is set twice, in one spelling or in two; or a key of a map is there twice.
    #[error("{} is set twice", subject(place))]
    SetTwice {
        /// The field.
        place: String,
        /// The second time.
        excerpt: Excerpt,
    },
    /// Two fields of a oneof are set.
    #[error("`{first}` and `{second}` are both set{}, but only one field of the oneof `{oneof}` can be", at(place))]
    OneofTwice {
        /// The message.
        place: String,
        /// The oneof.
        oneof: String,
        /// The field that is set first.
        first: String,
        /// The field that is set as well.
        second: String,
        /// The second one.
        excerpt: Excerpt,
    },
    /// A required field (proto2) is not set.
    #[error("{} is required and not set", subject(place))]
    RequiredMissing {
        /// The field.
        place: String,
        /// The message that should have it; `None` if there was no data at all.
        excerpt: Option<Excerpt>,
    },
    /// A value is not what the type of its field can hold.
    #[error("{} wants {wanted}, not {found}", subject(place))]
    BadValue {
        /// The field.
        place: String,
        /// What could be there.
        wanted: String,
        /// What is there.
        found: String,
        /// What would help.
        advice: Option<String>,
        /// The value.
        excerpt: Excerpt,
    },
    /// The type of a `google.protobuf.Any` is in none of the files.
    #[error("the type `{name}`{} is not in the loaded files", at(place))]
    UnknownType {
        /// The `Any`.
        place: String,
        /// The type, without the part before the slash.
        name: String,
        /// Types with a similar name, best first.
        near: Vec<String>,
        /// The value of `@type`.
        excerpt: Excerpt,
    },
    /// There are more mistakes than are listed.
    #[error("{origin} has {count} more mistakes")]
    More {
        /// Where the data comes from.
        origin: String,
        /// How many.
        count: usize,
    },
    /// After the mistakes that are listed the rest of a text was not read.
    #[error("the rest of {origin} was not read after so many mistakes")]
    Rest {
        /// Where the text comes from.
        origin: String,
    },
    /// A message is too long for the four bytes of its length prefix.
    #[error("a message of {bytes} bytes is too long for gRPC, which allows 4294967295")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// A text with templates in it is none.
    #[error("the template in {origin} cannot be read: {problem}")]
    TemplateSyntax {
        /// Where the text comes from.
        origin: String,
        /// What is wrong.
        problem: String,
        /// Where.
        excerpt: Excerpt,
    },
    /// A template calls a function that is not there.
    #[error("templates have no function `{name}`")]
    UnknownFunction {
        /// The name.
        name: String,
        /// Functions with a similar name, best first.
        near: Vec<String>,
        /// The name.
        excerpt: Excerpt,
    },
    /// A template calls a function in a run without functions.
    #[error("`{name}` is a function, and --disable-template-functions was given")]
    FunctionOff {
        /// The name.
        name: String,
        /// The name.
        excerpt: Excerpt,
    },
    /// A template names a variable that calls don't have.
    #[error("templates have no variable `.{name}`")]
    UnknownVariable {
        /// The name.
        name: String,
        /// Variables with a similar name, best first.
        near: Vec<String>,
        /// All variables.
        known: Vec<String>,
        /// The name.
        excerpt: Excerpt,
    },
    /// A template cannot be rendered.
    #[error("the template in {origin} fails: {problem}")]
    TemplateFails {
        /// Where the text comes from.
        origin: String,
        /// Why.
        problem: String,
        /// The action that fails, if that is known.
        excerpt: Option<Excerpt>,
    },
    /// Bytes are no messages of the type.
    #[error("{origin} has no `{message}` in it{}", reasons(single.as_deref(), delimited.as_deref()))]
    NotBinary {
        /// Where the bytes come from.
        origin: String,
        /// The type.
        message: String,
        /// Why they are not one message, if that was tried.
        single: Option<String>,
        /// Why they are not messages with their lengths in front, if that was tried.
        delimited: Option<String>,
    },
    /// Bytes can be read as one message and as several.
    #[error("{origin} can be one `{message}`, or {count} of them with their lengths in front")]
    BinaryAmbiguous {
        /// Where the bytes come from.
        origin: String,
        /// The type.
        message: String,
        /// How many messages with their lengths in front.
        count: usize,
    },
    /// A header on the command line has no colon. It is not repeated: it may be a secret.
    #[error("a header has no colon in it")]
    HeaderShape,
    /// Metadata is no JSON object.
    #[error("the metadata in {origin} must be a JSON object of strings, not {found}")]
    MetadataShape {
        /// Where the text comes from.
        origin: String,
        /// What it is.
        found: &'static str,
        /// Where.
        excerpt: Excerpt,
    },
    /// A metadata key cannot be sent.
    #[error("`{key}` cannot be a metadata key: {rule}")]
    MetadataKey {
        /// As it is written.
        key: String,
        /// Why.
        rule: &'static str,
        /// Where.
        excerpt: Excerpt,
    },
    /// A metadata key is there twice; upper and lower case are the same.
    #[error("the metadata key `{key}` is there twice")]
    MetadataTwice {
        /// In lower case.
        key: String,
        /// The second one.
        excerpt: Excerpt,
    },
    /// A metadata value cannot be sent. The value itself is not repeated: it may be a secret.
    #[error("the value of metadata `{key}` {rule}")]
    MetadataValue {
        /// Its key.
        key: String,
        /// Why.
        rule: String,
        /// What would help.
        advice: Option<&'static str>,
        /// Where.
        excerpt: Excerpt,
    },
}

impl DataError {
    pub(super) fn hint(&self) -> Option<String> {
        match self {
            DataError::NothingToSend { .. } => Some("leave the data out to send the empty message".to_owned()),
            DataError::UnknownField { near, known, .. } => Some(match (near.as_slice(), known.as_slice()) {
                ([], []) => "it has no fields at all".to_owned(),
                ([], known) => format!("its fields are {}", listing(known)),
                (near, _) => format!("did you mean {}?", alternatives(near)),
            }),
            DataError::UnknownType { near, .. } | DataError::UnknownFunction { near, .. } if !near.is_empty() => {
                Some(format!("did you mean {}?", alternatives(near)))
            }
            DataError::UnknownType { .. } => Some("give the file that defines it with --proto as well".to_owned()),
            DataError::SetTwice { .. } | DataError::OneofTwice { .. } | DataError::MetadataTwice { .. } => {
                Some("leave one of them out".to_owned())
            }
            DataError::BadValue { advice, .. } => advice.clone(),
            DataError::MetadataShape { .. } => Some("write it as {\"key\": \"value\"}".to_owned()),
            DataError::MetadataValue { advice, .. } => advice.map(str::to_owned),
            DataError::HeaderShape => Some("write it as 'key: value'".to_owned()),
            DataError::TemplateSyntax { .. } => {
                Some("if this is meant as plain text, add --disable-template-data".to_owned())
            }
            DataError::UnknownVariable { near, known, .. } => Some(if near.is_empty() {
                format!("the variables are {}", listing(known))
            } else {
                format!("did you mean {}?", alternatives(near))
            }),
            DataError::BinaryAmbiguous { .. } => {
                Some("say which with --binary-format single or --binary-format delimited".to_owned())
            }
            DataError::NotBinary { single, delimited, .. } => {
                let unknown = |reason: &Option<String>| reason.iter().any(|reason| reason.contains("has no field"));
                (unknown(single) || unknown(delimited))
                    .then(|| "fields that the schema does not have can be let through with --allow-unknown-fields".to_owned())
            }
            DataError::NotJson { bare: true, .. } => Some(
                "names and texts go in double quotes; in a shell, put single quotes around the whole: '{\"name\": \"Ann\"}'".to_owned(),
            ),
            DataError::NotJson { .. }
            | DataError::RequiredMissing { .. }
            | DataError::More { .. }
            | DataError::Rest { .. }
            | DataError::TooLong { .. }
            | DataError::UnknownFunction { .. }
            | DataError::FunctionOff { .. }
            | DataError::TemplateFails { .. }
            | DataError::MetadataKey { .. } => None,
        }
    }

    pub(super) fn excerpt(&self) -> Option<&Excerpt> {
        match self {
            DataError::NotJson { excerpt, .. }
            | DataError::UnknownField { excerpt, .. }
            | DataError::SetTwice { excerpt, .. }
            | DataError::OneofTwice { excerpt, .. }
            | DataError::BadValue { excerpt, .. }
            | DataError::UnknownType { excerpt, .. }
            | DataError::TemplateSyntax { excerpt, .. }
            | DataError::UnknownFunction { excerpt, .. }
            | DataError::FunctionOff { excerpt, .. }
            | DataError::UnknownVariable { excerpt, .. }
            | DataError::MetadataShape { excerpt, .. }
            | DataError::MetadataKey { excerpt, .. }
            | DataError::MetadataTwice { excerpt, .. }
            | DataError::MetadataValue { excerpt, .. } => Some(excerpt),
            DataError::RequiredMissing { excerpt, .. } | DataError::TemplateFails { excerpt, .. } => excerpt.as_ref(),
            DataError::NothingToSend { .. }
            | DataError::More { .. }
            | DataError::Rest { .. }
            | DataError::NotBinary { .. }
            | DataError::BinaryAmbiguous { .. }
            | DataError::HeaderShape
            | DataError::TooLong { .. } => None,
        }
    }
}

/// The place as the subject of a sentence.
fn subject(place: &str) -> String {
    if place.is_empty() { "the message".to_owned() } else { format!("`{place}`") }
}

/// The place at the end of a phrase.
fn at(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(" (at `{place}`)") }
}

/// Why bytes were not what was looked for.
fn reasons(single: Option<&str>, delimited: Option<&str>) -> String {
    let single = single.map(|reason| format!("as one message, {reason}"));
    let delimited = delimited.map(|reason| format!("with lengths in front, {reason}"));
    let reasons: Vec<String> = [single, delimited].into_iter().flatten().collect();
    if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) }
}
