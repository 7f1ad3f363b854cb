//! Inputs that cannot be read, that change under way, that are huge, or that are no text.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use grpcbench::target::{Background, Options};

use super::harness::{Run, project};
use super::listener::Listener;
use super::numbers::counts;

/// The flags that name a file to read, with what else they need.
const FILES: [(&str, &[&str]); 9] = [
    ("-D", &[]),
    ("-M", &[]),
    ("-B", &[]),
    ("--data", &[]),
    ("--config", &[]),
    ("--proto", &[]),
    ("--protoset", &[]),
    ("--cacert", &["--tls"]),
    ("--cert", &["--tls", "--key", "helloworld.proto"]),
];

/// A run that reads `path` by this flag.
fn reading(flag: &str, more: &[&str], path: &str) -> Run {
    let path = if flag == "--data" { format!("@{path}") } else { path.to_owned() };
    let run = Run::new().args(["--call", "helloworld.Greeter.SayHello", flag, &path]).args(more.iter().copied());
    let run = if matches!(flag, "--proto" | "--protoset") { run } else { run.args(["--proto", "helloworld.proto"]) };
    let run = if more.contains(&"--tls") { run } else { run.args(["--insecure"]) };
    run.args(["127.0.0.1:1"])
}

#[test]
fn files_that_are_not_there_or_folders_are_named_before_anything_is_sent() {
    for (flag, more) in FILES {
        for path in ["gone.x", "folder.x"] {
            let run = reading(flag, more, path);
            fs::create_dir(run.path("folder.x")).unwrap();
            let done = run.status(2).go();
            assert!(done.stderr.contains(path), "{flag} {path}: {}", done.stderr);
            assert_eq!(done.stdout, "", "{flag} {path}");
        }
    }
}

#[test]
fn files_that_are_no_text_or_cut_short_are_told() {
    // A byte that no UTF-8 has; the beginning of something; nothing at all.
    for (flag, more) in FILES {
        for bytes in [&b"\xff\xfe{}"[..], b"{\"na", b"\x1f\x8b\x08\0\0\0\0\0", b"\0\0\0\0\0"] {
            let done = reading(flag, more, "odd.x").file("odd.x", bytes).start().wait();
            // A proto file that is read as binary data, or JSON that is a template, fails elsewhere; never by a panic.
            assert!(matches!(done.code(), Some(2 | 3)), "{flag} {bytes:?}: {:?} {}", done.code(), done.stderr);
            assert!(done.stderr.starts_with("error: ") && !done.stderr.contains("panicked"), "{flag}: {}", done.stderr);
        }
    }
}

/// The most that is read of a file, in bytes.
const BYTES_MAX: u64 = 1 << 30;

#[test]
fn files_that_are_larger_than_anybody_means_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let huge = folder.path().join("huge.x");
    // All of it is a hole, which takes no space.
    fs::File::create(&huge).unwrap().set_len(BYTES_MAX + 1).unwrap();
    let huge = huge.to_str().unwrap();
    let runs = FILES.iter().map(|(flag, more)| reading(flag, more, huge));
    let others = [&["report", huge][..], &["serve", "--tls-cert", huge, "--tls-key", huge, "127.0.0.1:0"]];
    for run in runs.chain(others.map(|args| Run::new().args(args.iter().copied()))) {
        let done = run.status(2).go();
        assert!(done.stderr.contains("it has more than 1 GiB"), "{}", done.stderr);
        assert!(done.stderr.contains("huge.x") && done.stdout.is_empty(), "{}", done.stderr);
        assert!(done.peak_kib < 256 << 10, "{} KiB: {}", done.peak_kib, done.stderr);
    }
}

#[test]
fn what_has_no_end_is_read_to_a_limit() {
    let script = r#"yes '{"name":"Ann"}' | "$0" --insecure --proto protos/helloworld.proto \
        --call helloworld.Greeter.SayHello -d @ 127.0.0.1:1; exit ${PIPESTATUS[1]}"#;
    let piped =
        Command::new("bash").args(["-c", script, env!("CARGO_BIN_EXE_grpcbench")]).current_dir(project()).output();
    let piped = piped.unwrap();
    assert_eq!(piped.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(piped.stderr).unwrap(),
        "error: cannot read standard input for --data\n\
         caused by: it has more than 1 GiB, which is the most that is read\n\
         hint: give a smaller one; a device and a pipe may have no end\n"
    );
    let done = reading("-D", &[], "/dev/zero").status(2).go();
    assert!(done.stderr.contains("cannot read `/dev/zero` for --data-file\ncaused by: it has more"), "{}", done.stderr);
    assert!(done.peak_kib < 2 * (BYTES_MAX >> 10), "{} KiB", done.peak_kib);
}

#[test]
fn files_that_change_in_the_middle_of_a_run_change_nothing() {
    let listener = Listener::start();
    let run = Run::say_hello(&listener.address())
        .file("data.json", r#"{"name":"first"}"#)
        .file("meta.json", r#"{"x":"first"}"#)
        .file("run.json", r#"{"rps": 100, "total": 70}"#)
        .args(["-D", "data.json", "-M", "meta.json", "--config", "run.json", "-O", "json"]);
    let paths = ["data.json", "meta.json", "run.json", "helloworld.proto"].map(|name| run.path(name));
    let running = run.start();
    while listener.heard().len() < 5 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let [data, meta, config, proto] = paths;
    fs::write(data, r#"{"name":"second"}"#).unwrap();
    fs::write(meta, "").unwrap();
    fs::remove_file(config).unwrap();
    fs::write(proto, "no proto any more").unwrap();
    let done = running.wait();
    assert_eq!(done.code(), Some(0), "{}", done.stderr);
    assert_eq!(counts(&done.json()).ok, 70);
    assert!(listener.heard().iter().all(|call| call.name == "first" && call.header("x") == Some("first")));
}

#[test]
fn pipes_are_files_too() {
    let listener = Listener::start();
    // A shell's `<(...)`: it can be read once, and has no length.
    let script = r#""$0" --insecure --proto <(cat protos/helloworld.proto) --call helloworld.Greeter.SayHello -n 3 -c 1 \
        -D <(printf '{"name":"piped"}') -M <(printf '{"x":"1"}') "$1""#;
    let done = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_grpcbench"), &listener.address()])
        .current_dir(project())
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(listener.names(), ["piped"; 3]);
}

const MANY: usize = 100_000;

#[test]
fn a_hundred_thousand_messages_and_sets_of_metadata() {
    let listener = Listener::start();
    let mut data = String::from("[");
    let mut metadata = String::from("[");
    for number in 0..MANY {
        let comma = if number > 0 { "," } else { "" };
        let _ = write!(data, r#"{comma}{{"name":"n{number}"}}"#);
        let _ = write!(metadata, r#"{comma}{{"x-number":"{number}"}}"#);
    }
    let config = format!(r#"{{"total": 20, "concurrency": 1, "data": {data}], "metadata": {metadata}]}}"#);
    let done =
        Run::say_hello(&listener.address()).file("run.json", config).args(["--config", "run.json", "-O", "json"]).go();
    assert_eq!(counts(&done.json()).ok, 20);
    for (number, call) in listener.heard().iter().enumerate() {
        assert_eq!((&*call.name, call.header("x-number")), (&*format!("n{number}"), Some(&*number.to_string())));
    }
    assert!(done.peak_kib < 1 << 20, "{} KiB", done.peak_kib);
    assert!(done.stdout.len() < 32 << 20, "{} bytes of report", done.stdout.len());
}

/// Configs whose metadata has as many keys are read, in each format; nobody listens where they point.
#[test]
fn configs_with_a_hundred_thousand_keys_of_metadata() {
    let run = r#"{"total": 1, "metadata": {"#.to_owned();
    let members = |member: fn(usize) -> String| (0..MANY).map(member).collect::<String>();
    for (name, config) in [
        ("run.json", run + &members(|n| format!(r#""x-{n}":"v","#)) + r#""x":"v"}}"#),
        ("run.toml", "total = 1\n[metadata]\n".to_owned() + &members(|n| format!("x-{n} = 'v'\n"))),
        ("run.yaml", "total: 1\nmetadata:\n".to_owned() + &members(|n| format!("  x-{n}: v\n"))),
    ] {
        let done = Run::say_hello("127.0.0.1:1").file(name, config).args(["--config", name]).status(3).go();
        assert!(done.stderr.contains("connection refused"), "{name}: {}", done.stderr);
    }
}

#[test]
fn a_config_of_a_hundred_thousand_keys_is_told_in_a_few_lines() {
    let mut config = String::from("{");
    for number in 0..MANY {
        let comma = if number > 0 { "," } else { "" };
        let _ = write!(config, r#"{comma}"nope{number}":{number}"#);
    }
    config.push('}');
    let done = Run::say_hello("127.0.0.1:1").file("run.json", config).args(["--config", "run.json"]).status(2).go();
    assert!(done.stderr.len() < 1 << 16, "{} bytes", done.stderr.len());
    assert!(done.elapsed < Duration::from_secs(30), "{:?}", done.elapsed);
}

#[test]
fn arguments_that_are_no_utf8() {
    let server = Background::start(Options::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let odd = OsStr::from_bytes(b"gr\xfc\xdfe");
    let path = folder.path().join(odd);
    fs::copy(project().join("protos/helloworld.proto"), &path).unwrap();
    let run = |words: &[&OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grpcbench"));
        command.current_dir(folder.path()).env_clear().stdin(Stdio::null());
        command.args(["--insecure", "--call", "helloworld.Greeter.SayHello", "-n", "2", "-c", "1"]).args(words);
        command.output().unwrap()
    };
    let address = OsStr::new(server.address());
    let [proto, output, data] = ["--proto", "-o", "-d"].map(OsStr::new);
    // Paths may be any bytes.
    let report = folder.path().join(OsStr::from_bytes(b"out\xff"));
    let done = run(&[proto, odd, output, report.as_os_str(), address]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(fs::read_to_string(&report).unwrap().contains("Summary"));
    // Texts may not, and that is said.
    for words in [&[proto, odd, data, odd, address][..], &[proto, odd, odd]] {
        let done = run(words);
        assert_eq!(done.status.code(), Some(2));
        assert!(String::from_utf8(done.stderr).unwrap().contains("UTF-8"), "{words:?}");
    }
    let variable = Command::new(env!("CARGO_BIN_EXE_grpcbench"))
        .env_clear()
        .env("GRPCBENCH_DATA", odd)
        .args([address])
        .output()
        .unwrap();
    assert_eq!(variable.status.code(), Some(2));
    assert!(!String::from_utf8(variable.stderr).unwrap().contains("panicked"));
}
