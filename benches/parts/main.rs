//! What the parts of a call cost by themselves.
//!
//! ```text
//! cargo bench --bench parts                  times, by divan (--help for its flags)
//! parts --instructions NAME COUNT            does NAME so many times and ends; for counting instructions
//! parts --instructions                       the names
//! ```
//!
//! Times depend on the machine and on what else it does; instructions do not. `bench/instructions.sh` counts them.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

mod call;
mod payload;
mod report;
mod wire;

use std::hint::black_box;
use std::process::ExitCode;

/// Something to do again and again, ready to be done.
type Work = Box<dyn FnMut()>;

/// Makes such a thing ready.
type Ready = fn() -> Work;

/// The parts by name.
const PARTS: [(&str, Ready); 11] = [
    ("arrival", call::arrival),
    ("arrival-ramp", call::arrival_on_a_ramp),
    ("record", call::record),
    ("wire-unary", wire::unary),
    ("wire-stream", wire::stream_of_a_hundred),
    ("template", payload::template),
    ("json-payload", payload::json),
    ("json-report", report::json),
    ("thousand-closed", call::thousand_in_a_closed_loop),
    ("thousand-seen", call::thousand_in_a_closed_loop_seen),
    ("thousand-open", call::thousand_under_a_rate),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    if let Some(at) = words.iter().position(|word| word == "--instructions") {
        return instructions(&words[at + 1..]);
    }
    divan::main();
    ExitCode::SUCCESS
}

fn instructions(words: &[String]) -> ExitCode {
    let asked = match words {
        [] => {
            for (name, _) in PARTS {
                println!("{name}");
            }
            return ExitCode::SUCCESS;
        }
        [name, count] => PARTS.iter().find(|(part, _)| part == name).zip(count.parse().ok()),
        _ => None,
    };
    let Some(((_, ready), count)) = asked else {
        eprintln!("usage: parts --instructions [NAME COUNT]");
        return ExitCode::from(2);
    };
    let mut work = ready();
    (0..count).for_each(|_: u64| work());
    ExitCode::SUCCESS
}

#[divan::bench(args = PARTS.map(|(name, _)| name))]
fn part(bencher: divan::Bencher<'_, '_>, name: &str) {
    let (_, ready) = PARTS.iter().find(|(part, _)| *part == name).expect("divan gives the names that it was given");
    let mut work = ready();
    bencher.bench_local(|| black_box(&mut work)());
}
