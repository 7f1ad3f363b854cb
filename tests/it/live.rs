//! What is shown while a run goes on, on a terminal and without one.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::thread;

use grpcbench::target::{Background, Options};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;

use super::harness::{Run, project};

/// Clears from the cursor on.
const CLEAR: &str = "\r\u{1b}[J";

/// What a run with `args` writes to standard output, and to a terminal of so many columns behind standard error.
fn on_terminal(args: &[&str], variables: &[(&str, &str)], columns: u16) -> (String, String) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
    let stderr: OwnedFd = File::options().read(true).write(true).open(name).unwrap().into();
    let mut command = Command::new(env!("CARGO_BIN_EXE_grpcbench"));
    command.args(["--insecure", "--proto", "protos/helloworld.proto", "--call", "helloworld.Greeter.SayHello"]);
    command.args(args).current_dir(project()).env_clear().envs(variables.iter().copied());
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
    drop(command);
    let reader = thread::spawn(move || {
        let (mut shown, mut piece) = (Vec::new(), [0; 4096]);
        let mut terminal = File::from(terminal);
        // At the end of all writers a terminal is an error, and not an end.
        while let Ok(count @ 1..) = terminal.read(&mut piece) {
            shown.extend_from_slice(&piece[..count]);
        }
        String::from_utf8(shown).unwrap()
    });
    let output = child.wait_with_output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), reader.join().unwrap())
}

#[test]
fn a_terminal_has_a_view_that_is_gone_at_the_end() {
    let server = Background::start(Options::default()).unwrap();
    let args = ["-r", "100", "-z", "1500ms", "-O", "json", server.address()];
    let (stdout, shown) = on_terminal(&args, &[("TERM", "xterm")], 80);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert!(report["count"].as_u64() > Some(100), "the report is all of standard output");
    assert!(shown.matches("in flight").count() >= 2, "{shown:?}");
    assert!(shown.contains(" left"), "{shown:?}");
    // Each drawing begins where the last one did, and the last thing is that all is gone.
    assert!(shown.starts_with(CLEAR) && shown.ends_with(CLEAR), "{shown:?}");
    assert!(!shown.contains("\u{1b}[31m"), "nothing failed: {shown:?}");
}

#[test]
fn a_view_fits_the_terminal_and_has_colours_where_they_are_wanted() {
    let errors = vec!["UNAVAILABLE:50%".parse().unwrap()];
    let server = Background::start(Options { errors, ..Options::default() }).unwrap();
    let args = ["-r", "100", "-z", "1s", server.address()];
    let (_, narrow) = on_terminal(&args, &[("TERM", "xterm"), ("NO_COLOR", "1")], 24);
    assert!(narrow.contains("failed"), "{narrow:?}");
    assert!(!narrow.contains("\u{1b}[31m"), "{narrow:?}");
    for line in narrow.split(CLEAR).flat_map(|drawing| drawing.split('\n')) {
        let text = line.split('\u{1b}').next().unwrap().trim_matches('\r');
        assert!(text.chars().count() < 24, "{text:?}");
    }
    let (_, coloured) = on_terminal(&args, &[("TERM", "xterm")], 80);
    assert!(coloured.contains("\u{1b}[31m") && coloured.contains("Unavailable"), "{coloured:?}");
}

#[test]
fn a_terminal_that_cannot_do_it_is_left_alone() {
    let server = Background::start(Options::default()).unwrap();
    let args = ["-r", "100", "-z", "700ms", server.address()];
    for variables in [&[("TERM", "dumb")][..], &[], &[("TERM", "xterm"), ("GRPCBENCH_NO_LIVE", "true")]] {
        assert_eq!(on_terminal(&args, variables, 80).1, "", "{variables:?}");
    }
    let (_, lines) = on_terminal(&[&args[..], &["--live", "200ms"]].concat(), &[("TERM", "xterm")], 80);
    assert!(lines.contains("in flight") && !lines.contains('\u{1b}'), "lines were asked for: {lines:?}");
}

#[test]
fn lines_come_without_a_terminal_if_they_are_asked_for() {
    let errors = vec!["UNAVAILABLE:50%".parse().unwrap()];
    let server = Background::start(Options { errors, ..Options::default() }).unwrap();
    let run = || Run::say_hello(server.address()).args(["-r", "100", "-z", "1500ms", "-O", "json"]);
    let done = run().args(["--live", "200ms"]).go();
    done.json();
    let lines: Vec<&str> = done.stderr.lines().collect();
    assert!(lines.len() >= 3, "{lines:?}");
    assert!(lines.iter().all(|line| line.contains("/s   ") && line.contains(" in flight   p50 ")), "{lines:?}");
    assert!(lines.last().unwrap().contains(" Unavailable"), "{lines:?}");
    for silent in [&[][..], &["--live", "0"], &["--live", "200ms", "--no-live"]] {
        assert_eq!(run().args(silent.iter().copied()).go().stderr, "", "{silent:?}");
    }
}
