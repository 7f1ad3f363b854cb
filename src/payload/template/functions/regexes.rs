//! Regular expressions, in the syntax of RE2 that Go has too. Each is compiled once per thread.

use std::cell::RefCell;
use std::collections::HashMap;

use gotmpl::Value;
use regex::{NoExpand, Regex};

use super::{Function, Outcome, integer, list, string, text};

pub(super) const FUNCTIONS: &[Function] = &[
    ("regexMatch", 2..=2, matches),
    ("mustRegexMatch", 2..=2, matches),
    ("regexFind", 2..=2, find),
    ("mustRegexFind", 2..=2, find),
    ("regexFindAll", 3..=3, find_all),
    ("mustRegexFindAll", 3..=3, find_all),
    ("regexReplaceAll", 3..=3, replace_all),
    ("mustRegexReplaceAll", 3..=3, replace_all),
    ("regexReplaceAllLiteral", 3..=3, replace_all_literally),
    ("mustRegexReplaceAllLiteral", 3..=3, replace_all_literally),
    ("regexSplit", 3..=3, split),
    ("mustRegexSplit", 3..=3, split),
    ("regexQuoteMeta", 1..=1, |args| Ok(string(regex::escape(&text(&args[0])?)))),
];

/// Expressions that are kept; a template that makes new ones with each call must not fill the memory.
const KEPT: usize = 64;

thread_local! {
    static COMPILED: RefCell<HashMap<String, Regex>> = RefCell::default();
}

fn compiled(expression: &Value) -> Result<Regex, String> {
    let expression = text(expression)?;
    COMPILED.with_borrow_mut(|kept| {
        if let Some(regex) = kept.get(&*expression) {
            return Ok(regex.clone());
        }
        let regex = Regex::new(&expression).map_err(|error| {
            let error = error.to_string();
            format!("`{expression}` is no regular expression: {}", error.lines().last().unwrap_or(&error).trim())
        })?;
        if kept.len() == KEPT {
            kept.clear();
        }
        kept.insert(expression.to_string(), regex.clone());
        Ok(regex)
    })
}

fn matches(args: &[Value]) -> Outcome {
    Ok(Value::Bool(compiled(&args[0])?.is_match(&text(&args[1])?)))
}

fn find(args: &[Value]) -> Outcome {
    Ok(string(compiled(&args[0])?.find(&text(&args[1])?).map_or("", |found| found.as_str())))
}

/// The most matches or pieces that are asked for; below 0 is all.
fn most(value: &Value) -> usize {
    usize::try_from(integer(value)).unwrap_or(usize::MAX)
}

fn find_all(args: &[Value]) -> Outcome {
    let (regex, text) = (compiled(&args[0])?, text(&args[1])?);
    Ok(list(regex.find_iter(&text).take(most(&args[2])).map(|found| string(found.as_str()))))
}

fn replace_all(args: &[Value]) -> Outcome {
    Ok(string(compiled(&args[0])?.replace_all(&text(&args[1])?, &*text(&args[2])?)))
}

fn replace_all_literally(args: &[Value]) -> Outcome {
    Ok(string(compiled(&args[0])?.replace_all(&text(&args[1])?, NoExpand(&text(&args[2])?))))
}

fn split(args: &[Value]) -> Outcome {
    let (regex, text) = (compiled(&args[0])?, text(&args[1])?);
    Ok(match most(&args[2]) {
        usize::MAX => list(regex.split(&text).map(string)),
        most => list(regex.splitn(&text, most).map(string)),
    })
}

#[cfg(test)]
mod tests {
    use super::super::check;

    #[test]
    fn expressions() {
        check(&[
            ("{{regexMatch \"^a+$\" \"aaa\"}}{{regexFind \"[0-9]+\" \"ab12c3\"}}", "true12"),
            ("{{regexFindAll \"[0-9]\" \"1a2b3\" -1}}{{regexFindAll \"[0-9]\" \"1a2b3\" 2}}", "[1 2 3][1 2]"),
            ("{{regexReplaceAll \"a(x*)b\" \"-ab-axxb-\" \"${1}W\"}}", "-W-xxW-"),
            ("{{regexReplaceAllLiteral \"a(x*)b\" \"-ab-\" \"${1}\"}}", "-${1}-"),
            ("{{regexSplit \"z+\" \"pizza\" -1}}{{regexSplit \"z\" \"azbzc\" 2}}", "[pi a][a bzc]"),
            ("{{regexQuoteMeta \"1.2\"}}", "1\\.2"),
            ("{{regexMatch \"(\" \"\"}}", "!regexMatch: `(` is no regular expression: error: unclosed group"),
        ]);
    }
}
