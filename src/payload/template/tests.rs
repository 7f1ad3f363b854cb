//! Templates: what they know, what is refused and where, and that they can be repeated.

use std::fs;

use super::*;
use crate::schema::Schema;

fn method() -> Method {
    static ASK: LazyLock<Method> = LazyLock::new(compiled);
    ASK.clone()
}

fn compiled() -> Method {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.proto");
    let proto = "syntax = \"proto3\"; package a.b; message In { string s = 1; } message Out {} \
        service Desk { rpc Ask(In) returns (stream Out); }";
    fs::write(&path, proto).unwrap();
    Schema::compile(&[path], &[]).unwrap().method("a.b.Desk/Ask").unwrap()
}

fn parse_with(text: &str, seed: u64, templating: Templating) -> Result<Template, Problems> {
    let source = Source::new(text, "--data", &method(), Some("night"), seed, templating);
    Template::parse(&source, 0..text.len())
}

fn parse(text: &str) -> Template {
    parse_with(text, 7, Templating::Full).unwrap_or_else(|problems| panic!("{text}: {problems}"))
}

fn render(template: &Template, index: u64) -> Result<String, String> {
    let mut out = String::new();
    template.render(&Call::new(index, 3, 1), Purpose::Data(0), &mut out).map(|()| out)
}

/// What is said about a text that cannot be read: the sentence, what it points at, the hint.
fn said(text: &str) -> String {
    let problems = parse_with(text, 7, Templating::Full).err().unwrap_or_else(|| panic!("{text} is accepted"));
    told(&problems)
}

fn told(problems: &Problems) -> String {
    let line = |error: &crate::error::Error| {
        let excerpt = error.excerpt().unwrap();
        let shown = &excerpt.text[excerpt.offset..][..excerpt.len];
        let hint = error.hint().map_or(String::new(), |hint| format!(" / {hint}"));
        format!("{error} @{} `{shown}`{hint}", excerpt.offset)
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn variables() {
    let all = "{{.WorkerID}} {{.RequestNumber}} {{.FullyQualifiedName}} {{.MethodName}} {{.ServiceName}} {{.InputName}} \
        {{.OutputName}} {{.IsClientStreaming}} {{.IsServerStreaming}}";
    assert_eq!(render(&parse(all), 12).unwrap(), "night:g3c1 12 a.b.Desk.Ask Ask Desk In Out false true");
    let uuids = render(&parse("{{.UUID}} {{$.UUID}}{{with $}} {{.UUID}}{{end}}"), 0).unwrap();
    let mut uuids = uuids.split(' ');
    let first = uuids.next().unwrap();
    assert!(first.len() == 36 && uuids.all(|other| other == first), "one for the whole call");
}

#[test]
fn the_clock() {
    let template = parse("{{.TimestampUnix}} {{.TimestampUnixMilli}} {{.TimestampUnixNano}} {{.Timestamp}}");
    assert!(template.reads_clock() && !parse("{{.UUID}}").reads_clock() && parse("{{now}}").reads_clock());
    let text = render(&template, 0).unwrap();
    let [seconds, millis, nanos, rfc] = text.split(' ').collect::<Vec<_>>()[..] else { panic!("{text}") };
    assert!(nanos.starts_with(millis) && millis.starts_with(seconds) && seconds.len() == 10, "{text}: one moment");
    let rfc: jiff::Timestamp = rfc.parse().unwrap();
    assert_eq!(rfc.as_second().to_string(), seconds);
}

#[test]
fn the_language() {
    for (text, expected) in [
        ("{{if true}}a{{else}}b{{end}}", "a"),
        ("{{range $i, $v := list \"x\" \"y\"}}{{$i}}{{$v}}{{end}}", "0x1y"),
        ("{{with dict \"a\" 1}}{{.a}}{{.b}}{{end}}", "1<no value>"),
        ("a {{- /* note */ -}} b {{printf \"%03d\" .RequestNumber}}", "ab 005"),
        ("{{`a\"b` | quote}}{{and 1 0}}{{or 0 2}}{{not false}}{{len \"abc\"}}", "\"a\\\"b\"02true3"),
        ("{{define \"t\"}}<{{.}}>{{end}}{{template \"t\" .MethodName}}", "<Ask>"),
        ("{{block \"u\" .MethodName}}({{.}}){{end}}", "(Ask)"),
        ("{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}", "2"),
        ("{{range until 5}}{{if eq . 1}}{{continue}}{{end}}{{if gt . 3}}{{break}}{{end}}{{.}}{{end}}", "023"),
        (
            "{{eq .RequestNumber 5}}{{index (list 7 8) 1}}{{slice \"abc\" 1 2}}{{.MethodName | lower | upper}}",
            "true8bASK",
        ),
        ("{{toJson .}}", ""),
    ] {
        let text = render(&parse(text), 5).unwrap();
        if expected.is_empty() {
            assert!(text.contains("\"RequestNumber\":5") && text.contains("\"UUID\""), "{text}");
        } else {
            assert_eq!(text, expected);
        }
    }
}

#[test]
fn what_is_not_there_is_found_before_the_first_call() {
    for (text, expected) in [
        ("{\"s\":\"{{nope}}\"}", "templates have no function `nope` @8 `nope`"),
        ("a{{if false}}{{uper \"x\"}}{{end}}", "templates have no function `uper` @15 `uper` / did you mean `upper`?"),
        (
            "{{.Requestnumber}}{{$.Nope}}",
            "templates have no variable `.Requestnumber` @2 `.Requestnumber` / did you mean `RequestNumber`?\n\
             templates have no variable `.Nope` @21 `.Nope` / the variables are `WorkerID`, `RequestNumber`, `MessageNumber`, `FullyQualifiedName`, \
             `MethodName`, `ServiceName`, `InputName`, `OutputName`, `IsClientStreaming`, `IsServerStreaming`, `Timestamp`, \
             `TimestampUnix` and 3 more",
        ),
        (
            "{{if true}}{{$x := 1}}{{end}}{{$x}}",
            "the template in --data cannot be read: `$x` is not declared @31 `$x` / if this is meant as plain text, add --disable-template-data",
        ),
        (
            "{{template \"t\"}}",
            "the template in --data cannot be read: no template \"t\" is defined @2 `t` / if this is meant as plain text, add --disable-template-data",
        ),
    ] {
        assert_eq!(said(text), expected, "{text}");
    }
    for fine in ["{{range list 1}}{{.Nope}}{{end}}", "{{with dict}}{{.Nope}}{{else}}{{.UUID}}{{end}}"] {
        parse(fine);
    }
}

#[test]
fn what_is_no_template_is_refused_at_its_place() {
    for (text, expected) in [
        ("a\n {{.UUID", "this action has no `}}` @3 `{{`"),
        ("{{if true}}a", "this block has no `end` @0 `{{if true}}`"),
        ("{\"a\":\"{{end}}b\"}", "this `end` has nothing to close @6 `{{end}}`"),
        ("{{else}}", "this `else` is in no block @0 `{{else}}`"),
        ("{{}}", "empty command"),
        ("{{printf \"a}}", "this action has no `}}` @0 `{{`"),
    ] {
        let said = said(text);
        assert!(
            said.starts_with("the template in --data cannot be read: ") && said.contains(expected),
            "{text}: {said}"
        );
    }
}

#[test]
fn functions_can_be_switched_off() {
    let without = |text| parse_with(text, 7, Templating::NoFunctions);
    assert_eq!(render(&without("{{printf \"%d\" .RequestNumber}}{{len \"ab\"}}").unwrap(), 4).unwrap(), "42");
    assert_eq!(
        told(&without("{{upper \"a\"}}").unwrap_err()),
        "`upper` is a function, and --disable-template-functions was given @2 `upper`"
    );
}

#[test]
fn a_failure_has_its_reason_and_its_place() {
    let text = "{\"a\":\"{{.UUID}}\",\n \"b\":{{if true}}{{randomInt 5 .RequestNumber}}{{end}}}";
    let template = parse(text);
    assert!(render(&template, 9).is_ok());
    let problem = render(&template, 2).unwrap_err();
    assert_eq!(problem, "randomInt: there is no number from 5 up to, and without, 2");
    let failure = template.failure(&Call::new(2, 0, 0), Purpose::Data(0), problem);
    let shown = told(&failure.into());
    assert_eq!(
        shown,
        "the template in --data fails: randomInt: there is no number from 5 up to, and without, 2 @34 `{{randomInt 5 .RequestNumber}}`"
    );
    assert_eq!(render(&parse("{{fail \"no\"}}"), 0).unwrap_err(), "fail: no");
    assert_eq!(render(&parse("{{index (list 1) 4}}"), 0).unwrap_err(), "index out of range: 4");
}

#[test]
fn a_call_is_the_same_whatever_was_rendered_before() {
    let text = "{{.UUID}} {{newUUID}} {{randomInt 0 1000000000}} {{randomString 8}}";
    let (one, other) = (parse(text), parse(text));
    let forward: Vec<String> = (0..20).map(|index| render(&one, index).unwrap()).collect();
    let mut backward: Vec<String> = (0..20).rev().map(|index| render(&other, index).unwrap()).collect();
    backward.reverse();
    assert_eq!(forward, backward);
    let copy = one.unshared(&one.source().unshared());
    assert_eq!(render(&copy, 3).unwrap(), forward[3]);
    let otherwise = parse_with(text, 8, Templating::Full).unwrap();
    assert_ne!(render(&otherwise, 0).unwrap(), forward[0]);
    let mut different = forward.clone();
    different.dedup();
    assert_eq!(different.len(), 20);
}

#[test]
fn deep_nests_are_refused() {
    for text in [
        format!("{{{{{}1{}}}}}", "(".repeat(100_000), ")".repeat(100_000)),
        "{{if 1}}".repeat(100_000) + &"{{end}}".repeat(100_000),
        "{{with 1}}".repeat(100_000),
    ] {
        assert!(parse_with(&text, 0, Templating::Full).is_err());
    }
}

proptest::proptest! {
    #[test]
    fn never_panics(
        text in r#"(\{\{|\}\}|\{\{- | -\}\}|[(). |"`\n$]|if |range |end|else|define |template |block |"t"|:=|=|,|\$x|\.UUID|\.|nil|1\.5|'a'|printf |list |upper |/\*|\*/|é|0x){0,24}"#,
    ) {
        if let Ok(template) = parse_with(&text, 1, Templating::Full) {
            let call = Call::new(0, 0, 0);
            if let Err(problem) = render(&template, 0) {
                let _ = template.failure(&call, Purpose::Data(0), problem);
            }
        }
    }
}
