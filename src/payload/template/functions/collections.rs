//! Lists and dicts. None is changed: what changes one gives a new one, also `set`, `unset` and `merge`, which in Go
//! change the dict that they get.

use std::collections::BTreeMap;
use std::sync::Arc;

use gotmpl::Value;

use super::{Function, MANY, Outcome, count, elements, entries, integer, list, text, wants};

pub(super) const FUNCTIONS: &[Function] = &[
    ("list", 0..=MANY, |args| Ok(list(args.iter().cloned()))),
    ("tuple", 0..=MANY, |args| Ok(list(args.iter().cloned()))),
    ("first", 1..=1, first),
    ("mustFirst", 1..=1, first),
    ("last", 1..=1, last),
    ("mustLast", 1..=1, last),
    ("rest", 1..=1, rest),
    ("mustRest", 1..=1, rest),
    ("initial", 1..=1, initial),
    ("mustInitial", 1..=1, initial),
    ("append", 2..=2, append),
    ("mustAppend", 2..=2, append),
    ("push", 2..=2, append),
    ("mustPush", 2..=2, append),
    ("prepend", 2..=2, prepend),
    ("mustPrepend", 2..=2, prepend),
    ("concat", 0..=MANY, |args| {
        let lists: Vec<&[Value]> = args.iter().map(elements).collect::<Result<_, _>>()?;
        Ok(list(lists.concat()))
    }),
    ("reverse", 1..=1, reverse),
    ("mustReverse", 1..=1, reverse),
    ("uniq", 1..=1, uniq),
    ("mustUniq", 1..=1, uniq),
    ("without", 1..=MANY, without),
    ("mustWithout", 1..=MANY, without),
    ("has", 2..=2, has),
    ("mustHas", 2..=2, has),
    ("chunk", 2..=2, chunk),
    ("mustChunk", 2..=2, chunk),
    ("mustSlice", 1..=3, |args| {
        let all = elements(&args[0])?;
        let end = args.get(2).map_or(all.len(), |end| usize::try_from(integer(end)).unwrap_or(usize::MAX));
        let start = args.get(1).map_or(0, |start| usize::try_from(integer(start)).unwrap_or(usize::MAX));
        let part = all.get(start..end).ok_or_else(|| format!("{start} to {end} is not within {} values", all.len()))?;
        Ok(list(part.iter().cloned()))
    }),
    ("dict", 0..=MANY, |args| {
        let pairs = args.chunks(2).map(|pair| {
            // As in sprig, a key without a value has an empty text.
            Ok((text(&pair[0])?, pair.get(1).cloned().unwrap_or_else(|| super::string(""))))
        });
        Ok(dict(pairs.collect::<Result<BTreeMap<_, _>, String>>()?))
    }),
    ("get", 2..=2, |args| Ok(entries(&args[0])?.get(&text(&args[1])?).cloned().unwrap_or_else(|| super::string("")))),
    ("set", 3..=3, |args| {
        let mut changed = entries(&args[0])?.clone();
        changed.insert(text(&args[1])?, args[2].clone());
        Ok(dict(changed))
    }),
    ("unset", 2..=2, |args| {
        let mut changed = entries(&args[0])?.clone();
        changed.remove(&text(&args[1])?);
        Ok(dict(changed))
    }),
    ("hasKey", 2..=2, |args| Ok(Value::Bool(entries(&args[0])?.contains_key(&text(&args[1])?)))),
    ("pluck", 1..=MANY, |args| {
        let key = text(&args[0])?;
        let dicts = args[1..].iter().map(entries).collect::<Result<Vec<_>, _>>()?;
        Ok(list(dicts.iter().filter_map(|dict| dict.get(&key)).cloned()))
    }),
    ("keys", 0..=MANY, |args| {
        let dicts = args.iter().map(entries).collect::<Result<Vec<_>, _>>()?;
        Ok(list(dicts.iter().flat_map(|dict| dict.keys()).cloned().map(Value::String)))
    }),
    ("values", 1..=1, |args| Ok(list(entries(&args[0])?.values().cloned()))),
    ("pick", 1..=MANY, |args| filtered(args, true)),
    ("omit", 1..=MANY, |args| filtered(args, false)),
    ("merge", 1..=MANY, |args| merged(args, false)),
    ("mustMerge", 1..=MANY, |args| merged(args, false)),
    ("mergeOverwrite", 1..=MANY, |args| merged(args, true)),
    ("mustMergeOverwrite", 1..=MANY, |args| merged(args, true)),
    ("dig", 3..=MANY, dig),
];

fn dict(entries: BTreeMap<Arc<str>, Value>) -> Value {
    Value::Map(Arc::new(entries))
}

fn first(args: &[Value]) -> Outcome {
    Ok(elements(&args[0])?.first().cloned().unwrap_or(Value::Nil))
}

fn last(args: &[Value]) -> Outcome {
    Ok(elements(&args[0])?.last().cloned().unwrap_or(Value::Nil))
}

fn rest(args: &[Value]) -> Outcome {
    Ok(list(elements(&args[0])?.iter().skip(1).cloned()))
}

fn initial(args: &[Value]) -> Outcome {
    let all = elements(&args[0])?;
    Ok(list(all[..all.len().saturating_sub(1)].iter().cloned()))
}

fn append(args: &[Value]) -> Outcome {
    Ok(list(elements(&args[0])?.iter().chain([&args[1]]).cloned()))
}

fn prepend(args: &[Value]) -> Outcome {
    Ok(list([&args[1]].into_iter().chain(elements(&args[0])?).cloned()))
}

fn reverse(args: &[Value]) -> Outcome {
    Ok(list(elements(&args[0])?.iter().rev().cloned()))
}

fn uniq(args: &[Value]) -> Outcome {
    let mut kept: Vec<Value> = Vec::new();
    for value in elements(&args[0])? {
        if !kept.contains(value) {
            kept.push(value.clone());
        }
    }
    Ok(list(kept))
}

fn without(args: &[Value]) -> Outcome {
    Ok(list(elements(&args[0])?.iter().filter(|value| !args[1..].contains(value)).cloned()))
}

fn has(args: &[Value]) -> Outcome {
    match &args[1] {
        Value::Nil => Ok(Value::Bool(false)),
        all => Ok(Value::Bool(elements(all)?.contains(&args[0]))),
    }
}

fn chunk(args: &[Value]) -> Outcome {
    let size = count(&args[0])?.max(1);
    Ok(list(elements(&args[1])?.chunks(size).map(|part| list(part.iter().cloned()))))
}

fn filtered(args: &[Value], keep: bool) -> Outcome {
    let names = args[1..].iter().map(text).collect::<Result<Vec<_>, _>>()?;
    let kept = entries(&args[0])?.iter().filter(|(name, _)| names.contains(name) == keep);
    Ok(dict(kept.map(|(name, value)| (Arc::clone(name), value.clone())).collect()))
}

/// The entries of all dicts; of two with the same key the later one stays if it is to overwrite, else the earlier one.
fn merged(args: &[Value], overwrite: bool) -> Outcome {
    let mut all = args[0].clone();
    for other in &args[1..] {
        all = merge(&all, other, overwrite)?;
    }
    entries(&all)?;
    Ok(all)
}

fn merge(one: &Value, other: &Value, overwrite: bool) -> Outcome {
    let mut all = entries(one)?.clone();
    for (name, value) in entries(other)? {
        let value = match (all.get(name), value) {
            (Some(mine @ Value::Map(_)), Value::Map(_)) => merge(mine, value, overwrite)?,
            (Some(mine), _) if mine.is_truthy() && !overwrite => mine.clone(),
            _ => value.clone(),
        };
        all.insert(Arc::clone(name), value);
    }
    Ok(dict(all))
}

/// Keys one below the other, what to give if one is not there, and the dict.
fn dig(args: &[Value]) -> Outcome {
    let [keys @ .., otherwise, whole] = args else { return Err(wants("keys, a default and a dict", &Value::Nil)) };
    let mut at = whole;
    for key in keys {
        match entries(at)?.get(&text(key)?) {
            Some(value) => at = value,
            None => return Ok(otherwise.clone()),
        }
    }
    Ok(at.clone())
}

#[cfg(test)]
mod tests {
    use super::super::check;

    #[test]
    fn lists() {
        check(&[
            (
                "{{$l := list 1 2 3}}{{first $l}}{{last $l}}{{rest $l}}{{initial $l}}{{reverse $l}}",
                "13[2 3][1 2][3 2 1]",
            ),
            (
                "{{append (list 1) 2}}{{push (list 1) 2}}{{prepend (list 1) 0}}{{concat (list 1) (list 2 3)}}",
                "[1 2][1 2][0 1][1 2 3]",
            ),
            (
                "{{uniq (list 1 1 2)}}{{without (list 1 2 3) 2}}{{has 2 (list 1 2)}}{{chunk 2 (list 1 2 3)}}",
                "[1 2][1 3]true[[1 2] [3]]",
            ),
            ("{{index (list \"a\" \"b\") 1}}{{slice (list 1 2 3) 1 2}}{{mustSlice (list 1 2 3) 1}}", "b[2][2 3]"),
            ("{{first (list)}}", "<no value>"),
            ("{{first 7}}", "!first: it wants a list, not a number"),
        ]);
    }

    #[test]
    fn dicts() {
        check(&[
            (
                "{{$d := dict \"b\" 1 \"a\" 2}}{{$d.a}}{{get $d \"b\"}}{{get $d \"c\"}}{{hasKey $d \"a\"}}{{keys $d}}{{values $d}}",
                "21true[a b][2 1]",
            ),
            ("{{$d := dict \"a\" 1}}{{$d = set $d \"b\" 2}}{{$d}}{{unset $d \"a\"}}", "map[a:1 b:2]map[b:2]"),
            (
                "{{pick (dict \"a\" 1 \"b\" 2) \"a\"}}{{omit (dict \"a\" 1 \"b\" 2) \"a\"}}{{pluck \"a\" (dict \"a\" 1) (dict \"a\" 2)}}",
                "map[a:1]map[b:2][1 2]",
            ),
            (
                "{{merge (dict \"a\" 1) (dict \"a\" 2 \"b\" 3)}}{{mergeOverwrite (dict \"a\" 1) (dict \"a\" 2)}}",
                "map[a:1 b:3]map[a:2]",
            ),
            ("{{dig \"a\" \"b\" \"none\" (dict \"a\" (dict \"b\" 7))}}{{dig \"x\" \"none\" (dict)}}", "7none"),
        ]);
    }
}
