//! The log of all calls, a JSON object in each line: `--debug`. Its format is described in docs/debug-log.md.
//!
//! A thread of its own writes it. The workers hand over what they have done and go on; what finds no room is missed, and
//! counted.

use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::TryRecvError;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::Serialize;

use super::claims::Claims;
use super::output::Destination;
use crate::drive::{CallEnd, CallEvent, CallEvents, CallLog};
use crate::error::{OutputError, Problems};
use crate::record::{End, Sample};
use crate::report::status_name;

/// Calls that can wait to be written: 10 MB of them.
const ROOM: usize = 1 << 16;
/// How often is looked for calls.
const PAUSE: Duration = Duration::from_millis(5);

/// A file for the log, open.
#[derive(Debug)]
pub(super) struct CallLogFile {
    destination: Destination,
}

impl CallLogFile {
    /// Opens the file. What it holds stays there until a run starts.
    pub(super) fn open(path: &Path, claims: &mut Claims) -> Result<CallLogFile, Problems> {
        Ok(CallLogFile { destination: Destination::open("--debug", path, claims)? })
    }

    /// Begins to write what comes by the log. `run` says what is called.
    pub(super) fn begin(self, run: RunFacts) -> io::Result<(CallLog, Writing)> {
        let (log, events) = CallLog::with_room(ROOM);
        let mut destination = self.destination;
        let thread = thread::Builder::new().name("call-log".to_owned()).spawn(move || {
            // Without a start nothing was called, and the file stays as it was.
            let Ok(first) = events.events.recv() else { return Ok(0) };
            destination.replace(|out| write_all(first, &events, &run, out))?;
            Ok(events.missed())
        })?;
        Ok((log, Writing { thread }))
    }
}

/// What the first line repeats.
#[derive(Serialize, Debug)]
pub(super) struct RunFacts {
    pub(super) host: String,
    pub(super) call: String,
}

/// A log that is being written.
pub(super) struct Writing {
    thread: JoinHandle<Result<u64, OutputError>>,
}

impl Writing {
    /// Waits until all is written; how many calls are missing. All ways into the log have to be gone.
    pub(super) fn finish(self) -> Result<u64, OutputError> {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Start(Start<'a>),
    End(Totals),
    #[serde(untagged)]
    Call(OneCall<'a>),
}

#[derive(Serialize)]
struct Start<'a> {
    version: &'static str,
    time: String,
    #[serde(flatten)]
    run: &'a RunFacts,
}

/// The last line.
#[derive(Serialize, Clone, Copy, Default)]
struct Totals {
    calls: u64,
    missed: u64,
}

#[derive(Serialize)]
struct OneCall<'a> {
    call: u64,
    worker: u64,
    connection: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    warmup: bool,
    status: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(flatten)]
    sent: Option<Course>,
}

#[derive(Serialize)]
struct Course {
    due_ns: u64,
    sent_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_ns: Option<u64>,
    done_ns: u64,
    messages_sent: u32,
    message_bytes_sent: u64,
    messages_received: u32,
    message_bytes_received: u64,
    message_bytes_unpacked: u64,
}

impl Course {
    fn new(sample: &Sample) -> Course {
        Course {
            due_ns: sample.due.as_nanos(),
            sent_ns: sample.sent.as_nanos(),
            first_ns: (sample.messages_received > 0).then(|| sample.sent.as_nanos() + sample.phases.first_message_ns()),
            done_ns: sample.done.as_nanos(),
            messages_sent: sample.messages_sent,
            message_bytes_sent: sample.bytes_sent,
            messages_received: sample.messages_received,
            message_bytes_received: sample.bytes_received,
            message_bytes_unpacked: sample.bytes_unpacked,
        }
    }
}

/// Writes events until there are no more.
fn write_all(first: CallEvent, events: &CallEvents, run: &RunFacts, out: &mut dyn Write) -> io::Result<()> {
    let mut totals = Totals::default();
    let mut next = Some(first);
    loop {
        match next.take().map_or_else(|| events.events.try_recv(), Ok) {
            Ok(event) => write_event(&event, run, &mut totals, out)?,
            Err(TryRecvError::Empty) => {
                out.flush()?;
                thread::sleep(PAUSE);
            }
            Err(TryRecvError::Disconnected) => break,
        }
    }
    totals.missed = events.missed();
    write_line(&Line::End(totals), out)
}

fn write_event(event: &CallEvent, run: &RunFacts, totals: &mut Totals, out: &mut dyn Write) -> io::Result<()> {
    match event {
        CallEvent::Start(time) => {
            let time = jiff::Timestamp::try_from(*time).unwrap_or_default().to_string();
            write_line(&Line::Start(Start { version: env!("CARGO_PKG_VERSION"), time, run }), out)
        }
        CallEvent::End(call) => {
            totals.calls += 1;
            write_call(call, out)
        }
    }
}

fn write_call(call: &CallEnd, out: &mut dyn Write) -> io::Result<()> {
    let name;
    let status = match &call.sample {
        None => "unsent",
        Some(sample) if sample.end == End::Abandoned => "abandoned",
        Some(sample) => {
            name = status_name(sample.status);
            &name
        }
    };
    let line = OneCall {
        call: call.number,
        worker: call.slot,
        connection: call.connection,
        warmup: !call.measured,
        status,
        message: &call.failure,
        sent: call.sample.as_ref().map(Course::new),
    };
    write_line(&Line::Call(line), out)
}

fn write_line(line: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}
