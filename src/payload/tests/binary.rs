//! Messages that are encoded already.

use super::*;

fn read(method: &Method, bytes: &[u8], form: BinaryForm) -> Result<CallSource, Problems> {
    CallSource::from_binary(bytes, "calls.bin", method, form, false)
}

/// The messages of calls 0 to `calls`.
fn sent(method: &Method, bytes: &[u8], calls: u64) -> Vec<Vec<Vec<u8>>> {
    let source = read(method, bytes, BinaryForm::FindOut).unwrap_or_else(|problems| panic!("{problems}"));
    let room = Room::new();
    (0..calls).map(|index| source.call(index, &room).iter().map(|framed| framed[PREFIX..].to_vec()).collect()).collect()
}

fn refused(bytes: &[u8], form: BinaryForm) -> String {
    lines(&read(&put(), bytes, form).unwrap_err())
}

#[test]
fn one_message_or_several_are_told_apart() {
    let (one, other) = (vec![8, 1], vec![0x4a, 1, b'a']);
    assert_eq!(sent(&put(), &[8, 1], 2), [vec![one.clone()], vec![one.clone()]]);
    let several = [2, 8, 1, 3, 0x4a, 1, b'a'];
    assert_eq!(sent(&put(), &several, 3), [vec![one.clone()], vec![other.clone()], vec![one.clone()]]);
    let stream = method(LAB, "lab.Boxes/Up");
    assert_eq!(sent(&stream, &several, 2), [vec![one.clone(), other.clone()], vec![one, other]]);
    assert_eq!(sent(&put(), &[], 1), [vec![Vec::<u8>::new()]], "no bytes are the empty message");
    assert_eq!(sent(&put(), &[0], 1), [vec![Vec::<u8>::new()]], "and so is one of no length");
}

#[test]
fn what_is_neither_is_refused_with_both_reasons() {
    assert_eq!(
        refused(&[2, 8, 1, 7, 9], BinaryForm::FindOut),
        "calls.bin has no `lab.Box` in it: as one message, there is no field number 0 (at byte 0); \
         with lengths in front, the 2 bytes from byte 3 on are no whole message 2"
    );
    assert_eq!(
        refused(&[2, 8, 1], BinaryForm::Single),
        "calls.bin has no `lab.Box` in it: as one message, there is no field number 0 (at byte 0)"
    );
    assert_eq!(
        refused(&[8, 1], BinaryForm::Delimited),
        "calls.bin has no `lab.Box` in it: with lengths in front, the 2 bytes from byte 0 on are no whole message 1"
    );
    for (bytes, reason) in [
        (&[8][..], "it is cut off in the value at byte 1"),
        (&[8, 0x80], "it is cut off in the value at byte 1"),
        (&[0x0a, 0], "the field `i32` at byte 0 is not of its type"),
        (&[0x4a, 5, b'a'], "the length 5 at byte 1 goes beyond the 1 bytes that are left"),
        (&[0x4a, 1, 0xff], "the text of `s` at byte 1 is not UTF-8"),
        (&[0x62, 2, 8, 0x80], "it is cut off in the value at byte 3"),
        (&[0x0b], "the field `i32` at byte 0 is not of its type"),
        (&[0x0c], "a group ends at byte 0 that was not begun"),
        (&[0x0e, 1], "there is no wire type 6 (at byte 0)"),
        (&[8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2], "the number at byte 1 is too long"),
        (&[0x6a, 2, 1, 0x80], "it is cut off in the value at byte 3"),
    ] {
        let said = refused(bytes, BinaryForm::Single);
        assert_eq!(said, format!("calls.bin has no `lab.Box` in it: as one message, {reason}"), "{bytes:?}");
    }
}

#[test]
fn fields_that_are_not_there_can_be_let_through() {
    // Field 900, a number; field 901, a group with a number in it.
    let bytes = [0xa0, 0x38, 7, 0xab, 0x38, 8, 1, 0xac, 0x38];
    assert_eq!(
        refused(&bytes, BinaryForm::Single),
        "calls.bin has no `lab.Box` in it: as one message, `lab.Box` has no field with the number 900 (at byte 0) / \
         fields that the schema does not have can be let through with --allow-unknown-fields"
    );
    assert!(CallSource::from_binary(&bytes, "calls.bin", &put(), BinaryForm::Single, true).is_ok());
}

#[test]
fn what_is_both_must_be_said() {
    let both = method(
        "syntax = \"proto3\"; package p; message M { string a = 1; } service S { rpc C(M) returns (M); }",
        "p.S.C",
    );
    // A text of ten bytes; or a message of ten bytes, with a text of eight, and an empty message.
    let bytes = b"\x0a\x0a\x08aaaaaaaa\0";
    let read_as = |form| CallSource::from_binary(bytes, "b", &both, form, false);
    assert_eq!(
        lines(&read_as(BinaryForm::FindOut).unwrap_err()),
        "b can be one `p.M`, or 2 of them with their lengths in front / \
         say which with --binary-format single or --binary-format delimited"
    );
    assert_eq!(message(&read_as(BinaryForm::Single).unwrap(), 0), bytes);
    let several = read_as(BinaryForm::Delimited).unwrap();
    assert_eq!((message(&several, 0).len(), message(&several, 1).len()), (10, 0));
}

#[test]
fn groups_and_required_fields_are_checked() {
    let depot = method(
        "syntax = \"proto2\"; package d; message C { required string tag = 1; optional group Lid = 2 { optional int32 n = 1; } \
         repeated int32 r = 3 [packed = true]; extensions 100 to 199; } extend C { optional int32 heat = 100; } \
         service S { rpc P(C) returns (C); }",
        "d.S.P",
    );
    let single = |bytes: &[u8]| CallSource::from_binary(bytes, "b", &depot, BinaryForm::Single, false).map(|_| ());
    single(&[0x0a, 0, 0x13, 8, 3, 0x14, 0x1a, 2, 1, 2, 0x18, 5, 0xa0, 6, 9]).unwrap();
    for (bytes, reason) in [
        (&[][..], "`tag` of `d.C` is required and not there"),
        (&[0x0a, 0, 0x13, 8, 3], "it is cut off in the value at byte 5"),
        (&[0x0a, 0, 0x13, 0x1c], "a group ends at byte 3 that was not begun"),
        (&[0x0a, 0, 0x12, 0], "the field `lid` at byte 2 is not of its type"),
    ] {
        let said = lines(&single(bytes).unwrap_err());
        assert_eq!(said, format!("b has no `d.C` in it: as one message, {reason}"), "{bytes:?}");
    }
    let deep = [vec![0x0a, 0], vec![0x13; 200_000]].concat();
    assert!(single(&deep).is_err());
}

proptest::proptest! {
    #[test]
    fn never_panics(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..64), allow: bool) {
        let _ = CallSource::from_binary(&bytes, "b", &put(), BinaryForm::FindOut, allow);
    }

    /// What the library that decodes answers refuses, is refused here too.
    #[test]
    fn is_at_least_as_strict_as_a_parser(
        bytes in proptest::collection::vec(proptest::sample::select(vec![0u8, 1, 2, 3, 8, 0x0a, 0x12, 0x4a, 0x62, 0x6a, 0x80, 0x82, 0xff, b'a']), 0..12),
    ) {
        if CallSource::from_binary(&bytes, "b", &put(), BinaryForm::Single, true).is_ok() {
            proptest::prop_assert!(DynamicMessage::decode(put().input(), &*bytes).is_ok(), "{:?}", bytes);
        }
    }

    #[test]
    fn what_was_encoded_is_read(values in proptest::collection::vec(-5i32..5, 0..6)) {
        let encoded: Vec<Vec<u8>> = values
            .iter()
            .map(|value| message(&source(Some(&format!("{{\"i32\":{value},\"s\":\"a\"}}")), &put()).unwrap(), 0))
            .collect();
        let mut bytes = Vec::new();
        for message in &encoded {
            bytes.push(u8::try_from(message.len()).unwrap());
            bytes.extend(message);
        }
        let read = CallSource::from_binary(&bytes, "b", &put(), BinaryForm::Delimited, false).unwrap();
        for (index, expected) in encoded.iter().enumerate() {
            proptest::prop_assert_eq!(&message(&read, index as u64), expected);
        }
    }
}
