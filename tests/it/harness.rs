//! Runs of the program: a builder that says what goes in, and what must come out.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use expect_test::Expect;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::Instant;

/// The schema of the embedded server.
const PROTO: &str = include_str!("../../protos/helloworld.proto");
/// No test takes this long unless something hangs.
const PATIENCE: Duration = Duration::from_secs(40);

/// The folder of this project.
pub(crate) fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The program that is tested; another build of it where the environment names one, as scripts do that measure.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("GRPCBENCH").map_or_else(|| env!("CARGO_BIN_EXE_grpcbench").into(), PathBuf::from)
}

/// The lines of a help that begin with a flag, and not those of a text that does.
pub(crate) fn flag_lines(help: &str) -> impl Iterator<Item = &str> {
    const TEXTS: usize = 10;
    help.lines()
        .filter(|line| line.len() - line.trim_start().len() < TEXTS)
        .map(str::trim)
        .filter(|line| line.starts_with('-'))
}

/// One run of the program, in a folder of its own that holds `helloworld.proto`.
pub(crate) struct Run {
    folder: TempDir,
    args: Vec<String>,
    variables: Vec<(String, String)>,
    stdin: Option<Vec<u8>>,
    /// How many files it may have open, if that is limited.
    open_files: Option<String>,
    status: i32,
    stderr: Option<Expect>,
    named: Vec<(String, &'static str)>,
}

impl Run {
    /// Expects success, and says nothing of what is printed.
    pub(crate) fn new() -> Run {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("helloworld.proto"), PROTO).unwrap();
        Run {
            folder,
            args: Vec::new(),
            variables: Vec::new(),
            stdin: None,
            open_files: None,
            status: 0,
            stderr: None,
            named: Vec::new(),
        }
    }

    /// A run of `SayHello` in plaintext against `address`.
    pub(crate) fn say_hello(address: &str) -> Run {
        Run::new()
            .args(["--insecure", "--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello"])
            .args([address])
    }

    pub(crate) fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Run {
        self.args.extend(args.into_iter().map(str::to_owned));
        self
    }

    /// Sets a variable of its environment, which is empty otherwise.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Run {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn stdin(mut self, text: impl Into<Vec<u8>>) -> Run {
        self.stdin = Some(text.into());
        self
    }

    /// Limits how many files it may have open, by what a shell's `ulimit` takes: `-n 60`.
    pub(crate) fn open_files(mut self, limit: &str) -> Run {
        self.open_files = Some(limit.to_owned());
        self
    }

    /// Puts a file into the folder.
    pub(crate) fn file(self, name: &str, text: impl AsRef<[u8]>) -> Run {
        fs::write(self.path(name), text).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The exit code that is expected.
    pub(crate) fn status(mut self, code: i32) -> Run {
        self.status = code;
        self
    }

    /// All that is expected on standard error.
    pub(crate) fn stderr(mut self, expected: Expect) -> Run {
        self.stderr = Some(expected);
        self
    }

    /// Shows `text`, such as a port that changes from run to run, as `name` in what is printed.
    pub(crate) fn named(mut self, text: &str, name: &'static str) -> Run {
        self.named.push((text.to_owned(), name));
        self
    }

    /// Runs to the end, and checks what was expected.
    #[track_caller]
    pub(crate) fn go(mut self) -> Done {
        let (status, expected) = (self.status, self.stderr.take());
        let done = self.start().wait();
        if let Some(expected) = expected {
            expected.assert_eq(&done.stderr);
        }
        assert_eq!(done.code(), Some(status), "stdout:\n{}\nstderr:\n{}", done.stdout, done.stderr);
        done
    }

    /// Runs to the end with a JSON report, and returns that.
    #[track_caller]
    pub(crate) fn report(self) -> Value {
        self.args(["-O", "json"]).go().json()
    }

    /// Starts the program.
    pub(crate) fn start(self) -> Running {
        let program = program();
        let mut command = match &self.open_files {
            None => Command::new(program),
            Some(limit) => {
                let mut shell = Command::new("/bin/sh");
                shell.args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\"")]).arg(program);
                shell
            }
        };
        command.args(&self.args).current_dir(self.folder.path()).env_clear();
        command.envs(self.variables);
        let stdin = if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().unwrap();
        if let (Some(text), Some(mut stdin)) = (self.stdin, child.stdin.take()) {
            thread::spawn(move || stdin.write_all(&text));
        }
        let stdout = Some(read(child.stdout.take().unwrap()));
        let stderr = Some(read(child.stderr.take().unwrap()));
        Running { child, stdout, stderr, started, folder: self.folder, named: self.named }
    }
}

fn read(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    })
}

/// The program while it runs. It is killed when this goes.
pub(crate) struct Running {
    child: Child,
    stdout: Option<JoinHandle<String>>,
    stderr: Option<JoinHandle<String>>,
    started: Instant,
    folder: TempDir,
    named: Vec<(String, &'static str)>,
}

impl Running {
    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// The most memory that it has had, in kB.
    #[cfg(target_os = "linux")]
    pub(crate) fn peak_kb(&self) -> u64 {
        let peak = self.peak_kib();
        assert!(peak > 0, "it has not ended");
        peak
    }

    /// Waits for its end; fails if that takes too long.
    #[track_caller]
    pub(crate) fn wait(mut self) -> Done {
        let mut peak_kib = 0;
        let status = loop {
            peak_kib = peak_kib.max(self.peak_kib());
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(self.started.elapsed() < PATIENCE, "still running after {PATIENCE:?}");
            thread::sleep(Duration::from_millis(2));
        };
        let elapsed = self.started.elapsed();
        let [stdout, stderr] = [self.stdout.take(), self.stderr.take()].map(|text| {
            let text = text.unwrap().join().unwrap();
            self.named.iter().fold(text, |text, (from, to)| text.replace(from, to))
        });
        let files = Files::of(self.folder.path());
        Done { status, stdout, stderr, elapsed, peak_kib, files }
    }

    /// The most memory that it has used so far; 0 where the system does not tell, and when it has ended. For a moment after
    /// its start a child has the memory of the process that started it: until it has a name of its own.
    fn peak_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        if !status.starts_with("Name:\tgrpcbench") {
            return 0;
        }
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has usually ended by then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a run left behind.
pub(crate) struct Done {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) elapsed: Duration,
    /// The most memory that it used, as far as that was seen.
    pub(crate) peak_kib: u64,
    pub(crate) files: Files,
}

impl Done {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("{error} in stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        })
    }
}

/// The files of a run's folder, by name.
pub(crate) struct Files(Vec<(String, String)>);

impl Files {
    fn of(folder: &Path) -> Files {
        let files = fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file());
        Files(
            files
                .map(|entry| {
                    let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
                    (entry.file_name().into_string().unwrap(), text)
                })
                .collect(),
        )
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }
}

/// A `grpcbench serve` of its own process, so that it can be killed.
pub(crate) struct Served {
    child: Child,
    stdout: ChildStdout,
    address: String,
}

impl Served {
    pub(crate) fn start(args: &[&str]) -> Served {
        Served::start_on("127.0.0.1:0", args)
    }

    /// Starts it where another one has been.
    pub(crate) fn start_on(address: &str, args: &[&str]) -> Served {
        let mut command = Command::new(program());
        command.arg("serve").args(args).arg(address).env_clear();
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = Vec::new();
        let mut stdout = child.stdout.take().unwrap();
        let mut byte = [0];
        while stdout.read(&mut byte).unwrap() == 1 && byte[0] != b'\n' {
            line.push(byte[0]);
        }
        let line = String::from_utf8(line).unwrap();
        let address = line.strip_prefix("listening on ").unwrap_or_else(|| panic!("said `{line}`")).to_owned();
        Served { child, stdout, address }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// What it says at its end, once it has been told to end.
    pub(crate) fn last_words(&mut self) -> String {
        let mut text = String::new();
        self.stdout.read_to_string(&mut text).unwrap();
        text
    }

    /// Waits for its end.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(started.elapsed() < PATIENCE, "still serving after {PATIENCE:?}");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
