//! The environment, and names of files. Nothing here looks at files.

use gotmpl::Value;

use super::{Function, string, text};

pub(super) const FUNCTIONS: &[Function] = &[
    ("env", 1..=1, |args| Ok(string(std::env::var(&*text(&args[0])?).unwrap_or_default()))),
    ("expandenv", 1..=1, |args| Ok(string(expanded(&text(&args[0])?)))),
    ("base", 1..=1, |args| Ok(string(base(&text(&args[0])?)))),
    ("osBase", 1..=1, |args| Ok(string(base(&text(&args[0])?)))),
    ("dir", 1..=1, |args| Ok(string(dir(&text(&args[0])?)))),
    ("osDir", 1..=1, |args| Ok(string(dir(&text(&args[0])?)))),
    ("clean", 1..=1, |args| Ok(string(clean(&text(&args[0])?)))),
    ("osClean", 1..=1, |args| Ok(string(clean(&text(&args[0])?)))),
    ("ext", 1..=1, |args| Ok(string(ext(&text(&args[0])?)))),
    ("osExt", 1..=1, |args| Ok(string(ext(&text(&args[0])?)))),
    ("isAbs", 1..=1, |args| Ok(Value::Bool(text(&args[0])?.starts_with('/')))),
    ("osIsAbs", 1..=1, |args| Ok(Value::Bool(text(&args[0])?.starts_with('/')))),
];

/// `$NAME` and `${NAME}` stand for the variables of these names.
fn expanded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let (name, next) = after.strip_prefix('{').and_then(|inside| inside.split_once('}')).unwrap_or_else(|| {
            let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
            after.split_at(end)
        });
        if name.is_empty() {
            out.push('$');
        } else {
            out.push_str(&std::env::var(name).unwrap_or_default());
        }
        rest = next;
    }
    out + rest
}

fn base(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match (path, trimmed) {
        ("", _) => ".",
        (_, "") => "/",
        (_, trimmed) => trimmed.rsplit('/').next().unwrap_or(trimmed),
    }
}

fn dir(path: &str) -> String {
    clean(&path[..path.rfind('/').map_or(0, |at| at + 1)])
}

fn ext(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rfind('.').map_or("", |at| &name[at..])
}

/// The shortest path that means the same, going by its text.
fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (rooted, joined.as_str()) {
        (true, _) => format!("/{joined}"),
        (false, "") => ".".to_owned(),
        (false, _) => joined,
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;

    #[test]
    fn the_environment() {
        let name = env!("CARGO_PKG_NAME");
        check(&[
            ("{{env \"CARGO_PKG_NAME\"}}-{{env \"NO_SUCH_VARIABLE\"}}", &format!("{name}-")),
            ("{{expandenv \"a $CARGO_PKG_NAME ${CARGO_PKG_NAME}$ b\"}}", &format!("a {name} {name}$ b")),
        ]);
    }

    #[test]
    fn paths() {
        check(&[
            (
                "{{base \"a/b.c\"}} {{dir \"a/b/c\"}} {{ext \"a.b/c.d\"}} {{clean \"a//b/../c/.\"}} {{isAbs \"/a\"}}",
                "b.c a/b .d a/c true",
            ),
            (
                "{{clean \"/../a\"}} {{clean \"\"}} {{clean \"../..\"}} {{base \"/\"}} {{base \"\"}} {{dir \"a\"}}",
                "/a . ../.. / . .",
            ),
        ]);
    }
}
