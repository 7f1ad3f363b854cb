//! Numbers. Integers are 64 bits wide and wrap around as Go's do; `...f` functions work on floating-point numbers.

use gotmpl::Value;

use super::{Function, LARGEST, MANY, Outcome, float, integer, list, string};

pub(super) const FUNCTIONS: &[Function] = &[
    ("atoi", 1..=1, |args| Ok(Value::Int(super::text(&args[0])?.parse().unwrap_or(0)))),
    ("int", 1..=1, |args| Ok(Value::Int(integer(&args[0])))),
    ("int64", 1..=1, |args| Ok(Value::Int(integer(&args[0])))),
    ("float64", 1..=1, |args| Ok(Value::Float(float(&args[0])))),
    ("toDecimal", 1..=1, |args| Ok(Value::Int(i64::from_str_radix(&super::text(&args[0])?, 8).unwrap_or(0)))),
    ("add1", 1..=1, |args| Ok(Value::Int(integer(&args[0]).wrapping_add(1)))),
    ("add", 1..=MANY, |args| Ok(Value::Int(folded(args, i64::wrapping_add)))),
    ("sub", 2..=2, |args| Ok(Value::Int(integer(&args[0]).wrapping_sub(integer(&args[1]))))),
    ("mul", 1..=MANY, |args| Ok(Value::Int(folded(args, i64::wrapping_mul)))),
    ("div", 2..=2, |args| divided(args, i64::wrapping_div)),
    ("mod", 2..=2, |args| divided(args, i64::wrapping_rem)),
    ("max", 1..=MANY, |args| Ok(Value::Int(folded(args, i64::max)))),
    ("biggest", 1..=MANY, |args| Ok(Value::Int(folded(args, i64::max)))),
    ("min", 1..=MANY, |args| Ok(Value::Int(folded(args, i64::min)))),
    ("add1f", 1..=1, |args| Ok(Value::Float(float(&args[0]) + 1.0))),
    ("addf", 1..=MANY, |args| Ok(Value::Float(folded_floats(args, |a, b| a + b)))),
    ("subf", 1..=MANY, |args| Ok(Value::Float(folded_floats(args, |a, b| a - b)))),
    ("mulf", 1..=MANY, |args| Ok(Value::Float(folded_floats(args, |a, b| a * b)))),
    ("divf", 1..=MANY, |args| Ok(Value::Float(folded_floats(args, |a, b| a / b)))),
    ("maxf", 1..=MANY, |args| Ok(Value::Float(folded_floats(args, f64::max)))),
    ("minf", 1..=MANY, |args| Ok(Value::Float(folded_floats(args, f64::min)))),
    ("ceil", 1..=1, |args| Ok(Value::Float(float(&args[0]).ceil()))),
    ("floor", 1..=1, |args| Ok(Value::Float(float(&args[0]).floor()))),
    ("round", 2..=3, |args| {
        let up_from = args.get(2).map_or(0.5, float);
        Ok(Value::Float(rounded(float(&args[0]), integer(&args[1]), up_from)))
    }),
    ("until", 1..=1, |args| {
        let end = integer(&args[0]);
        steps(0, end, if end < 0 { -1 } else { 1 })
    }),
    ("untilStep", 3..=3, |args| steps(integer(&args[0]), integer(&args[1]), integer(&args[2]))),
    ("seq", 0..=3, |args| {
        let numbers: Vec<i64> = args.iter().map(integer).collect();
        let (first, step, last) = match numbers[..] {
            [last] => (1, if last < 1 { -1 } else { 1 }, last),
            [first, last] => (first, if last < first { -1 } else { 1 }, last),
            [first, step, last] => (first, step, last),
            _ => return Ok(string("")),
        };
        let numbers = steps(first, last.saturating_add(step.signum()), step)?;
        Ok(string(numbers.to_string().trim_matches(['[', ']'])))
    }),
];

fn folded(args: &[Value], with: fn(i64, i64) -> i64) -> i64 {
    args.iter().map(integer).reduce(with).unwrap_or(0)
}

fn folded_floats(args: &[Value], with: fn(f64, f64) -> f64) -> f64 {
    args.iter().map(float).reduce(with).unwrap_or(0.0)
}

fn divided(args: &[Value], by: fn(i64, i64) -> i64) -> Outcome {
    match integer(&args[1]) {
        0 => Err("nothing can be divided by 0".to_owned()),
        divisor => Ok(Value::Int(by(integer(&args[0]), divisor))),
    }
}

/// To so many decimals; a fraction of at least `up_from` goes up.
fn rounded(value: f64, places: i64, up_from: f64) -> f64 {
    let scale = 10f64.powi(i32::try_from(places.clamp(-300, 300)).unwrap_or(0));
    let scaled = value * scale;
    let up = scaled.fract().abs() >= up_from;
    let whole = if up { scaled.trunc() + scaled.signum() } else { scaled.trunc() };
    whole / scale
}

/// From `first` up to, and without, `end`.
fn steps(first: i64, end: i64, step: i64) -> Outcome {
    if step == 0 || (end > first) != (step > 0) {
        return Ok(list([]));
    }
    let count = (i128::from(end) - i128::from(first)).unsigned_abs().div_ceil(i128::from(step).unsigned_abs());
    if count > LARGEST as u128 {
        return Err(format!("{count} are more than {LARGEST}"));
    }
    Ok(list(std::iter::successors(Some(first), |at| at.checked_add(step)).take(count as usize).map(Value::Int)))
}

#[cfg(test)]
mod tests {
    use super::super::check;

    #[test]
    fn integers() {
        check(&[
            ("{{atoi \"12\"}} {{atoi \"x\"}} {{int 2.9}} {{int \"7\"}} {{int64 true}}", "12 0 2 7 1"),
            ("{{add 1 2 3}} {{sub 1 3}} {{mul 2 3 4}} {{div 7 2}} {{mod 7 4}} {{add1 9}}", "6 -2 24 3 3 10"),
            ("{{max 1 7 3}} {{biggest 4 2}} {{min 3 1 2}}", "7 4 1"),
            ("{{div 1 0}}", "!div: nothing can be divided by 0"),
            ("{{div (sub -9223372036854775807 1) -1}}", "-9223372036854775808"),
            ("{{toDecimal \"777\"}}", "511"),
            ("{{add 9223372036854775807 1}}", "-9223372036854775808"),
        ]);
    }

    #[test]
    fn floats() {
        check(&[
            ("{{addf 1.5 2}} {{subf 7.5 2 3}} {{mulf 2 1.5}} {{divf 3 2}} {{add1f 0.5}}", "3.5 2.5 3 1.5 1.5"),
            (
                "{{ceil 1.1}} {{floor 1.9}} {{round 123.5555 3}} {{round 123.5 0}} {{maxf 1 2.5}} {{minf 1 2.5}}",
                "2 1 123.556 124 2.5 1",
            ),
            ("{{float64 \"1.25\"}}", "1.25"),
        ]);
    }

    #[test]
    fn sequences() {
        check(&[
            ("{{until 3}} {{until -2}} {{untilStep 3 9 3}} {{untilStep 1 9 0}}", "[0 1 2] [0 -1] [3 6] []"),
            ("{{seq 3}};{{seq 2 4}};{{seq 0 2 5}};{{seq -2}};{{seq}}", "1 2 3;2 3 4;0 2 4;1 0 -1 -2;"),
            ("{{range $i := until 3}}{{$i}},{{end}}", "0,1,2,"),
            ("{{until 999999999999}}", "!are more than"),
        ]);
    }
}
