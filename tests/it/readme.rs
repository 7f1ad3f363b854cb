//! The README's first commands do what it says.
//!
//! Each `console` block is run line by line: lines that start with `$ ` are commands, those below are what they printed.
//! `cargo run` becomes the program that was built for the tests, which is `grpcbench` in the others; commands of anything else are not
//! run, but for `echo`, which writes a file. Neither is `serve`: a server is there.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use grpcbench::target::{Background, Options, Tls};

use super::harness::project;

/// Where the README's commands expect a server.
const ADDRESS: &str = "127.0.0.1:50051";

/// The commands in the blocks of `markdown` that are marked `console`, each in one line.
fn commands(markdown: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut inside = false;
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        if let Some(fence) = line.trim_start().strip_prefix("```") {
            inside = !inside && fence.trim() == "console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            let mut command = command.to_owned();
            while let Some(start) = command.strip_suffix('\\') {
                command = format!("{} {}", start.trim_end(), lines.next().unwrap_or_default().trim());
            }
            commands.push(command);
        }
    }
    commands
}

/// A command as it is run here, or `None` if it is not.
fn line(command: &str) -> Option<String> {
    let cargo = ["cargo run --release -- ", "cargo run --release --quiet -- "];
    match cargo.into_iter().find_map(|start| command.strip_prefix(start)) {
        Some(arguments) => Some(format!("grpcbench {arguments}")),
        None if command.contains("grpcbench serve") => None,
        None => (command.contains("grpcbench ") || command.starts_with("echo ")).then(|| command.to_owned()),
    }
}

/// The servers that the README's commands expect.
struct Servers {
    plain: Background,
    _unix: Background,
    tls: Background,
    /// Not every machine has that.
    ipv6: Option<Background>,
}

impl Servers {
    fn start(folder: &Path) -> Servers {
        let pair = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let tls = Tls { cert: folder.join("server.pem"), key: folder.join("server-key.pem") };
        fs::write(&tls.cert, pair.cert.pem()).unwrap();
        fs::write(&tls.key, pair.signing_key.serialize_pem()).unwrap();
        let ipv6 = TcpListener::bind("[::1]:0");
        Servers {
            plain: Background::start(Options::default()).unwrap(),
            _unix: Background::start_unix(&folder.join("greeter.sock"), Options::default()).unwrap(),
            tls: Background::start(Options { tls: Some(tls), ..Options::default() }).unwrap(),
            ipv6: ipv6.ok().map(|listener| Background::start_on(listener, Options::default()).unwrap()),
        }
    }

    /// A command with the ports that these servers have; `None` if it needs one that is not there.
    fn reached_by(&self, line: &str) -> Option<String> {
        let port = |server: &Background| server.address().rsplit(':').next().unwrap().to_owned();
        let line = match &self.ipv6 {
            Some(server) => line.replace("[::1]:50051", server.address()),
            None if line.contains("[::1]") => return None,
            None => line.to_owned(),
        };
        let line = line.replace("127.0.0.1:50443", self.tls.address());
        let line = line.replace("localhost:50443", &format!("localhost:{}", port(&self.tls)));
        Some(line.replace(ADDRESS, self.plain.address()).replace("localhost:50051", self.plain.address()))
    }
}

#[test]
fn every_command_runs() {
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let commands = commands(&readme);
    let lines: Vec<String> = commands.iter().filter_map(|command| line(command)).collect();
    assert!(lines.iter().any(|line| line.contains("grpcbench ")), "the README shows no run in a console block");

    // What they write stays out of the project.
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("protos")).unwrap();
    fs::copy(project().join("protos/helloworld.proto"), folder.path().join("protos/helloworld.proto")).unwrap();
    let servers = Servers::start(folder.path());
    let program = Path::new(env!("CARGO_BIN_EXE_grpcbench"));
    let path = format!("{}:{}", program.parent().unwrap().display(), env!("PATH"));
    for line in lines {
        let Some(line) = servers.reached_by(&line) else { continue };
        let mut child =
            Command::new("sh").arg("-c").arg(&line).env("PATH", &path).current_dir(&folder).spawn().unwrap();
        let started = tokio::time::Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > Duration::from_secs(90) {
                child.kill().unwrap();
                panic!("`{line}` does not end");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        assert_eq!(status.code(), Some(0), "{line}");
    }
}

#[test]
fn blocks_are_read() {
    let markdown = "text\n```console\n$ grpcbench demo\n\nSummary:\n$ cargo run --release -- -n 1 \\\n    localhost:1\n```\n\
        ```sh\n$ not this\n```\n```console\n$ cargo test\n```\n";
    let found = commands(markdown);
    assert_eq!(found, ["grpcbench demo", "cargo run --release -- -n 1 localhost:1", "cargo test"]);
    assert_eq!(
        found.iter().map(|command| line(command)).collect::<Vec<_>>(),
        [Some("grpcbench demo".to_owned()), Some("grpcbench -n 1 localhost:1".to_owned()), None]
    );
}
