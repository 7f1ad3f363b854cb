//! A plan: everything that a run needs to know, decided and checked before it starts.

mod forecast;
mod streams;

use std::num::NonZeroU32;
use std::time::Duration;

use crate::error::{Problems, UsageError};
use crate::load::{Limits, Load};
use crate::payload::{CallSource, Metadata};
use crate::schema::{Kind, Method};
use crate::transport::Target;
pub use crate::transport::Windows;

pub use forecast::{Basis, Forecast};
pub use streams::Streams;

/// What to send, to whom, and when. A plain value: whoever makes one can change it freely before it runs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Who is called.
    pub target: Target,
    /// What is called.
    pub method: Method,
    /// The messages of each call.
    pub calls: CallSource,
    /// Metadata sent with each call.
    pub metadata: Metadata,
    /// What happens within streaming calls.
    pub streams: Streams,
    /// What decides that a call is made.
    pub load: Load,
    /// Where the run ends by itself.
    pub limits: Limits,
    /// What happens to calls in flight when the planned time is over.
    pub at_duration: AtDuration,
    /// How many calls may fail before the run stops early.
    pub max_failures: Option<MaxFailures>,
    /// How long the intervals are of which the recording has a row each.
    pub interval: Duration,
    /// What workers do while no call is due.
    pub idle: Idle,
    /// The longest a call may take, from its real start; sent to the server, and enforced here.
    pub deadline: Option<Duration>,
    /// HTTP/2 connections.
    pub connections: NonZeroU32,
    /// Threads at most; each has at least one connection of its own.
    pub workers: NonZeroU32,
    /// How many single calls the recording lists at most; 0 for none.
    pub details: usize,
}

impl Plan {
    /// Every rule that the plan breaks.
    pub fn check(&self) -> Result<(), Problems> {
        let mut problems = Problems::new();
        let kind = self.method.kind();
        if self.streams.ping_pong && kind != Kind::Bidi {
            problems.push(UsageError::NoPingPong { path: self.method.path(), kind: kind.to_string() });
        }
        problems.keep(self.load.uses(self.connections));
        if self.deadline.is_some_and(|deadline| deadline.is_zero()) {
            problems.push(UsageError::Invalid {
                what: "--timeout",
                value: "0s".to_owned(),
                rule: "a deadline is longer than nothing; none at all is also possible".to_owned(),
            });
        }
        problems.into_result()
    }
}

/// What happens to calls in flight when the planned time is over.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum AtDuration {
    /// They are cut off and counted as abandoned.
    #[default]
    Abandon,
    /// They are waited for, no longer than their deadline.
    Drain,
    /// They are cut off and counted nowhere.
    Ignore,
}

/// How many calls may fail. One more ends the run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum MaxFailures {
    /// So many.
    Calls(u64),
    /// Such a part of the calls done, from 0 to 1, once there are a hundred of them.
    Share(f64),
}

/// What a worker does while no call is due.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Idle {
    /// It sleeps until the call is due, and leaves with it as late as the system wakes it.
    Sleep,
    /// It sleeps until just before, and then watches the clock.
    #[default]
    Hybrid,
    /// It never sleeps: its thread takes a CPU of its own, also while it waits for answers.
    Spin,
}

/// What a report repeats of how the run was asked for, and the run itself has no use for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts side by side, no state")]
pub struct About {
    /// A name for the run.
    pub name: Option<String>,
    /// Labels, in the order given.
    pub tags: Vec<(String, String)>,
    /// The target as it was typed.
    pub host: String,
    /// The method as it was typed.
    pub call: String,
    /// The `.proto` files.
    pub protos: Vec<String>,
    /// The import roots.
    pub import_paths: Vec<String>,
    /// The descriptor sets. Neither these nor `.proto` files: the server was asked.
    pub protosets: Vec<String>,
    /// The file with the certificates that are trusted, if not the system's.
    pub cacert: Option<String>,
    /// The file with our certificate, if there is one.
    pub cert: Option<String>,
    /// The file with its private key.
    pub key: Option<String>,
    /// The name that TLS verified, where it was given as that.
    pub cname: Option<String>,
    /// Whether messages were compressed.
    pub compressed: bool,
    /// How long a server could be silent before it was asked whether it is there.
    pub keepalive: Option<Duration>,
    /// Whether the certificate of the server was not verified.
    pub skip_tls: bool,
    /// Whether plaintext was asked for, or found.
    pub plaintext: bool,
    /// Whether that was found out from the server's answers, and not asked for.
    pub security_found_out: bool,
    /// Whether the messages of the calls were given encoded.
    pub binary: bool,
    /// What random values in templates came from, if there are any.
    pub seed: Option<u64>,
    /// The data of the calls as JSON text, if there was some.
    pub data: Option<String>,
    /// The metadata of the calls, with secrets masked.
    pub metadata: Vec<(String, String)>,
    /// Whether calls of the warm-up are left out of those that were asked for, as ghz's `skipFirst` does it.
    pub skip_first: bool,
    /// Whether failed calls count in the latencies of the report.
    pub count_errors: bool,
    /// CPUs that the run may use.
    pub cpus: u32,
    /// Seconds that local time is ahead of UTC: times in reports are local, as ghz's are.
    pub utc_offset_s: i32,
    /// Whether this program was built without optimisation, so that its times are not worth much.
    pub unoptimised: bool,
}
