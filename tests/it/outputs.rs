//! Outputs that take nothing: a full disk, and a reader that has gone.

use std::fs::{File, OpenOptions};
use std::io::pipe;
use std::process::{Command, Output, Stdio};

use grpcbench::export::Format;
use grpcbench::target::{Background, Options};

use super::harness::project;

/// What the program prints to standard output, by the words that make it.
fn printing(server: &Background) -> Vec<Vec<String>> {
    let call = ["--insecure", "--proto", "protos/helloworld.proto", "--call", "helloworld.Greeter.SayHello"];
    let run = |format: Format| {
        let rest = ["-n", "20", "-c", "2", "-O", format.name(), server.address()];
        call.iter().chain(&rest).map(|word| (*word).to_owned()).collect()
    };
    let others = [
        "--help",
        "--version",
        "describe --help",
        "--generate man",
        "--generate complete-bash",
        "describe --proto protos/helloworld.proto",
        "demo -z 100ms",
    ];
    let others = others.iter().map(|words| words.split(' ').map(str::to_owned).collect());
    Format::ALL.into_iter().map(run).chain(others).collect()
}

fn with(words: &[String], stdout: Stdio, stderr: Stdio) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_grpcbench"));
    command.args(words).current_dir(project()).env_clear();
    command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn().unwrap().wait_with_output().unwrap()
}

#[cfg(target_os = "linux")]
fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").unwrap()
}

#[cfg(target_os = "linux")]
#[test]
pub(crate) fn a_full_disk_is_told_wherever_output_goes() {
    let server = Background::start(Options::default()).unwrap();
    for words in printing(&server) {
        let done = with(&words, full().into(), Stdio::piped());
        let stderr = String::from_utf8(done.stderr).unwrap();
        let told =
            "error: cannot write to standard output\ncaused by: No space left on device (os error 28)\n".to_owned();
        assert!(stderr.ends_with(&told), "{words:?}: {stderr}");
        assert!(matches!(done.status.code(), Some(1 | 2)), "{words:?}: {:?}", done.status);
    }
    // Nobody can be told, and the report still comes.
    for words in printing(&server) {
        let done = with(&words, Stdio::piped(), full().into());
        assert_eq!(done.status.code(), Some(0), "{words:?}");
        assert!(!done.stdout.is_empty(), "{words:?}");
    }
    let file = ["describe", "--proto", "protos/helloworld.proto", "--protoset-out", "/dev/full"].map(str::to_owned);
    let done = with(&file, Stdio::piped(), Stdio::piped());
    assert!(String::from_utf8(done.stderr).unwrap().contains("cannot write `/dev/full`"));
    assert_eq!(done.status.code(), Some(2));
}

#[test]
fn a_reader_that_has_gone_has_seen_enough() {
    let server = Background::start(Options::default()).unwrap();
    let gone = || pipe().unwrap().1;
    for words in printing(&server) {
        let done = with(&words, gone().into(), Stdio::piped());
        assert_eq!(done.status.code(), Some(0), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
        let done = with(&words, Stdio::piped(), gone().into());
        assert_eq!(done.status.code(), Some(0), "{words:?}");
        assert!(!done.stdout.is_empty(), "{words:?}");
    }
    // Neither has a mistake anybody to tell, and it keeps its code.
    let mistake = ["--call", "helloworld.Greeter.SayHello", "-n", "0", "localhost"].map(str::to_owned);
    assert_eq!(with(&mistake, gone().into(), gone().into()).status.code(), Some(2));
}
