//! How many messages there are, and which call sends which: arrays, sequences, lines, templates.

use super::*;

fn read_as(method: &Method, json: &str, reading: &Reading) -> Result<CallSource, Problems> {
    CallSource::from_json(Some(json), "data.json", method, reading)
}

/// The messages of calls 0 to `calls`, each by its first two bytes of payload as a tag and a small number.
fn sent(method: &Method, json: &str, calls: u64) -> Vec<Vec<u8>> {
    let source = read_as(method, json, &Reading::default()).unwrap_or_else(|problems| panic!("{json}: {problems}"));
    let mut room = Room::new();
    (0..calls)
        .map(|index| {
            source.render(&Call::new(index, 0, 0), &mut room).unwrap_or_else(|reason| panic!("{json}: {reason}"));
            source.call(index, &room).iter().map(|framed| framed.get(PREFIX + 1).copied().unwrap_or(0)).collect()
        })
        .collect()
}

fn up() -> Method {
    static UP: LazyLock<Method> = LazyLock::new(|| method(LAB, "lab.Boxes/Up"));
    UP.clone()
}

#[test]
fn c17_arrays_take_turns_or_are_sent_in_each_call() {
    for json in [
        r#"[{"i32":1},{"i32":2},{"i32":3}]"#,
        "\n [{\"i32\":1},{\"i32\":2},{\"i32\":3}]",
        "{\"i32\":1}\n{\"i32\":2}\n\n{\"i32\":3}\n",
        r#"[{"i32":1},{"i32":{{add 1 1}}},{"i32":"3"}]"#,
        "{\"i32\":1}\n{\"i32\":{{add 1 1}}}\n{\"i32\":3}",
        // Blocks over several elements: the array as a whole is rendered, and calls take turns in it.
        "[{{range $i := until 3}}{{if $i}},{{end}}{\"i32\":{{add1 $i}}}{{end}}]",
    ] {
        assert_eq!(sent(&put(), json, 7), [[1], [2], [3], [1], [2], [3], [1]], "{json}");
        assert_eq!(sent(&up(), json, 2), [[1, 2, 3], [1, 2, 3]], "{json}");
    }
    assert_eq!(sent(&put(), r#"{"i32":1}"#, 2), [[1], [1]]);
    assert_eq!(sent(&up(), r#"{"i32":1}"#, 2), [[1], [1]]);
    assert_eq!(sent(&up(), "", 1), [[0]]);
}

#[test]
fn an_array_of_arrays_has_a_sequence_for_each_call() {
    for json in [
        r#"[[{"i32":1},{"i32":2}],[],[{"i32":3}]]"#,
        r#"[[{"i32":1},{"i32":{{2}}}],[],[{"i32":3}]]"#,
        "[{\"i32\":1},{\"i32\":2}]\n[]\n[{\"i32\":3}]",
        r#"[[{"i32":1},{"i32":2}],[],{"i32":3}]"#,
    ] {
        assert_eq!(sent(&up(), json, 4), [vec![1, 2], vec![], vec![3], vec![1, 2]], "{json}");
    }
    assert_eq!(said(&put(), r#"[[{"i32":1}]]"#), "`[0]` wants an object for `lab.Box`, not an array @1 `[` this value");
    let sequence = r#"[{{range $i := until (add1 .RequestNumber | int)}}{{if $i}},{{end}}{"i32":{{$i}}}{{end}}]"#;
    assert_eq!(sent(&up(), sequence, 3), [vec![0], vec![0, 1], vec![0, 1, 2]], "as many as a template says");
}

#[test]
fn places_in_lines_are_those_of_the_file() {
    let json = "{\"i32\":1}\n{\"i33\":2}\n{\"i32\":}\n";
    let problems = read_as(&put(), json, &Reading::default()).unwrap_err();
    assert_eq!(lines(&problems), "data.json is not JSON: a value after `:` is expected, and there is `}` @27 `}` here");
    let problems = read_as(&put(), "{\"i32\":1}\n{\"i33\":2}\n", &Reading::default()).unwrap_err();
    assert!(lines(&problems).starts_with("lab.Box has no field `i33` (at `[1]`) @11 `\"i33\"`"), "{problems}");
}

#[test]
fn a_list_value_takes_the_array_and_lines_are_several_of_them() {
    let list = method(LAB, "lab.Boxes/List");
    let source = source(Some("[1]\n[true]"), &list).unwrap();
    assert_eq!(message(&source, 0).len(), 2 + 9);
    assert_eq!(message(&source, 1), [0x0a, 2, 0x20, 1]);
    let rendered = read_as(&list, "[{{.RequestNumber}}]", &Reading::default()).unwrap();
    let mut room = Room::new();
    rendered.render(&Call::new(0, 0, 0), &mut room).unwrap();
    assert_eq!(rendered.call(0, &room).len(), 1);
}

#[test]
fn c20_templates_are_rendered_before_json_is_judged() {
    let of = |json: &str, calls: u64| sent(&put(), json, calls);
    let numbers = of(r#"{"i32":{{randomInt 1 9}},"s":"{{.RequestNumber}}-{{newUUID}}"}"#, 50);
    assert!(numbers.iter().all(|call| (1..9).contains(&call[0])) && numbers.iter().any(|call| *call != numbers[0]));
    assert!(of(r#"{"i32":"{{randomInt 1 9}}"}"#, 5).iter().all(|call| (1..9).contains(&call[0])));
    assert_eq!(of(r#"{{if true}}{"i32":1}{{end}}"#, 1), [[1]]);
    assert_eq!(of(r#"{"s":"{{printf "%s" "abc"}}"}"#, 1), [[3]], "a quote in an action is no end of the string");
    assert_eq!(of(r"{{if false}}{}{{end}}", 1), [[0]], "nothing is the empty message");
    assert!(said(&put(), r#"{"s":"{{nope}}"}"#).starts_with("templates have no function `nope` @8 `nope`"));
    let off = Reading { templating: Templating::Off, ..Reading::default() };
    assert!(read_as(&put(), r#"{"i32":{{randomInt 1 9}}}"#, &off).unwrap_err().to_string().contains("is not JSON"));
    let literal = read_as(&put(), r#"{"s":"{{x}}"}"#, &off).unwrap();
    assert_eq!(message(&literal, 0)[2..], *b"{{x}}");
}

#[test]
fn c11_digits_survive_beside_templates() {
    let json = r#"{"i64":-7205759403792793601,"u64":"18446744073709551615","s":"{{.RequestNumber}}"}"#;
    let source = read_as(&put(), json, &Reading::default()).unwrap();
    let mut room = Room::new();
    source.render(&Call::new(5, 0, 0), &mut room).unwrap();
    let decoded = DynamicMessage::decode(put().input(), &source.call(5, &room).get(0).unwrap()[PREFIX..]).unwrap();
    assert_eq!(decoded.get_field_by_name("i64").unwrap().as_i64(), Some(-7_205_759_403_792_793_601));
    assert_eq!(decoded.get_field_by_name("u64").unwrap().as_u64(), Some(u64::MAX));
    assert_eq!(decoded.get_field_by_name("s").unwrap().as_str(), Some("5"));
}

#[test]
fn the_first_call_of_each_template_is_tried() {
    for (json, expected) in [
        (
            r#"{"i32":"{{.MethodName}}"}"#,
            "`i32` wants a whole number from -2147483648 to 2147483647 (int32), not \"Put\" @7 `\"Put\"` this value",
        ),
        (
            r#"[{"i32":1},{"i32":{{.MethodName}}}]"#,
            "--data, rendered for call 1 is not JSON: a value after `:` is expected, and there is `Put` @7 `Put` here / names and texts go in double quotes; in a shell, put single quotes around the whole: '{\"name\": \"Ann\"}'",
        ),
        (
            r#"{"i32":1,"s":"{{fail "not today"}}"}"#,
            "the template in --data fails: fail: not today @14 `{{fail \"not today\"}}` here",
        ),
        (r#"[{"i32":{{1}}},]"#, "--data is not JSON: a value is expected, and the text ends @15 `` here"),
        (
            "[{{range list}}{}{{end}}]",
            "--data, rendered for call 0 is an empty list: there is nothing to send / leave the data out to send the empty message",
        ),
    ] {
        assert_eq!(said(&put(), json), expected, "{json}");
    }
}

#[test]
fn a_call_that_cannot_be_made_has_a_reason_without_its_number() {
    let json = r#"{"i32":{{if lt .RequestNumber 3}}{{.RequestNumber}}{{else}}{{fail "enough"}}{{end}}}"#;
    let source = read_as(&put(), json, &Reading::default()).unwrap();
    let mut room = Room::new();
    assert_eq!(source.render(&Call::new(2, 0, 0), &mut room), Ok(()));
    let reason = source.render(&Call::new(7, 0, 0), &mut room).unwrap_err();
    assert_eq!(reason, "the template in data.json fails: fail: enough");
    assert_eq!(source.render(&Call::new(1, 0, 0), &mut room), Ok(()), "the next call is not harmed");
    assert_eq!(source.call(1, &room).get(0).unwrap()[PREFIX..], [8, 1]);
    let json = r#"{"i32":{{if lt .RequestNumber 3}}1{{else}}x{{end}}}"#;
    let source = read_as(&put(), json, &Reading::default()).unwrap();
    let reason = source.render(&Call::new(8, 0, 0), &mut room).unwrap_err();
    assert_eq!(reason, "data.json is not JSON: a value after `:` is expected, and there is `x`");
}

#[test]
fn unknown_fields_are_passed_over_if_they_may() {
    let reading = Reading { allow_unknown_fields: true, ..Reading::default() };
    for json in [
        r#"{"i32":1,"nope":{"a":[1]},"leaf":{"m":2},"any":{"@type":"x/lab.Leaf","q":1}}"#,
        r#"{"i32":{{1}},"nope":{"a":[1]},"leaf":{"m":2},"any":{"@type":"x/lab.Leaf","q":1}}"#,
    ] {
        let source = read_as(&put(), json, &reading).unwrap();
        let mut room = Room::new();
        source.render(&Call::new(0, 0, 0), &mut room).unwrap();
        assert_eq!(source.call(0, &room).get(0).unwrap()[PREFIX..PREFIX + 4], [8, 1, 0x62, 0]);
        assert!(read_as(&put(), json, &Reading::default()).is_err());
    }
}

#[test]
fn what_is_rendered_is_compressed_and_bounded_too() {
    let json = r#"[{"s":"{{repeat (add1 .RequestNumber | int) "0123456789"}}"},{"i32":1},{"s":"{{`a`}}"}]"#;
    let source = read_as(&put(), json, &Reading::default()).unwrap().as_sent(true, Some(40)).unwrap();
    let mut room = Room::new();
    for (index, expected) in [(3, [b"\x4a\x28".to_vec(), b"0123456789".repeat(4)].concat()), (1, vec![8, 1])] {
        source.render(&Call::new(index, 0, 0), &mut room).unwrap();
        let framed = source.call(index, &room).get(0).unwrap();
        let mut read = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&framed[PREFIX..]), &mut read).unwrap();
        assert_eq!((framed[0], read), (1, expected));
    }
    let plain = read_as(&put(), json, &Reading::default()).unwrap();
    assert!(plain.clone().as_sent(false, Some(11)).is_err(), "the first call is too long already");
    let plain = plain.as_sent(false, Some(12)).unwrap();
    assert!(plain.render(&Call::new(3, 0, 0), &mut room).unwrap_err().contains("12"));
}

#[test]
fn workers_render_the_same() {
    let json = r#"[{"s":"{{.UUID}} {{newUUID}} {{randomInt 0 99999}}"},{"i32":1}]"#;
    let reading = Reading { seed: 42, ..Reading::default() };
    let source = read_as(&put(), json, &reading).unwrap();
    let copy = source.unshared();
    let (mut one, mut other) = (Room::new(), Room::new());
    for index in [6, 1, 0, 6] {
        source.render(&Call::new(index, 0, 0), &mut one).unwrap();
        copy.render(&Call::new(index, 9, 4), &mut other).unwrap();
        assert_eq!(source.call(index, &one).get(0), copy.call(index, &other).get(0));
    }
}

#[test]
fn messages_made_one_by_one_begin_anew_with_the_data() {
    let one_by_one = |json: &str| read_as(&up(), json, &Reading { one_by_one: true, ..Reading::default() }).unwrap();
    let numbers = |source: &CallSource, index: u64, messages: u32| -> Vec<u8> {
        let mut room = Room::new();
        let number = |message| {
            source.render(&Call::new(index, 0, 0).at_message(message), &mut room).unwrap();
            let made = source.call(index, &room);
            assert_eq!(made.len(), 1);
            made.get(0).unwrap()[PREFIX + 1]
        };
        (0..messages).map(number).collect()
    };
    let source = one_by_one(r#"[{"i32":{{add .MessageNumber 1}}},{"i32":9},{"i32":{{add .MessageNumber 51}}}]"#);
    assert_eq!(source.one_by_one(0), Some(3));
    assert_eq!(numbers(&source, 0, 7), [1, 9, 53, 4, 9, 56, 7]);
    assert_eq!(numbers(&source.unshared(), 5, 3), [1, 9, 53]);
    // Sequences take turns over calls.
    let source = one_by_one(r#"[[{"i32":{{add .MessageNumber 1}}}],[{"i32":5},{"i32":6}]]"#);
    assert_eq!((source.one_by_one(0), source.one_by_one(1), source.one_by_one(2)), (Some(1), Some(2), Some(1)));
    assert_eq!((numbers(&source, 2, 3), numbers(&source, 3, 3)), (vec![1, 2, 3], vec![5, 6, 5]));
    // What cannot be told apart before it is rendered, and what is none of the sort.
    let array = "[{{range $i := until 3}}{{if $i}},{{end}}{\"i32\":{{add1 $i}}}{{end}}]";
    assert_eq!(one_by_one(array).one_by_one(0), None);
    assert_eq!(one_by_one(r#"{"i32":1}"#).one_by_one(0), None);
    let unary = read_as(&put(), r#"{"i32":{{add 1 1}}}"#, &Reading { one_by_one: true, ..Reading::default() }).unwrap();
    assert_eq!(unary.one_by_one(0), None);
}

proptest::proptest! {
    #[test]
    fn reading_never_panics(
        json in r#"([\[\]{},: \n"]|"i32":|"s":|[0-9]|\{\{|\}\}|\{\{.UUID\}\}|\{\{if true\}\}|\{\{end\}\}|\{\{range until 3\}\}|é|\\|null){0,20}"#,
        stream: bool,
    ) {
        let method = if stream { up() } else { put() };
        if let Ok(source) = read_as(&method, &json, &Reading::default()) {
            let mut room = Room::new();
            for index in 0..3 {
                if source.render(&Call::new(index, 0, 0), &mut room).is_ok() {
                    let _ = source.call(index, &room).iter().count();
                }
            }
        }
    }
}
