//! What each call sends: from the number of a call to its messages.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use prost_reflect::MessageDescriptor;

use crate::error::{DataError, Problems, UsageError};
use crate::schema::{Kind, Method, Scope};

use super::json::{Json, Node};
use super::mapping::{Mapper, Step};
use super::message::{MessageList, Messages, payload_bytes};
use super::mistakes::Mistakes;
use super::room::Room;
use super::template::{Call, Purpose, Source, Template, Templating, actions};
use super::well_known::WellKnown;
use super::{binary, is_blank, json, read, read_lines, read_part, split};

/// How data and metadata are read.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Reading {
    /// How far `{{ }}` are templates.
    pub templating: Templating,
    /// What random values in templates come from, together with the number of the call.
    pub seed: u64,
    /// The name of the run, for templates.
    pub run_name: Option<String>,
    /// Whether fields that messages don't have are passed over.
    pub allow_unknown_fields: bool,
    /// Whether a template is rendered for each message of a stream as it is sent, and not all of them for the call.
    pub one_by_one: bool,
}

/// How messages that are encoded already are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum BinaryForm {
    /// Found out, and a mistake if both are possible.
    #[default]
    FindOut,
    /// Each has its length in front, as a varint.
    Delimited,
    /// There is one, and nothing else.
    Single,
}

/// The messages of each call.
///
/// A call of a method that takes one message sends one; several are for calls in rotation. A call of a method that takes
/// a stream sends all of them in order; several such sequences are for calls in rotation.
#[derive(Clone, Debug)]
pub struct CallSource {
    calls: Calls,
}

#[derive(Clone, Debug)]
enum Calls {
    /// The same messages each time.
    Same(MessageList),
    /// Call `n` sends message `n` modulo their number. Never empty.
    Cycle(MessageList),
    /// Call `n` sends sequence `n` modulo their number. Never empty.
    Sequences(Vec<MessageList>),
    /// They are made for each call.
    Rendered(Arc<Program>),
}

impl CallSource {
    /// Reads JSON: an object is the message of each call, an array has several, and so has a text with an object in each
    /// line. For methods that take a stream, an array of arrays has a sequence of messages for each call in rotation.
    /// `None`, and a text with nothing in it, is the empty message. `origin` is where it comes from, for errors: `--data`
    /// or a file's name.
    ///
    /// If the method takes a `google.protobuf.ListValue` or `Value`, an array is the message itself; other messages with
    /// a JSON form of their own are taken in that form.
    ///
    /// A text with `{{` in it is a template, and an array of such texts has a template in each element. Each is rendered
    /// and encoded here for the first call that uses it.
    ///
    /// Errors: text that is not JSON, or more than one value; an empty array; whatever the message cannot hold; templates
    /// that cannot be read, or fail.
    pub fn from_json(
        json: Option<&str>,
        origin: &str,
        method: &Method,
        reading: &Reading,
    ) -> Result<CallSource, Problems> {
        let text = json.unwrap_or_default();
        let encoder = Encoder::new(method, reading.allow_unknown_fields);
        if is_blank(text) {
            return encoder.empty(origin).and_then(|encoded| CallSource::same(&encoded));
        }
        if reading.templating == Templating::Off || !actions::any(text) {
            return encoder.constant(text, origin);
        }
        let run_name = reading.run_name.as_deref();
        let source = Source::new(&actions::unescaped(text), origin, method, run_name, reading.seed, reading.templating);
        let program = Program::parse(source, encoder, reading.one_by_one)?;
        program.check_first_calls()?;
        Ok(CallSource { calls: Calls::Rendered(program.into()) })
    }

    /// Reads messages that are encoded already. They are checked to be what the method takes.
    ///
    /// Errors: bytes that are not of the form, or of both if it is to be found out; fields that the message does not
    /// have, unless they are allowed; values that are not of their field's type; required fields that are missing.
    pub fn from_binary(
        bytes: &[u8],
        origin: &str,
        method: &Method,
        form: BinaryForm,
        allow_unknown_fields: bool,
    ) -> Result<CallSource, Problems> {
        let input = method.input();
        let messages = binary::messages(bytes, origin, &input, form, allow_unknown_fields)?;
        let messages = MessageList::of_each(messages)?;
        let same = messages.len() == 1 || takes_stream(method);
        Ok(CallSource { calls: if same { Calls::Same(messages) } else { Calls::Cycle(messages) } })
    }

    /// Whether `text` can be data at all, where it is not known yet for which method.
    pub fn check_text(text: &str, origin: &str, reading: &Reading) -> Result<(), Problems> {
        if is_blank(text) || reading.templating != Templating::Off && actions::any(text) {
            return Ok(());
        }
        match split::lines(text, false) {
            Some(lines) => read_lines(text, lines, origin).map(drop),
            None => read(text, origin).map(drop),
        }
    }

    fn same(encoded: &[u8]) -> Result<CallSource, Problems> {
        MessageList::one(encoded).map(|messages| CallSource { calls: Calls::Same(messages) })
    }

    /// The messages as they are sent, which is when their length counts: compressed with `gzip`, and of `most` bytes each.
    ///
    /// Errors when one is longer; of templates the first calls are looked at.
    pub fn as_sent(self, gzip: bool, most: Option<u64>) -> Result<CallSource, Problems> {
        let as_sent = AsSent { gzip, most };
        let calls = match self.calls {
            Calls::Same(messages) => Calls::Same(as_sent.all(messages)?),
            Calls::Cycle(messages) => Calls::Cycle(as_sent.all(messages)?),
            Calls::Sequences(sequences) => {
                let sequences = sequences.into_iter().map(|messages| as_sent.all(messages));
                Calls::Sequences(sequences.collect::<Result<_, _>>()?)
            }
            Calls::Rendered(program) => {
                let program = Program { as_sent, ..program.unshared() };
                program.check_first_calls()?;
                Calls::Rendered(program.into())
            }
        };
        Ok(CallSource { calls })
    }

    /// Makes what is to be made for `call` alone; nothing for constant data. Of messages that are made
    /// [one by one](CallSource::one_by_one) it is that of the call's message number.
    ///
    /// Errors with the reason why the call cannot be sent.
    pub fn render(&self, call: &Call, room: &mut Room) -> Result<(), String> {
        match &self.calls {
            Calls::Same(_) | Calls::Cycle(_) | Calls::Sequences(_) => Ok(()),
            Calls::Rendered(program) => program.render(call, room),
        }
    }

    /// The messages of call `index`. `room` is that in which they were [rendered](CallSource::render).
    pub fn call<'a>(&'a self, index: u64, room: &'a Room) -> Messages<'a> {
        match &self.calls {
            Calls::Same(messages) => messages.all(),
            Calls::Cycle(messages) => messages.only(turn(index, messages.len())),
            Calls::Sequences(sequences) => sequences[turn(index, sequences.len())].all(),
            Calls::Rendered(_) => room.messages.all(),
        }
    }

    /// If the messages of a stream are made one by one: how many the data of call `index` has, to begin anew with when
    /// they are used up.
    pub fn one_by_one(&self, index: u64) -> Option<usize> {
        match &self.calls {
            Calls::Rendered(program) if program.one_by_one => Some(program.script(index).len()),
            _ => None,
        }
    }

    /// Whether messages depend on the time at which they are rendered, so that this is best done last of all.
    pub fn reads_clock(&self) -> bool {
        matches!(&self.calls, Calls::Rendered(program) if program.clock)
    }

    /// Whether messages are made for each call.
    pub fn is_rendered(&self) -> bool {
        matches!(self.calls, Calls::Rendered(_))
    }

    /// The same messages in memory of their own, so that threads don't share cache lines.
    #[must_use]
    pub fn unshared(&self) -> CallSource {
        match &self.calls {
            Calls::Same(_) | Calls::Cycle(_) | Calls::Sequences(_) => self.clone(),
            Calls::Rendered(program) => CallSource { calls: Calls::Rendered(program.unshared().into()) },
        }
    }
}

/// `index` modulo `len`.
fn turn(index: u64, len: usize) -> usize {
    // The remainder is below a length in memory.
    #[allow(clippy::cast_possible_truncation)]
    let turn = (index % len as u64) as usize;
    turn
}

fn takes_stream(method: &Method) -> bool {
    matches!(method.kind(), Kind::ClientStreaming | Kind::Bidi)
}

/// What becomes of messages on the way out.
#[derive(Clone, Copy, Default, Debug)]
struct AsSent {
    gzip: bool,
    /// The most bytes of one, without its frame.
    most: Option<u64>,
}

impl AsSent {
    /// All of `messages` as they are sent.
    fn all(self, messages: MessageList) -> Result<MessageList, Problems> {
        let messages = if self.gzip { messages.compressed()? } else { messages };
        // Of several that are too long the longest is told, and of those the first.
        let longest = messages.all().iter().enumerate().min_by_key(|(_, framed)| Reverse(payload_bytes(framed)));
        longest.map_or(Ok(()), |(place, framed)| self.check(place, framed))?;
        Ok(messages)
    }

    /// The last of `messages` as it is sent.
    fn last(self, messages: &mut MessageList) -> Result<(), Problems> {
        if self.gzip {
            messages.compress_last()?;
        }
        messages.last().map_or(Ok(()), |(place, framed)| self.check(place, framed))
    }

    /// Whether the message at `place` is not too long.
    fn check(self, place: usize, framed: &[u8]) -> Result<(), Problems> {
        let bytes = payload_bytes(framed);
        match self.most {
            Some(most) if u64::from(bytes) > most => {
                Err(UsageError::MessageTooLong { number: place + 1, bytes, most }.into())
            }
            _ => Ok(()),
        }
    }
}

/// From JSON to the messages of a method.
#[derive(Clone)]
struct Encoder {
    input: MessageDescriptor,
    /// What an `Any` may hold.
    scope: Scope,
    allow_unknown_fields: bool,
    /// Whether a call sends any number of messages.
    stream: bool,
    /// Whether an array is one message.
    takes_array: bool,
}

/// Only the type's name: descriptors print all that they lead to.
impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Encoder").field(&self.input.full_name()).finish()
    }
}

impl Encoder {
    fn new(method: &Method, allow_unknown_fields: bool) -> Encoder {
        let input = method.input();
        Encoder {
            allow_unknown_fields,
            stream: takes_stream(method),
            takes_array: WellKnown::of(&input).is_some_and(WellKnown::takes_array),
            scope: method.scope().clone(),
            input,
        }
    }

    fn mapper<'t>(&'t self, origin: &'t str, text: &'t str) -> Mapper<'t> {
        Mapper::new(origin, text, &self.scope, self.allow_unknown_fields)
    }

    /// The message without any field, encoded; only required ones can be missing from it.
    fn empty(&self, origin: &str) -> Result<Vec<u8>, Problems> {
        let mut encoded = Vec::new();
        let mut mapper = self.mapper(origin, "");
        mapper.fields(&self.input, &[], None, &(0..0), &mut encoded);
        mapper.finish()?;
        Ok(encoded)
    }

    /// The message that `node`, a part of `text`, stands for, encoded.
    fn one(&self, node: &Node<'_>, text: &str, origin: &str) -> Result<Vec<u8>, Problems> {
        let mut encoded = Vec::new();
        let mut mapper = self.mapper(origin, text);
        mapper.message(&self.input, node, &mut encoded);
        mapper.finish()?;
        Ok(encoded)
    }

    /// The calls that a text without templates stands for.
    fn constant(&self, text: &str, origin: &str) -> Result<CallSource, Problems> {
        let nodes = match split::lines(text, false) {
            Some(lines) => read_lines(text, lines, origin)?,
            None => match read(text, origin)? {
                Node { value: Json::Array(values), .. } if !self.takes_array => values,
                node => return CallSource::same(&self.one(&node, text, origin)?),
            },
        };
        if nodes.is_empty() {
            return Err(DataError::NothingToSend { origin: origin.to_owned() }.into());
        }
        let mut mapper = self.mapper(origin, text);
        let calls = if self.has_sequences(&nodes) {
            let sequences = nodes.iter().enumerate().map(|(index, node)| {
                let Json::Array(values) = &node.value else {
                    return self.messages(&mut mapper, std::slice::from_ref(node));
                };
                mapper.within(Step::Index(index), |mapper| self.messages(mapper, values))
            });
            Calls::Sequences(sequences.collect::<Result<_, _>>()?)
        } else if self.stream {
            Calls::Same(self.messages(&mut mapper, &nodes)?)
        } else {
            Calls::Cycle(self.messages(&mut mapper, &nodes)?)
        };
        mapper.finish()?;
        Ok(CallSource { calls })
    }

    /// Whether the elements are sequences of messages, one for each call.
    fn has_sequences(&self, nodes: &[Node<'_>]) -> bool {
        self.stream && !self.takes_array && nodes.iter().any(|node| matches!(node.value, Json::Array(_)))
    }

    fn messages<'t>(&self, mapper: &mut Mapper<'t>, nodes: &[Node<'t>]) -> Result<MessageList, Problems> {
        let mut messages = MessageList::default();
        for (index, node) in nodes.iter().enumerate() {
            mapper.within(Step::Index(index), |mapper| messages.push(|out| mapper.message(&self.input, node, out)))?;
        }
        Ok(messages.without_spare())
    }
}

/// Messages that are made for each call, or some of them.
#[derive(Debug)]
struct Program {
    source: Source,
    encoder: Encoder,
    /// Call `n` sends the parts of script `n` modulo their number. Never empty.
    scripts: Vec<Vec<Part>>,
    /// Whether the only part may turn out as an array of messages.
    whole: bool,
    clock: bool,
    /// Whether what is made at a time is one message of a stream.
    one_by_one: bool,
    as_sent: AsSent,
}

#[derive(Debug)]
enum Part {
    /// A message, encoded.
    Ready(Vec<u8>),
    Template(Box<Template>),
}

impl Program {
    fn parse(source: Source, encoder: Encoder, one_by_one: bool) -> Result<Program, Problems> {
        let text = &*source.text;
        let parts = split::lines(text, true).or_else(|| {
            let elements = || split::elements(text, 0..text.len());
            if encoder.takes_array { None } else { elements() }
        });
        let whole = parts.is_none();
        let whole_text = split::trimmed(text, 0..text.len());
        let parts = parts.unwrap_or_else(|| vec![whole_text.clone()]);
        if parts.is_empty() {
            return Err(DataError::NothingToSend { origin: source.origin.to_string() }.into());
        }
        let in_sequences: Vec<Option<Vec<Range<usize>>>> = if encoder.stream && !encoder.takes_array && !whole {
            parts.iter().map(|part| split::elements(text, part.clone())).collect()
        } else {
            vec![None; parts.len()]
        };
        let sequences = in_sequences.iter().any(Option::is_some);
        let mut mistakes = Mistakes::new(&source.origin);
        let mut made: Vec<Vec<Part>> = Vec::with_capacity(parts.len());
        for (part, inside) in parts.into_iter().zip(in_sequences) {
            let mut script = Vec::new();
            for part in inside.unwrap_or_else(|| vec![part]) {
                if mistakes.enough() {
                    break;
                }
                script.extend(mistakes.keep(Part::parse(&source, &encoder, part)));
            }
            made.push(script);
        }
        mistakes.finish()?;
        let scripts = if encoder.stream && !sequences { vec![made.into_iter().flatten().collect()] } else { made };
        let clock = scripts.iter().flatten().any(Part::reads_clock);
        // How many elements such an array has shows when all of it is rendered.
        let array = whole && source.text[whole_text].starts_with('[');
        let one_by_one = one_by_one && encoder.stream && !array;
        Ok(Program { source, encoder, scripts, whole, clock, one_by_one, as_sent: AsSent::default() })
    }

    /// Renders each script for its first call.
    fn check_first_calls(&self) -> Result<(), Problems> {
        let mut room = Room::new();
        let mut mistakes = Mistakes::new(&self.source.origin);
        for index in 0..self.scripts.len() {
            let call = Call::new(index as u64, 0, 0);
            let messages = if self.one_by_one { self.script(call.index).len() } else { 1 };
            for message in (0..).take(messages) {
                if mistakes.enough() {
                    return mistakes.finish();
                }
                mistakes.keep(self.made(&call.at_message(message), &mut room, Explain::Fully));
            }
        }
        mistakes.finish()
    }

    /// The parts of call `index`.
    fn script(&self, index: u64) -> &[Part] {
        &self.scripts[turn(index, self.scripts.len())]
    }

    fn render(&self, call: &Call, room: &mut Room) -> Result<(), String> {
        self.made(call, room, Explain::Briefly)
            .map_err(|problems| problems.iter().next().map_or_else(String::new, ToString::to_string))
    }

    fn made(&self, call: &Call, room: &mut Room, explain: Explain) -> Result<(), Problems> {
        room.messages.clear();
        let script = self.script(call.index);
        if !self.one_by_one {
            return (0..).zip(script).try_for_each(|(place, part)| self.make(part, place, call, room, explain));
        }
        if script.is_empty() {
            return Ok(());
        }
        let part = &script[turn(call.message.into(), script.len())];
        self.make(part, call.message, call, room, explain)
    }

    /// Makes what `part` gives at a place among the texts of the call.
    fn make(&self, part: &Part, place: u32, call: &Call, room: &mut Room, explain: Explain) -> Result<(), Problems> {
        match part {
            Part::Ready(encoded) => self.push(encoded, &mut room.messages),
            Part::Template(template) => {
                let purpose = Purpose::Data(place);
                room.text.clear();
                template.render(call, purpose, &mut room.text).map_err(|problem| match explain {
                    Explain::Fully => template.failure(call, purpose, problem),
                    Explain::Briefly => template.failure_in_brief(problem),
                })?;
                self.encode(call, room, explain)
            }
        }
    }

    /// Encodes the text in `room` into it.
    fn encode(&self, call: &Call, room: &mut Room, explain: Explain) -> Result<(), Problems> {
        let Room { text, messages, .. } = room;
        let encoder = &self.encoder;
        if is_blank(text) {
            return self.push(&encoder.empty(&self.origin(call, explain))?, messages);
        }
        // What is told of a mistake costs more than the call itself, and is made only where there is one.
        let Ok(node) = json::read(text) else {
            return read(text, &self.origin(call, explain)).map(|_| ());
        };
        let one;
        let nodes = match &node.value {
            Json::Array(values) if self.whole && encoder.stream && !encoder.takes_array && !self.one_by_one => {
                values.as_slice()
            }
            Json::Array(values) if self.whole && !encoder.takes_array => {
                let number = if self.one_by_one { call.message.into() } else { call.index };
                one = values.get(turn(number, values.len().max(1)));
                let Some(one) = one else {
                    return Err(DataError::NothingToSend { origin: self.origin(call, explain) }.into());
                };
                std::slice::from_ref(one)
            }
            _ => std::slice::from_ref(&node),
        };
        let mut mapper = encoder.mapper("", text);
        for node in nodes {
            messages.push(|out| mapper.message(&encoder.input, node, out))?;
            self.as_sent.last(messages)?;
        }
        if mapper.is_fine() {
            return Ok(());
        }
        let origin = self.origin(call, explain);
        let mut mapper = encoder.mapper(&origin, text);
        for node in nodes {
            mapper.message(&encoder.input, node, &mut Vec::new());
        }
        mapper.finish()
    }

    /// Appends a message that is encoded.
    fn push(&self, encoded: &[u8], messages: &mut MessageList) -> Result<(), Problems> {
        messages.push(|out| out.extend_from_slice(encoded))?;
        self.as_sent.last(messages)
    }

    /// Where a rendered text comes from. Without the number of the call where equal failures are counted together.
    fn origin(&self, call: &Call, explain: Explain) -> String {
        match explain {
            Explain::Fully => format!("{}, rendered for call {}", self.source.origin, call.index),
            Explain::Briefly => self.source.origin.to_string(),
        }
    }

    fn unshared(&self) -> Program {
        let source = self.source.unshared();
        let scripts = self.scripts.iter().map(|parts| parts.iter().map(|part| part.unshared(&source)).collect());
        Program {
            scripts: scripts.collect(),
            source: source.clone(),
            encoder: self.encoder.clone(),
            whole: self.whole,
            clock: self.clock,
            one_by_one: self.one_by_one,
            as_sent: self.as_sent,
        }
    }
}

/// How much is worth telling about a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Explain {
    /// Also where in the template it is.
    Fully,
    /// What it is.
    Briefly,
}

impl Part {
    fn parse(source: &Source, encoder: &Encoder, at: Range<usize>) -> Result<Part, Problems> {
        let text = &source.text[at.clone()];
        if actions::any(text) {
            return Template::parse(source, at).map(|template| Part::Template(template.into()));
        }
        let node = read_part(&source.text, at, &source.origin)?;
        encoder.one(&node, &source.text, &source.origin).map(Part::Ready)
    }

    fn reads_clock(&self) -> bool {
        matches!(self, Part::Template(template) if template.reads_clock())
    }

    fn unshared(&self, source: &Source) -> Part {
        match self {
            Part::Ready(encoded) => Part::Ready(encoded.clone()),
            Part::Template(template) => Part::Template(template.unshared(source).into()),
        }
    }
}
