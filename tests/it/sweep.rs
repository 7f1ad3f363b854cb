//! Sweeps: order, folder, interruptions, and what is shown at the end.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use grpcbench::target::{Background, Options};
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use super::harness::{Done, Run};

/// A sweep of `SayHello` with little time between its cells.
fn sweep(dir: &Path, args: &[&str]) -> Run {
    Run::new()
        .args(["sweep", "--insecure", "--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello"])
        .args(["--rest", "10ms", "--warmup", "2", "--dir", dir.to_str().unwrap()])
        .args(args.iter().copied())
}

/// A server, and the flag that names it.
fn target(name: &str) -> (Background, String) {
    let server = Background::start(Options::default()).unwrap();
    let flag = format!("--target={name}={}", server.address());
    (server, flag)
}

/// The names of the reports in a folder.
fn reports(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != "sweep.json").collect();
    names.sort();
    names
}

/// The cells that were run, in their order.
fn told(done: &Done) -> Vec<&str> {
    done.stderr.lines().filter_map(|line| line.split_once(": ")?.1.split_once(": ").map(|(cell, _)| cell)).collect()
}

/// The row `label` of table `number`, as JSON.
fn row<'a>(tables: &'a Value, number: usize, label: &str) -> &'a Value {
    let rows = tables["tables"][number]["rows"].as_array().unwrap();
    &rows.iter().find(|row| row["label"] == label).unwrap_or_else(|| panic!("{label} in {tables}"))["cells"]
}

#[test]
fn targets_take_turns_and_each_cell_has_a_report() {
    let folder = TempDir::new().unwrap();
    let dir = folder.path().join("results");
    let (one, one_flag) = target("one");
    let (two, two_flag) = target("two");
    let args = [&*one_flag, &*two_flag, "-r", "200,400", "-n", "20", "--repeat", "2"];
    let done = sweep(&dir, &args).args(["-O", "json"]).go();
    assert_eq!(
        told(&done),
        [
            "one at 200/s, round 1",
            "two at 200/s, round 1",
            "two at 400/s, round 1",
            "one at 400/s, round 1",
            "two at 400/s, round 2",
            "one at 400/s, round 2",
            "one at 200/s, round 2",
            "two at 200/s, round 2",
        ]
    );
    let files = [
        "one_r200_1",
        "one_r200_2",
        "one_r400_1",
        "one_r400_2",
        "two_r200_1",
        "two_r200_2",
        "two_r400_1",
        "two_r400_2",
    ];
    assert_eq!(reports(&dir), files.map(|file| format!("{file}.json")));
    for file in files {
        let report: Value = serde_json::from_slice(&fs::read(dir.join(format!("{file}.json"))).unwrap()).unwrap();
        assert_eq!((&report["count"], &report["details"]), (&20.into(), &Value::Array(Vec::new())), "{file}");
        assert_eq!(report["options"]["rps"], if file.contains("r200") { 200 } else { 400 }, "{file}");
    }
    // Four cells each, of 20 calls and 2 before.
    assert_eq!((one.counts().all_calls(), two.counts().all_calls()), (88, 88));

    // All is there: the tables are made again, and nothing else.
    let again = sweep(&dir, &args).args(["-O", "json"]).go();
    assert_eq!(again.stdout, done.stdout);
    assert!(again.stderr.contains("8 of 8 cells are finished"), "{}", again.stderr);
    assert_eq!(one.counts().all_calls(), 88);
}

#[test]
fn tables_have_a_column_for_each_target() {
    let folder = TempDir::new().unwrap();
    let (_one, one_flag) = target("one");
    let failing =
        Background::start(Options { errors: vec!["UNAVAILABLE:100%".parse().unwrap()], ..Options::default() });
    let failing = failing.unwrap();
    let two_flag = format!("--target=two={}", failing.address());
    let args = [&*one_flag, &*two_flag, "-c", "1,4", "-n", "30"];
    let done = sweep(folder.path().join("a").as_path(), &args).args(["-O", "json"]).status(1).go();
    let tables = done.json();
    assert_eq!(tables["tables"][0]["columns"], serde_json::json!(["one", "two"]));
    assert_eq!(tables["tables"][0]["title"], "1 caller");
    for number in [0, 1] {
        for (label, expected) in
            [("Count", [30, 30]), ("OK", [30, 0]), ("Unavailable", [0, 30]), ("DeadlineExceeded", [0, 0])]
        {
            let cells = row(&tables, number, label);
            for (at, expected) in expected.into_iter().enumerate() {
                assert_eq!(cells[at]["value"], expected, "{label} {cells}");
            }
        }
    }
    let shown = |format: &str| sweep(&folder.path().join("a"), &args).args(["-O", format]).status(1).go().stdout;
    assert!(shown("text").contains("4 callers:\n"), "{}", shown("text"));
    assert!(shown("markdown").contains("| Count |"), "{}", shown("markdown"));
    let html = shown("html");
    assert!(html.contains("<svg") && html.contains("<caption>1 caller</caption>"), "{html}");
    assert!(!html.contains("http://") && !html.contains("<script"), "nothing beside it is needed");
}

#[test]
fn a_target_out_of_reach_does_not_end_the_sweep() {
    let folder = TempDir::new().unwrap();
    let dir = folder.path().join("results");
    let (_one, one_flag) = target("one");
    let args = [&*one_flag, "--target=gone=127.0.0.1:9", "-r", "200,400", "-n", "10"];
    let done = sweep(&dir, &args).status(3).go();
    assert_eq!(reports(&dir), ["one_r200_1.json", "one_r400_1.json"]);
    assert!(done.stdout.contains("gone: unreachable: cannot connect to 127.0.0.1:9"), "{}", done.stdout);
    assert_eq!(done.stderr.matches("unreachable").count(), 2, "{}", done.stderr);

    let again = sweep(&dir, &args).status(3).go();
    assert_eq!(told(&again), ["gone at 200/s", "gone at 400/s"], "only what is missing is tried again");
    assert_eq!(again.stdout, done.stdout);
}

#[test]
fn an_interrupt_leaves_what_is_finished_and_the_sweep_goes_on_later() {
    let folder = TempDir::new().unwrap();
    let dir = folder.path().join("results");
    let (server, flag) = target("one");
    // The second cell would take two minutes.
    let args = [&*flag, "-r", "500,1", "-n", "120"];
    let run = sweep(&dir, &args).start();
    while server.counts().all_calls() < 123 {
        sleep(Duration::from_millis(5));
    }
    run.signal(Signal::INT);
    let done = run.wait();
    assert_eq!(done.code(), Some(130), "{}", done.stderr);
    assert!(done.elapsed < Duration::from_secs(30), "{:?}", done.elapsed);
    assert_eq!(reports(&dir), ["one_r500_1.json"], "what was cut short is no report");
    assert!(done.stdout.contains("one: not run yet"), "{}", done.stdout);
    assert!(done.stderr.contains("the same command goes on"), "{}", done.stderr);

    let run = sweep(&dir, &args).start();
    let before = server.counts().all_calls();
    while server.counts().all_calls() < before + 2 {
        sleep(Duration::from_millis(5));
    }
    run.signal(Signal::INT);
    let done = run.wait();
    assert_eq!(done.code(), Some(130), "{}", done.stderr);
    assert!(done.stderr.contains("1 of 2 cells are finished"), "{}", done.stderr);
}

#[test]
fn a_plan_file_says_the_same() {
    let folder = TempDir::new().unwrap();
    let dir = folder.path().join("results");
    let (server, flag) = target("one");
    let plan = format!(
        "target = [\"one={}\"]\nrps = [200, 400]\nconcurrency = \"2,3\"\ntotal = 10\nrepeat = 2\nrest = \"10ms\"\nwarmup = 2\n\
         insecure = true\nproto = \"helloworld.proto\"\ncall = \"helloworld.Greeter.SayHello\"\ndir = {:?}\n",
        server.address(),
        dir.to_str().unwrap()
    );
    let done = Run::new().file("plan.toml", plan).args(["sweep", "--config", "plan.toml"]).go();
    assert_eq!(reports(&dir).len(), 8);
    assert!(done.stdout.contains("400/s, at most 3 in flight"), "{}", done.stdout);
    let typed = sweep(&dir, &[&flag, "-r", "200,400", "-c", "2,3", "-n", "10", "--repeat", "2"]).go();
    assert_eq!(typed.stdout, done.stdout, "the same sweep");
}

#[test]
fn a_target_is_asked_what_it_speaks_once() {
    let folder = TempDir::new().unwrap();
    let server = Background::start(Options::default()).unwrap();
    let done = Run::new()
        .args([
            "sweep",
            "--call",
            "helloworld.Greeter.SayHello",
            "--rest",
            "0",
            "--warmup",
            "0",
            "-c",
            "1,2",
            "-n",
            "5",
        ])
        .args(["--dir", folder.path().join("results").to_str().unwrap(), server.address()])
        .go();
    assert_eq!(done.stderr.matches("speaks plaintext").count(), 1, "{}", done.stderr);
    assert_eq!(server.counts().all_calls(), 10);
}
