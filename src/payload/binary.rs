//! Messages that are encoded already: one, or several with the length of each in front.
//!
//! Files don't say which. Both are tried in full, and what is possible in both ways, or in none, is a mistake: a guess
//! would send garbage a million times.

use prost_reflect::MessageDescriptor;

use crate::error::{DataError, Problems};

use super::calls::BinaryForm;
use super::wire_format::{self, varint};

/// The messages that `bytes` consist of. No bytes at all are the empty message, which is no message less than others.
pub(super) fn messages<'a>(
    bytes: &'a [u8],
    origin: &str,
    input: &MessageDescriptor,
    form: BinaryForm,
    allow_unknown: bool,
) -> Result<Vec<&'a [u8]>, Problems> {
    let single = || wire_format::check(bytes, input, allow_unknown).map(|()| vec![bytes]);
    let delimited = || delimited(bytes, input, allow_unknown);
    let name = || input.full_name().to_owned();
    let found = match form {
        _ if bytes.is_empty() => single().map_err(|single| neither(origin, name(), Some(single), None)),
        BinaryForm::Single => single().map_err(|single| neither(origin, name(), Some(single), None)),
        BinaryForm::Delimited => delimited().map_err(|delimited| neither(origin, name(), None, Some(delimited))),
        BinaryForm::FindOut => match (single(), delimited()) {
            (Ok(_), Ok(several)) => {
                Err(DataError::BinaryAmbiguous { origin: origin.to_owned(), message: name(), count: several.len() })
            }
            (Ok(messages), Err(_)) | (Err(_), Ok(messages)) => Ok(messages),
            (Err(single), Err(delimited)) => Err(neither(origin, name(), Some(single), Some(delimited))),
        },
    };
    found.map_err(Problems::from)
}

fn neither(origin: &str, message: String, single: Option<String>, delimited: Option<String>) -> DataError {
    DataError::NotBinary { origin: origin.to_owned(), message, single, delimited }
}

fn delimited<'a>(bytes: &'a [u8], input: &MessageDescriptor, allow_unknown: bool) -> Result<Vec<&'a [u8]>, String> {
    let mut messages = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let number = messages.len() + 1;
        let bounds = varint(&bytes[at..]).and_then(|(length, width)| {
            let start = at + width;
            Some(start..start.checked_add(usize::try_from(length).ok()?)?)
        });
        let Some((bounds, message)) = bounds.and_then(|bounds| Some((bounds.clone(), bytes.get(bounds)?))) else {
            let left = bytes.len() - at;
            return Err(format!("the {left} bytes from byte {at} on are no whole message {number}"));
        };
        wire_format::check(message, input, allow_unknown).map_err(|problem| format!("message {number}: {problem}"))?;
        at = bounds.end;
        messages.push(message);
    }
    Ok(messages)
}
