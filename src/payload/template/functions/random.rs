//! Random values. All come from one sequence per thread, which is begun anew for each text that is rendered, so that a
//! call's values depend on the seed of the run and the call's number alone.

use std::cell::RefCell;
use std::sync::Arc;

use base64::Engine;
use fastrand::Rng;
use gotmpl::Value;

use super::{Function, MANY, Outcome, count, elements, integer, string};

pub(super) const FUNCTIONS: &[Function] = &[
    ("newUUID", 0..=0, |_| Ok(with(|random| string(uuid(random))))),
    ("uuidv4", 0..=0, |_| Ok(with(|random| string(uuid(random))))),
    ("randomString", 1..=1, |args| random_string(integer(&args[0]))),
    ("randomInt", 2..=2, |args| {
        // As ghz takes them: no number below 0, and an end of at least 1.
        between(integer(&args[0]).max(0), integer(&args[1]).max(1))
    }),
    ("randomChoice", 1..=MANY, |args| match args {
        [Value::List(values)] => choice(values),
        values => choice(values),
    }),
    ("randInt", 2..=2, |args| between(integer(&args[0]), integer(&args[1]))),
    ("randAlphaNum", 1..=1, |args| Ok(of_chars(ALPHANUMERIC, count(&args[0])?))),
    ("randAlpha", 1..=1, |args| Ok(of_chars(&ALPHANUMERIC[..52], count(&args[0])?))),
    ("randNumeric", 1..=1, |args| Ok(of_chars(&ALPHANUMERIC[52..], count(&args[0])?))),
    ("randAscii", 1..=1, |args| {
        let length = count(&args[0])?;
        Ok(with(|random| string((0..length).map(|_| char::from(random.u8(b' '..=b'~'))).collect::<String>())))
    }),
    ("randBytes", 1..=1, |args| {
        let mut bytes = vec![0; count(&args[0])?];
        with(|random| random.fill(&mut bytes));
        Ok(string(base64::engine::general_purpose::STANDARD.encode(bytes)))
    }),
    ("shuffle", 1..=1, |args| {
        let mut chars: Vec<char> = super::text(&args[0])?.chars().collect();
        with(|random| random.shuffle(&mut chars));
        Ok(string(chars.into_iter().collect::<String>()))
    }),
    ("shuffleList", 1..=1, |args| {
        let mut values = elements(&args[0])?.to_vec();
        with(|random| random.shuffle(&mut values));
        Ok(Value::List(values.into()))
    }),
];

const ALPHANUMERIC: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

thread_local! {
    static RANDOM: RefCell<Rng> = const { RefCell::new(Rng::with_seed(0)) };
}

/// Begins the sequence of this thread anew.
pub(in crate::payload::template) fn seed(seed: u64) {
    RANDOM.with_borrow_mut(|random| random.seed(seed));
}

/// A random UUID (RFC 9562, version 4).
pub(in crate::payload::template) fn uuid(random: &mut Rng) -> String {
    let mut bytes = random.u128(..).to_be_bytes();
    bytes[6] = bytes[6] & 0x0F | 0x40;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
        }
    }
    text
}

fn with<T>(work: impl FnOnce(&mut Rng) -> T) -> T {
    RANDOM.with_borrow_mut(work)
}

fn between(least: i64, end: i64) -> Outcome {
    if end <= least {
        return Err(format!("there is no number from {least} up to, and without, {end}"));
    }
    Ok(Value::Int(with(|random| random.i64(least..end))))
}

/// Letters and digits; of a length from 2 to 16 if none is asked for, as in ghz.
fn random_string(length: i64) -> Outcome {
    let length = if length <= 0 { with(|random| random.usize(2..=16)) } else { count(&Value::Int(length))? };
    Ok(of_chars(ALPHANUMERIC, length))
}

fn of_chars(chars: &[u8], length: usize) -> Value {
    let text: Arc<str> =
        with(|random| (0..length).map(|_| char::from(chars[random.usize(..chars.len())])).collect::<String>()).into();
    Value::String(text)
}

fn choice(values: &[Value]) -> Outcome {
    with(|random| random.choice(values).cloned()).ok_or_else(|| "there is nothing to choose from".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::{check, rendered};

    #[test]
    fn the_same_seed_gives_the_same_values() {
        let template = r#"{{newUUID}} {{randomInt 0 1000000}} {{randAscii 9}} {{randomChoice "a" "b" "c"}}"#;
        assert_eq!(rendered(template), rendered(template));
        assert_ne!(rendered("{{newUUID}}"), rendered("{{$_ := newUUID}}{{newUUID}}"));
    }

    #[test]
    fn values_are_what_they_should_be() {
        let uuid = rendered("{{newUUID}}").unwrap();
        assert!(uuid.len() == 36 && &uuid[14..15] == "4" && "89ab".contains(&uuid[19..20]), "{uuid}");
        let many = "{{range until 200}}{{randomInt 5 8}}{{end}}";
        let numbers = rendered(many).unwrap();
        assert!(
            numbers.chars().all(|c| ('5'..='7').contains(&c)) && ["5", "6", "7"].iter().all(|c| numbers.contains(c))
        );
        for length in 2..=16 {
            let lengths = rendered("{{range until 400}}{{len (randomString 0)}} {{end}}").unwrap();
            assert!(lengths.split(' ').any(|found| found == length.to_string()), "{length} in {lengths}");
        }
        check(&[
            ("{{len (randomString 30)}} {{len (randAlphaNum 3)}} {{len (randBytes 3)}}", "30 3 4"),
            ("{{randomInt -5 -3}}", "0"),
            ("{{randomInt 3 3}}", "!randomInt: there is no number from 3 up to, and without, 3"),
            ("{{randInt -5 -4}}", "-5"),
            ("{{randomChoice \"x\"}}{{randomChoice (list 7)}}", "x7"),
            ("{{randomChoice (list)}}", "!nothing to choose from"),
            ("{{randNumeric 4 | regexMatch \"^[0-9]{4}$\"}}{{randAlpha 4 | regexMatch \"^[a-zA-Z]{4}$\"}}", "truetrue"),
            ("{{shuffle \"abc\" | splitList \"\" | sortAlpha | join \"\"}}", "abc"),
            ("{{shuffleList (list 3 1 2) | sortAlpha}}", "[1 2 3]"),
            ("{{randAlpha 99999999}}", "!99999999 are more than 10000000"),
        ]);
    }
}
