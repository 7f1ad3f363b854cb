//! What was asked for, in JSON: all that it takes to make the setup of a report again. ghz's `options` tell some of it
//! for ghz's readers, and not to the letter.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::broken::Broken;
use super::limits::Limits;
use super::load::LoadModel;
use crate::report::{About, Setup, Windows};
use crate::units::Offset;

/// Names with texts, in their order; a name may come again.
type Pairs<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

#[derive(Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "facts side by side, as in the setup")]
pub(super) struct Plan<'a> {
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    tags: Pairs<'a>,
    #[serde(borrow)]
    host: Cow<'a, str>,
    #[serde(borrow)]
    call: Cow<'a, str>,
    #[serde(borrow)]
    protos: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    import_paths: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    protosets: Vec<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    cacert: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    cert: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    key: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    cname: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    authority: Option<Cow<'a, str>>,
    skip_tls: bool,
    compressed: bool,
    connections: NonZeroU32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline_ns: Option<u64>,
    connect_timeout_ns: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keepalive_ns: Option<u64>,
    binary: bool,
    /// The data to the letter, where ghz's `options` have it otherwise or not at all.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    data: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(borrow)]
    metadata: Pairs<'a>,
    skip_first: bool,
    count_errors: bool,
    cpus: u32,
    utc_offset_s: i32,
    unoptimised: bool,
}

/// What the document says of the plan elsewhere.
pub(super) struct Elsewhere<'a> {
    pub(super) load: &'a LoadModel,
    pub(super) limits: &'a Limits,
    pub(super) security: Security,
    pub(super) windows: Windows,
    /// ghz's `options.data` as it stands there.
    pub(super) data: Option<&'a str>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Security {
    pub(super) plaintext: bool,
    pub(super) found_out: bool,
}

impl<'a> Plan<'a> {
    /// `data` is what ghz's `options` have of the data.
    pub(super) fn new(setup: &'a Setup, data: Option<&str>) -> Plan<'a> {
        let Setup {
            about,
            load: _,
            limits: _,
            at_duration: _,
            max_failures: _,
            idle: _,
            deadline,
            connect_timeout,
            authority,
            connections,
            windows: _,
        } = setup;
        let About {
            name,
            tags,
            host,
            call,
            protos,
            import_paths,
            protosets,
            cacert,
            cert,
            key,
            cname,
            compressed,
            keepalive,
            skip_tls,
            plaintext: _,
            security_found_out: _,
            binary,
            seed,
            data: typed,
            metadata,
            skip_first,
            count_errors,
            cpus,
            utc_offset_s,
            unoptimised,
        } = about;
        Plan {
            name: borrowed(name.as_ref()),
            tags: pairs(tags),
            host: host.into(),
            call: call.into(),
            protos: protos.iter().map(Cow::from).collect(),
            import_paths: import_paths.iter().map(Cow::from).collect(),
            protosets: protosets.iter().map(Cow::from).collect(),
            cacert: borrowed(cacert.as_ref()),
            cert: borrowed(cert.as_ref()),
            key: borrowed(key.as_ref()),
            cname: borrowed(cname.as_ref()),
            authority: borrowed(authority.as_ref()),
            skip_tls: *skip_tls,
            compressed: *compressed,
            connections: *connections,
            deadline_ns: deadline.map(nanos),
            connect_timeout_ns: nanos(*connect_timeout),
            keepalive_ns: keepalive.map(nanos),
            binary: *binary,
            data: borrowed(typed.as_ref()).filter(|typed| Some(&**typed) != data),
            seed: *seed,
            metadata: pairs(metadata),
            skip_first: *skip_first,
            count_errors: *count_errors,
            cpus: *cpus,
            utc_offset_s: *utc_offset_s,
            unoptimised: *unoptimised,
        }
    }

    pub(super) fn read(self, elsewhere: &Elsewhere<'_>) -> Result<Setup, Broken> {
        let Elsewhere { load, limits, security, windows, data } = elsewhere;
        let about = About {
            name: owned(self.name),
            tags: owned_pairs(self.tags),
            host: self.host.into_owned(),
            call: self.call.into_owned(),
            protos: self.protos.into_iter().map(Cow::into_owned).collect(),
            import_paths: self.import_paths.into_iter().map(Cow::into_owned).collect(),
            protosets: self.protosets.into_iter().map(Cow::into_owned).collect(),
            cacert: owned(self.cacert),
            cert: owned(self.cert),
            key: owned(self.key),
            cname: owned(self.cname),
            compressed: self.compressed,
            keepalive: self.keepalive_ns.map(Duration::from_nanos),
            skip_tls: self.skip_tls,
            plaintext: security.plaintext,
            security_found_out: security.found_out,
            binary: self.binary,
            seed: self.seed,
            data: owned(self.data).or_else(|| data.map(str::to_owned)),
            metadata: owned_pairs(self.metadata),
            skip_first: self.skip_first,
            count_errors: self.count_errors,
            cpus: self.cpus,
            utc_offset_s: self.utc_offset_s,
            unoptimised: self.unoptimised,
        };
        Ok(Setup {
            about,
            load: load.read()?,
            limits: limits.read()?,
            at_duration: limits.at_duration(),
            max_failures: limits.max_failures(),
            idle: load.idle(),
            deadline: self.deadline_ns.map(Duration::from_nanos),
            connect_timeout: Duration::from_nanos(self.connect_timeout_ns),
            authority: owned(self.authority),
            connections: self.connections,
            windows: *windows,
        })
    }
}

fn borrowed(text: Option<&String>) -> Option<Cow<'_, str>> {
    text.map(Cow::from)
}

fn owned(text: Option<Cow<'_, str>>) -> Option<String> {
    text.map(Cow::into_owned)
}

fn pairs(pairs: &[(String, String)]) -> Pairs<'_> {
    pairs.iter().map(|(name, text)| (name.into(), text.into())).collect()
}

fn owned_pairs(pairs: Pairs<'_>) -> Vec<(String, String)> {
    pairs.into_iter().map(|(name, text)| (name.into_owned(), text.into_owned())).collect()
}

fn nanos(duration: Duration) -> u64 {
    Offset::from_duration(duration).as_nanos()
}
