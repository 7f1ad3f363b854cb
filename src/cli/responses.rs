//! The answers of the first calls, for people to read: `--show-responses`.

use std::fmt::Write as _;
use std::sync::mpsc::{Receiver, channel};

use super::diagnose::{escaped, say};
use crate::drive::{KeptReply, Replies};
use crate::payload::{is_secret, shown};
use crate::record::End;
use crate::report::status_name;
use crate::schema::Method;
use crate::transport::KeptField;

/// The most answers that can be asked for: with what is kept of each they are in memory until the end of the run.
pub(super) const RESPONSES_MAX: u64 = 1_000;

/// How many bytes of an answer are kept.
const ROOM: usize = 64 * 1024;

/// Answers, once they have come.
pub(super) struct Responses {
    replies: Receiver<KeptReply>,
    secrets: bool,
}

impl Responses {
    /// Of the first `first` calls; with `secrets` none is masked.
    pub(super) fn wanted(first: u64, secrets: bool) -> (Replies, Responses) {
        let (to, replies) = channel();
        (Replies { first, room: ROOM, to }, Responses { replies, secrets })
    }

    /// Shows them on standard error, in the order of the calls. The run has ended.
    pub(super) fn show(self, method: &Method) {
        let mut replies: Vec<KeptReply> = self.replies.try_iter().collect();
        replies.sort_by_key(|reply| reply.number);
        for reply in &replies {
            say(&text(reply, method, self.secrets));
        }
    }
}

fn text(reply: &KeptReply, method: &Method, secrets: bool) -> String {
    let mut text = String::new();
    let KeptReply { number, sample, failure, kept } = reply;
    let milliseconds = sample.done.since(sample.sent) as f64 / 1e6;
    let status = match sample.end {
        End::Done => status_name(sample.status),
        End::Abandoned => "cut off at the end of the run".into(),
    };
    let said = if failure.is_empty() { String::new() } else { format!(": {}", escaped(failure)) };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "Response to call {number}: {status} after {milliseconds:.2} ms{said}");
    fields(&mut text, "metadata", &kept.metadata, secrets);
    for (place, message) in kept.messages.iter().enumerate() {
        let name = if kept.messages.len() == 1 { "message".to_owned() } else { format!("message {}", place + 1) };
        let shown = match shown(message, method) {
            Ok(json) => json,
            Err(reason) => format!("{} bytes that cannot be shown: {reason}", message.len()),
        };
        let _ = writeln!(text, "  {name}: {}", escaped(&shown));
    }
    if kept.messages_left_out > 0 {
        let (count, kib) = (kept.messages_left_out, ROOM / 1024);
        let noun = if count == 1 { "message is" } else { "messages are" };
        let _ = writeln!(text, "  {count} more {noun} not shown: {kib} KiB of an answer are kept");
    }
    fields(&mut text, "trailers", &kept.trailers, secrets);
    if kept.fields_left_out {
        let _ = writeln!(text, "  more metadata is not shown: {} KiB of an answer are kept", ROOM / 1024);
    }
    text
}

/// Names and values; those of gRPC's own that the first line tells are left out.
fn fields(text: &mut String, title: &str, fields: &[KeptField], secrets: bool) {
    let mut lines = String::new();
    for (name, value) in fields {
        let name = String::from_utf8_lossy(name);
        if matches!(&*name, "grpc-status" | "grpc-message") {
            continue;
        }
        let value = String::from_utf8_lossy(value);
        let value = if !secrets && is_secret(&name) { "***" } else { &value };
        let _ = writeln!(lines, "    {}: {}", escaped(&name), escaped(value));
    }
    if !lines.is_empty() {
        let _ = write!(text, "  {title}:\n{lines}");
    }
}
