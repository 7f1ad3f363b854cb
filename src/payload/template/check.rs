//! What a parsed template needs: its functions and variables, each checked to be there before the first call.
//!
//! Go finds unknown functions and undeclared variables when it parses, and unknown fields when it comes to them; a branch
//! that is not taken by the first call must not hide a mistake until the thousandth.

use std::ops::Range;

use gotmpl::parse::{BranchNode, DefineNode, Expr, ListNode, Node, PipeNode, Pos};

use super::functions;
use super::variables::Variable;
use crate::schema::near;

/// Functions that every template has: Go's own.
const BUILTIN: [&str; 19] = [
    "and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or", "print", "printf",
    "println", "slice", "urlquery",
];

/// What a template needs to know of a call.
#[derive(Clone, Default, Debug)]
pub(super) struct Uses {
    /// The variables that it names.
    pub(super) variables: Vec<Variable>,
    /// Whether it depends on the time at which it is rendered.
    pub(super) clock: bool,
}

/// Something that is not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Missing {
    /// Its bytes in the text.
    pub(super) at: Range<usize>,
    pub(super) what: What,
}

/// What it is that is not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum What {
    Function {
        name: String,
        near: Vec<String>,
    },
    /// A function that is there, but not in this run.
    FunctionOff {
        name: String,
    },
    /// A field of the call's dot.
    Field {
        name: String,
        near: Vec<String>,
    },
    /// `$name`.
    Variable {
        name: String,
    },
    /// `{{template "name"}}`.
    Template {
        name: String,
    },
}

/// Finds out what is used, and what is missing.
pub(super) fn check(tree: &ListNode, defines: &[DefineNode], functions: bool) -> (Uses, Vec<Missing>) {
    let names = defines.iter().map(|define| define.name.as_str()).collect();
    let mut walk =
        Walk { functions, names, root: true, declared: Vec::new(), uses: Uses::default(), missing: Vec::new() };
    walk.list(tree, true);
    walk.root = false;
    for define in defines {
        walk.declared.clear();
        walk.list(&define.body, false);
    }
    (walk.uses, walk.missing)
}

struct Walk<'a> {
    /// Whether functions beyond Go's own may be used.
    functions: bool,
    names: Vec<&'a str>,
    /// Whether `$` is the call, which it is everywhere but in definitions.
    root: bool,
    /// Variables that are declared, innermost last.
    declared: Vec<String>,
    uses: Uses,
    missing: Vec<Missing>,
}

impl Walk<'_> {
    /// `dot` says whether the dot is the call.
    fn list(&mut self, list: &ListNode, dot: bool) {
        for node in &list.nodes {
            self.node(node, dot);
        }
    }

    fn block(&mut self, list: &ListNode, dot: bool) {
        let outer = self.declared.len();
        self.list(list, dot);
        self.declared.truncate(outer);
    }

    fn node(&mut self, node: &Node, dot: bool) {
        match node {
            Node::List(list) => self.list(list, dot),
            Node::Action(action) => self.pipe(&action.pipe, dot),
            Node::If(branch) => self.branch(branch, dot, dot),
            Node::Range(branch) => self.branch(branch, dot, false),
            Node::With(branch) => {
                let same = dot && matches!(single(&branch.pipe), Some(Expr::Dot(_)));
                self.branch(branch, dot, same);
            }
            Node::Template(call) => {
                if !self.names.contains(&call.name.as_str()) {
                    let what = What::Template { name: call.name.to_string() };
                    self.note(call.pos, call.name.len(), what);
                }
                if let Some(pipe) = &call.pipe {
                    self.pipe(pipe, dot);
                }
            }
            Node::Text(_) | Node::Define(_) | Node::Break(_) | Node::Continue(_) => {}
        }
    }

    fn branch(&mut self, branch: &BranchNode, dot: bool, inside: bool) {
        let outer = self.declared.len();
        self.pipe(&branch.pipe, dot);
        self.block(&branch.body, inside);
        if let Some(otherwise) = &branch.else_body {
            self.block(otherwise, dot);
        }
        self.declared.truncate(outer);
    }

    fn pipe(&mut self, pipe: &PipeNode, dot: bool) {
        for command in &pipe.commands {
            for expression in &command.args {
                self.expression(expression, dot);
            }
        }
        for name in &pipe.decl {
            if pipe.is_assign {
                self.variable(pipe.pos, name);
            } else {
                self.declared.push(name.to_string());
            }
        }
    }

    fn expression(&mut self, expression: &Expr, dot: bool) {
        match expression {
            Expr::Dot(_) if dot => self.everything(),
            Expr::Field(pos, fields) if dot => self.field(*pos, 0, &fields[0]),
            Expr::Variable(pos, name, fields) if name == "$" && self.root => match fields.first() {
                Some(field) => self.field(*pos, 1, field),
                None => self.everything(),
            },
            Expr::Variable(pos, name, _) => self.variable(*pos, name),
            Expr::Identifier(pos, name) => self.function(*pos, name),
            Expr::Pipe(_, pipe) => self.pipe(pipe, dot),
            Expr::Chain(_, inner, _) => self.expression(inner, dot),
            Expr::Dot(_) | Expr::Field(..) | Expr::String(..) | Expr::Number(..) | Expr::Bool(..) | Expr::Nil(_) => {}
        }
    }

    fn function(&mut self, pos: Pos, name: &str) {
        let known = functions::FUNCTIONS.contains_key(name);
        if functions::reads_clock(name) {
            self.uses.clock = true;
        }
        if BUILTIN.contains(&name) || known && self.functions {
            return;
        }
        let name = name.to_owned();
        let what = if known {
            What::FunctionOff { name }
        } else {
            let names = functions::FUNCTIONS.keys().map(String::as_str).filter(|_| self.functions);
            let near = near(&name, names.chain(BUILTIN));
            What::Function { name, near }
        };
        let len = match &what {
            What::FunctionOff { name } | What::Function { name, .. } => name.len(),
            _ => 0,
        };
        self.note(pos, len, what);
    }

    /// A field of the call, `skip` bytes after `pos`.
    fn field(&mut self, pos: Pos, skip: usize, name: &str) {
        if let Some(variable) = Variable::named(name) {
            self.needs(variable);
        } else {
            let near = near(name, Variable::ALL.iter().map(|variable| variable.name()));
            let at = pos.offset + skip;
            let what = What::Field { name: name.to_owned(), near };
            self.missing.push(Missing { at: at..at + 1 + name.len(), what });
        }
    }

    fn variable(&mut self, pos: Pos, name: &str) {
        if name != "$" && !self.declared.iter().any(|declared| declared == name) {
            self.note(pos, name.len(), What::Variable { name: name.to_owned() });
        }
    }

    fn everything(&mut self) {
        for variable in Variable::ALL {
            self.needs(variable);
        }
    }

    fn needs(&mut self, variable: Variable) {
        self.uses.clock |= variable.reads_clock();
        if !self.uses.variables.contains(&variable) {
            self.uses.variables.push(variable);
        }
    }

    fn note(&mut self, pos: Pos, len: usize, what: What) {
        self.missing.push(Missing { at: pos.offset..pos.offset + len, what });
    }
}

/// The expression that a pipeline consists of, if it is only one.
fn single(pipe: &PipeNode) -> Option<&Expr> {
    match pipe.commands.as_slice() {
        [command] if command.args.len() == 1 => command.args.first(),
        _ => None,
    }
}
