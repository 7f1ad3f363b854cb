//! Templates in Go's syntax: the text of data and metadata, rendered anew for each call.
//!
//! A template is parsed once (once for each worker, so that threads share nothing), and all that can be checked then is:
//! syntax, functions, variables. What a call gets depends on the seed of the run, the number of the call, and the clock
//! if the template reads it; not on how many workers there are, nor on what was rendered before.

pub(super) mod actions;
mod check;
mod functions;
mod layout;
mod variables;

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};
use std::time::SystemTime;

use gotmpl::parse::{ActionNode, BranchNode, CommandNode, Expr, ListNode, Node, Number, Parser, PipeNode, Pos};
use gotmpl::{TemplateError, Value};

use crate::error::{DataError, Excerpt, Problems};
use crate::schema::Method;

use check::{Missing, Uses, What};
use variables::Variable;

pub(super) use variables::RunFacts;

/// A call, as its data and metadata may know it.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its number in the run, from 0.
    pub index: u64,
    /// The number of the slot that makes it: what ghz calls a worker.
    pub slot: u64,
    /// The number of the connection that it goes over.
    pub connection: u64,
    /// The number of the message that is made, from 0, where each is made by itself.
    pub message: u32,
    time: OnceCell<SystemTime>,
}

impl Call {
    /// Call `index` of the run, made by `slot` over `connection`; all count from 0 over all workers.
    pub fn new(index: u64, slot: u64, connection: u64) -> Call {
        Call { index, slot, connection, message: 0, time: OnceCell::new() }
    }

    /// The same call where its message `number` is made, with a time of its own.
    #[must_use]
    pub fn at_message(&self, number: u32) -> Call {
        Call { message: number, ..Call::new(self.index, self.slot, self.connection) }
    }

    /// When this was first asked.
    fn time(&self) -> SystemTime {
        *self.time.get_or_init(SystemTime::now)
    }
}

/// How far `{{ }}` in data and metadata are templates.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Templating {
    /// With all functions.
    #[default]
    Full,
    /// With variables and Go's own functions only.
    NoFunctions,
    /// They are text like any other.
    Off,
}

/// What random values are for: each text of a call has a sequence of its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    /// The variable `UUID`, which is the same wherever a call uses it; by the number of the message where each is made by
    /// itself.
    Uuid(u32),
    /// A message of a call, by its place among the call's texts.
    Data(u32),
    /// Metadata of a call, by its place.
    Metadata(u32),
}

/// A seed for one purpose in one call.
fn mixed(seed: u64, index: u64, purpose: Purpose) -> u64 {
    let purpose = match purpose {
        Purpose::Uuid(message) => u64::from(message),
        Purpose::Data(place) => 1 << 32 | u64::from(place),
        Purpose::Metadata(place) => 2 << 32 | u64::from(place),
    };
    [seed, index, purpose].into_iter().fold(0, |state, part| scrambled(state ^ part))
}

/// The output function of `SplitMix64` (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators"): near
/// inputs give outputs that have nothing to do with each other.
fn scrambled(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// A text that may have templates in it, and what they can know.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Where it comes from, for errors.
    pub(super) origin: Arc<str>,
    pub(super) text: Arc<str>,
    /// The text as errors show it: without secrets, and otherwise the same.
    shown: Arc<str>,
    pub(super) facts: Arc<RunFacts>,
    /// Whether functions beyond Go's own may be used.
    pub(super) functions: bool,
}

impl Source {
    pub(super) fn new(
        text: &str,
        origin: &str,
        method: &Method,
        run_name: Option<&str>,
        seed: u64,
        templating: Templating,
    ) -> Source {
        Source {
            origin: origin.into(),
            text: text.into(),
            shown: text.into(),
            facts: Arc::new(RunFacts::new(method, run_name, seed)),
            functions: templating == Templating::Full,
        }
    }

    /// The same where errors show the text as `shown`, in which every place is where it was.
    pub(super) fn shown_as(self, shown: &str) -> Source {
        Source { shown: shown.into(), ..self }
    }

    /// The same in memory of its own.
    pub(super) fn unshared(&self) -> Source {
        Source { facts: Arc::new(self.facts.unshared()), ..self.clone() }
    }

    pub(super) fn excerpt(&self, at: Range<usize>, label: &str) -> Excerpt {
        Excerpt {
            origin: self.origin.to_string(),
            text: self.shown.to_string(),
            offset: at.start,
            len: at.len(),
            label: label.to_owned(),
        }
    }
}

/// A template, ready to be rendered.
#[derive(Clone)]
pub(super) struct Template {
    parsed: gotmpl::Template,
    variables: Vec<(Arc<str>, Variable)>,
    clock: bool,
    source: Source,
    /// Its part of the source's text.
    at: Range<usize>,
}

/// The functions, to be shared by all templates.
static WITH_FUNCTIONS: LazyLock<gotmpl::Template> =
    LazyLock::new(|| gotmpl::Template::new("").funcs(functions::FUNCTIONS.clone()));
static WITHOUT_FUNCTIONS: LazyLock<gotmpl::Template> = LazyLock::new(|| gotmpl::Template::new(""));

impl Template {
    /// Parses a part of a source's text.
    ///
    /// Errors: what is no template; functions, variables and definitions that are not there.
    pub(super) fn parse(source: &Source, at: Range<usize>) -> Result<Template, Problems> {
        let text = &source.text[at.clone()];
        let syntax = |error: TemplateError| Problems::from(syntax_error(source, &at, &error));
        let wrong = |place: Range<usize>, problem: &str| DataError::TemplateSyntax {
            origin: source.origin.to_string(),
            problem: problem.to_owned(),
            excerpt: source.excerpt(at.start + place.start..at.start + place.end, "here"),
        };
        if let Some(start) = actions::unclosed(text) {
            return Err(wrong(start..start + actions::OPEN.len(), "this action has no `}}`").into());
        }
        let tree = Parser::new(text, "{{", "}}").and_then(Parser::parse);
        // The parser's own word on a text that it cannot read is better than ours.
        let (tree, defines) = tree.map_err(syntax)?;
        actions::check_blocks(text).map_err(|(place, problem)| wrong(place, problem))?;
        let (Uses { variables, clock }, missing) = check::check(&tree, &defines, source.functions);
        let mut problems = Problems::new();
        for missing in missing {
            problems.push(missing_error(source, at.start, missing));
        }
        problems.into_result()?;
        let base = if source.functions { &WITH_FUNCTIONS } else { &WITHOUT_FUNCTIONS };
        let parsed = gotmpl::Template::clone(base).parse(text).map_err(syntax)?;
        let variables = variables.into_iter().map(|variable| (variable.name().into(), variable)).collect();
        Ok(Template { parsed, variables, clock, source: source.clone(), at })
    }

    /// The same template for another thread, with nothing shared: values in it are counted references.
    pub(super) fn unshared(&self, source: &Source) -> Template {
        Template::parse(source, self.at.clone()).expect("it was parsed before")
    }

    /// Whether what it gives depends on the time at which it is rendered.
    pub(super) fn reads_clock(&self) -> bool {
        self.clock
    }

    /// Where it comes from.
    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    /// The text of the template.
    pub(super) fn text(&self) -> &str {
        &self.source.text[self.at.clone()]
    }

    /// Renders it behind what is in `out`.
    ///
    /// Errors with the reason; `out` has a part of the text then.
    pub(super) fn render(&self, call: &Call, purpose: Purpose, out: &mut String) -> Result<(), String> {
        functions::seed(mixed(self.source.facts.seed, call.index, purpose));
        self.parsed.execute_fmt(out, &self.dot(call, purpose)).map_err(|error| said(&error))
    }

    /// The mistake that a failed render is, with its place.
    pub(super) fn failure(&self, call: &Call, purpose: Purpose, problem: String) -> DataError {
        let place = self.locate(call, purpose).map(|(offset, len)| {
            let start = self.at.start + offset;
            self.source.excerpt(start..start + len, "here")
        });
        DataError::TemplateFails { origin: self.source.origin.to_string(), problem, excerpt: place }
    }

    /// The same without its place, which costs another render.
    pub(super) fn failure_in_brief(&self, problem: String) -> DataError {
        DataError::TemplateFails { origin: self.source.origin.to_string(), problem, excerpt: None }
    }

    fn dot(&self, call: &Call, purpose: Purpose) -> Value {
        let facts = &self.source.facts;
        let value = |variable| facts.value(variable, call, purpose);
        let fields = self.variables.iter().map(|(name, variable)| (Arc::clone(name), value(*variable)));
        Value::Map(Arc::new(fields.collect::<BTreeMap<_, _>>()))
    }

    /// Where a render fails. The engine does not tell, so the template is rendered once more with a marker before each
    /// action: with the same seed it fails in the same place.
    fn locate(&self, call: &Call, purpose: Purpose) -> Option<(usize, usize)> {
        let text = self.text();
        let (mut tree, defines) = Parser::new(text, "{{", "}}").and_then(Parser::parse).ok()?;
        mark(&mut tree);
        let base = if self.source.functions { &WITH_FUNCTIONS } else { &WITHOUT_FUNCTIONS };
        let mut marked = gotmpl::Template::clone(base).func(MARKER, |args| {
            LAST.set(args.first().and_then(Value::as_int));
            Ok(Value::String("".into()))
        });
        for mut define in defines {
            mark(&mut define.body);
            marked = marked.add_parse_tree(&define.name, define.body);
        }
        let marked = marked.add_parse_tree(MARKER, tree);
        LAST.set(None);
        functions::seed(mixed(self.source.facts.seed, call.index, purpose));
        let outcome = marked.execute_template_fmt(&mut String::new(), MARKER, &self.dot(call, purpose));
        let inside = usize::try_from(LAST.get()?).ok().filter(|_| outcome.is_err())?;
        let action = actions::all(text).find(|action| action.at.contains(&inside))?;
        Some((action.at.start, action.at.len()))
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Template").field(&self.text()).finish()
    }
}

/// A name that no template can spell.
const MARKER: &str = "(marker)";

thread_local! {
    /// The place of the last marker that was passed.
    static LAST: Cell<Option<i64>> = const { Cell::new(None) };
}

/// Puts a marker before each action.
fn mark(list: &mut ListNode) {
    let nodes = std::mem::take(&mut list.nodes);
    for mut node in nodes {
        let pos = match &node {
            Node::Action(action) => Some(action.pos),
            Node::If(branch) | Node::Range(branch) | Node::With(branch) => Some(branch.pos),
            Node::Template(call) => Some(call.pos),
            Node::List(_) | Node::Text(_) | Node::Define(_) | Node::Break(_) | Node::Continue(_) => None,
        };
        if let Some(pos) = pos {
            list.nodes.push(marker(pos));
        }
        if let Node::If(branch) | Node::Range(branch) | Node::With(branch) = &mut node {
            let BranchNode { body, else_body, .. } = branch;
            mark(body);
            else_body.iter_mut().for_each(mark);
        }
        list.nodes.push(node);
    }
}

fn marker(pos: Pos) -> Node {
    let place = Number::Int(i64::try_from(pos.offset).unwrap_or(i64::MAX));
    let command = CommandNode { pos, args: vec![Expr::Identifier(pos, MARKER.into()), Expr::Number(pos, place)] };
    Node::Action(ActionNode { pos, pipe: PipeNode { pos, decl: vec![], commands: vec![command], is_assign: false } })
}

/// What went wrong, without the engine's words for what kind of thing that is.
fn said(error: &TemplateError) -> String {
    match error {
        TemplateError::Exec(problem) => problem.clone(),
        other => other.to_string(),
    }
}

fn syntax_error(source: &Source, at: &Range<usize>, error: &TemplateError) -> DataError {
    let (offset, problem) = match error {
        TemplateError::Parse { line, col, message, .. } | TemplateError::Lex { line, col, message, .. } => {
            (offset_of(&source.text[at.clone()], *line, *col), message.clone())
        }
        other => (0, said(other)),
    };
    // A place at the very end has nothing to point at but the last character.
    let start = (at.start + offset).min(at.end);
    DataError::TemplateSyntax {
        origin: source.origin.to_string(),
        problem,
        excerpt: source.excerpt(start..start, "here"),
    }
}

/// The byte at a line and column, both from 1.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = &text[start..];
    rest.char_indices().nth(column.saturating_sub(1)).map_or(text.len(), |(at, _)| start + at)
}

fn missing_error(source: &Source, start: usize, missing: Missing) -> DataError {
    let Missing { at, what } = missing;
    let at = start + at.start..start + at.end;
    let syntax = |problem: String, label| DataError::TemplateSyntax {
        origin: source.origin.to_string(),
        problem,
        excerpt: source.excerpt(at.clone(), label),
    };
    match what {
        What::Function { name, near } => {
            DataError::UnknownFunction { name, near, excerpt: source.excerpt(at, "no such function") }
        }
        What::FunctionOff { name } => DataError::FunctionOff { name, excerpt: source.excerpt(at, "not in this run") },
        What::Field { name, near } => DataError::UnknownVariable {
            name,
            near,
            known: Variable::ALL.map(|variable| variable.name().to_owned()).to_vec(),
            excerpt: source.excerpt(at, "no such variable"),
        },
        What::Variable { name } => syntax(format!("`{name}` is not declared"), "declared nowhere before this"),
        What::Template { name } => syntax(format!("no template \"{name}\" is defined"), "here"),
    }
}

#[cfg(test)]
mod tests;
