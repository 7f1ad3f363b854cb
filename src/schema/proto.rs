//! One `.proto` file: from bytes to a descriptor that is parsed but not linked yet.
//!
//! Offsets, lines and columns count in the text without its byte-order mark, as editors show it.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use prost_reflect::prost_types::FileDescriptorProto;
use protox::file::File;

use crate::error::{Excerpt, Problems, SchemaError};
use crate::files;

/// A parsed file.
#[derive(Debug)]
pub(super) struct ProtoFile {
    /// Where it was read from.
    pub(super) path: PathBuf,
    /// What it says, without a byte-order mark.
    pub(super) text: String,
    /// What it defines; its name is still the path.
    pub(super) descriptor: FileDescriptorProto,
}

impl ProtoFile {
    /// Reads and parses the file at `path`.
    pub(super) fn read(path: PathBuf) -> Result<ProtoFile, Problems> {
        if path.is_dir() {
            return Err(SchemaError::ProtoIsFolder { path }.into());
        }
        match files::read(&path) {
            Ok(bytes) => ProtoFile::parse(path, bytes),
            Err(source) => Err(SchemaError::Unreadable { path, source }.into()),
        }
    }

    /// Parses what was read from `path`.
    pub(super) fn parse(path: PathBuf, bytes: Vec<u8>) -> Result<ProtoFile, Problems> {
        let text = decode(&path, bytes)?;
        if let Some((edition, offset, len)) = edition(&text) {
            let label = "this edition is not supported".to_owned();
            let edition = edition.to_owned();
            let excerpt = Excerpt { origin: path.display().to_string(), text, offset, len, label };
            return Err(SchemaError::Edition { path, edition, excerpt }.into());
        }
        match File::from_source(&path.display().to_string(), &text) {
            Ok(file) => Ok(ProtoFile { path, text, descriptor: file.into() }),
            Err(error) => Err(complaints(&path, &text, &error)),
        }
    }

    /// The text around a place of this file.
    pub(super) fn excerpt(&self, offset: usize, len: usize, label: impl Into<String>) -> Excerpt {
        excerpt(&self.path, &self.text, offset, len, label.into())
    }

    /// The statement that imports dependency `index`.
    pub(super) fn import_excerpt(&self, index: usize, label: &str) -> Option<Excerpt> {
        /// The field of a `FileDescriptorProto` that lists imports.
        const DEPENDENCY: i32 = 3;
        let wanted = [DEPENDENCY, i32::try_from(index).ok()?];
        let locations = &self.descriptor.source_code_info.as_ref()?.location;
        let span = &locations.iter().find(|location| location.path == wanted)?.span;
        let (line, start) = (usize::try_from(*span.first()?).ok()?, usize::try_from(*span.get(1)?).ok()?);
        let offset = self.offset(line, start)?;
        let statement = self.text[offset..].lines().next()?;
        let len = statement.find(';').map_or(statement.len(), |semicolon| semicolon + 1);
        Some(self.excerpt(offset, len, label))
    }

    /// The byte at a line and column, both from 0, the column in bytes.
    pub(super) fn offset(&self, line: usize, column: usize) -> Option<usize> {
        let start: usize = self.text.split_inclusive('\n').take(line).map(str::len).sum();
        let offset = start + column;
        self.text.is_char_boundary(offset).then_some(offset)
    }
}

/// Every mistake that the compiler found in one go, as problems of ours. Only the first few: later ones tend to follow
/// from earlier ones.
pub(super) fn complaints(path: &Path, text: &str, error: &dyn Diagnostic) -> Problems {
    const SHOWN: usize = 5;
    let mut problems = Problems::new();
    let related = error.related().into_iter().flatten();
    for complaint in std::iter::once(error).chain(related).take(SHOWN) {
        let label = complaint.labels().and_then(|mut labels| labels.next());
        problems.push(SchemaError::Invalid {
            path: path.to_owned(),
            problem: complaint.to_string(),
            advice: complaint.help().map(|help| help.to_string()),
            excerpt: label.map(|label| {
                let words = label.label().unwrap_or("here").to_owned();
                excerpt(path, text, label.offset(), label.len(), words)
            }),
        });
    }
    problems
}

fn excerpt(path: &Path, text: &str, offset: usize, len: usize, label: String) -> Excerpt {
    Excerpt { origin: path.display().to_string(), text: text.to_owned(), offset, len, label }
}

/// The text of a file; a byte-order mark, which Windows editors put in front, is not part of it.
fn decode(path: &Path, mut bytes: Vec<u8>) -> Result<String, Problems> {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let line = bytes[..good].split(|byte| *byte == b'\n').count();
        SchemaError::NotUtf8 { path: path.to_owned(), line, byte: bytes[good] }.into()
    })
}

/// The edition that a file declares, and where its statement is. The parser knows nothing of editions and would only
/// say that it did not expect the word.
fn edition(text: &str) -> Option<(&str, usize, usize)> {
    let offset = text.len() - skip_blank(text).len();
    let after = skip_blank(text[offset..].strip_prefix("edition")?);
    let after = skip_blank(after.strip_prefix('=')?);
    let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (name, rest) = after[1..].split_once(quote)?;
    Some((name, offset, text.len() - rest.len() - offset))
}

/// What follows after white space, comments and empty statements.
fn skip_blank(mut text: &str) -> &str {
    loop {
        let trimmed = text.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ';');
        let after = if let Some(comment) = trimmed.strip_prefix("//") {
            comment.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(comment) = trimmed.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, after)| after)
        } else {
            return trimmed;
        };
        text = after;
    }
}
