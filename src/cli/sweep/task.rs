//! What the flags of a sweep mean: the grid, and the flags of each of its runs.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::folder::Folder;
use crate::cli::args::{RunArgs, ScheduleArg, SweepArgs};
use crate::cli::claims::Claims;
use crate::cli::load::CONCURRENCY_MAX;
use crate::cli::output::Place;
use crate::cli::settle::settle;
use crate::cli::values::{self, count, invalid, time, word};
use crate::error::{Error, Problems, UsageError};
use crate::export::TableFormat;
use crate::sweep::{Cell, Grid, Target};
use crate::transport::Security;
use crate::units::Rate;

/// The time between two cells, unless that is said: enough for what the last one left behind to be over.
const REST: Duration = Duration::from_secs(1);
/// The warm-up of each cell, unless that is said.
const WARMUP: &str = "1s";
/// How many times a cell is run at most.
const REPEAT_MAX: u32 = 1_000;
/// Flags that have no bearing on what is measured, and those that the grid has.
const NOT_OF_THE_PLAN: &[&str] = &[
    "target",
    "host",
    "rps",
    "concurrency",
    "repeat",
    "rest",
    "dir",
    "format",
    "output",
    "out",
    "details",
    "percentiles",
    "histogram",
    "buckets",
    "live",
    "no_live",
    "show_responses",
    "strict",
    "name",
    "config",
    "config_lenient",
];

/// A sweep that is ready to start.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) grid: Grid,
    /// Where the reports are.
    pub(super) dir: PathBuf,
    /// The time between two cells.
    pub(super) rest: Duration,
    /// Where the tables go.
    pub(super) place: Place,
    /// In which format.
    pub(super) format: TableFormat,
    /// What the targets speak, as far as that had to be found out.
    pub(super) spoken: Vec<Option<Security>>,
    /// What holds for each cell.
    run: RunArgs,
}

impl Task {
    /// Finds out what `args` mean, or all that is wrong with them.
    pub(super) fn settle(args: &SweepArgs) -> Result<Task, Problems> {
        let mut problems = Problems::new();
        let targets = problems.keep(targets(args));
        let rates = problems.keep(listed("--rps", args.run.rps.as_deref(), |text| values::rate("--rps", Some(text))));
        let concurrency = |text: &str| count("--concurrency", Some(text), 0u32, 1..=CONCURRENCY_MAX);
        let concurrencies: Option<Vec<NonZeroU32>> =
            problems.keep(listed("--concurrency", args.run.concurrency.as_deref(), concurrency));
        let repeat = problems.keep(count("--repeat", args.repeat.as_deref(), 1, 1..=REPEAT_MAX));
        let rest = problems.keep(time("--rest", args.rest.as_deref()));
        let dir = problems.keep(args.dir.clone().ok_or(UsageError::Missing {
            what: "--dir",
            example: "name a folder for the reports of the cells, such as --dir results",
        }));
        let format = problems.keep(format(args.run.format.as_deref()));
        if args.run.data.as_deref() == Some("@") || args.run.binary {
            problems.push(UsageError::Conflict {
                one: "data from standard input".to_owned(),
                other: "a sweep".to_owned(),
                because: "standard input can be read once, and each cell needs the data",
            });
        }
        let about_one = "it is about one run; compare takes it, with the reports in --dir";
        for (flag, given, because) in [
            ("--debug", args.run.debug.is_some(), "the log is of the calls of one run"),
            (
                "--out",
                !args.run.view.out.is_empty(),
                "each cell has a report in --dir; report makes other formats of it",
            ),
            ("--expect", !args.run.expect.is_empty(), about_one),
            ("--junit", args.run.junit.is_some(), about_one),
        ] {
            if given {
                problems.push(UsageError::Conflict { one: flag.to_owned(), other: "a sweep".to_owned(), because });
            }
        }
        for (flag, given, other, because) in [
            (
                "--rps",
                args.run.rps.is_some() && ScheduleArg::changes(args.run.load_schedule),
                "--load-schedule",
                "each of them says what the rate is",
            ),
            (
                "--concurrency",
                args.run.concurrency.is_some() && ScheduleArg::changes(args.run.concurrency_schedule),
                "--concurrency-schedule",
                "each of them says how many callers there are",
            ),
            (
                "--concurrency",
                args.run.concurrency.is_some() && args.run.is_async,
                "--async",
                "without a limit to the calls in flight there are no limits to try",
            ),
        ] {
            if given {
                problems.push(UsageError::Conflict { one: flag.to_owned(), other: other.to_owned(), because });
            }
        }
        let spoken = targets.as_ref().map(|targets| vec![None; targets.len()]);
        let grid = (|| Some(Grid::new(targets?, &rates?, &concurrencies?, repeat?)))();
        let mut claims = Claims::of_run(&args.run);
        if let (Some(grid), Some(dir)) = (&grid, &dir) {
            claims.read("--dir", &Folder::files(dir, grid));
        }
        let place = problems.keep(Place::open(args.run.output.as_deref(), &mut claims));
        let mut task = (|| {
            Some(Task {
                spoken: spoken?,
                grid: grid?,
                dir: dir?,
                rest: rest?.unwrap_or(REST),
                place: place?,
                format: format?,
                run: RunArgs { output: None, format: None, ..args.run.clone() },
            })
        })();
        if let Some(task) = &mut task {
            task.check(&mut problems);
        }
        problems.into_result()?;
        Ok(task.expect("whatever is missing is among the problems"))
    }

    /// The flags of a cell's run, whose target speaks what is `spoken`, if that is known.
    pub(super) fn args(&self, cell: Cell, spoken: Option<Security>) -> RunArgs {
        let (target, point) = (&self.grid.targets[cell.target], self.grid.points[cell.point]);
        let mut args = self.run.clone();
        match spoken {
            Some(Security::Plaintext) => args.reach.insecure = true,
            Some(Security::Tls) => args.reach.tls = true,
            Some(Security::FindOut) | None => {}
        }
        // The first calls of a count are a warm-up of their own.
        let warmup = args.warmup.clone().or_else(|| args.skip_first.is_none().then(|| WARMUP.to_owned()));
        RunArgs {
            host: Some(target.host.clone()),
            rps: point.rate.map(Rate::exactly),
            concurrency: point.concurrency.map(|count| count.to_string()),
            name: Some(args.name.clone().unwrap_or_else(|| self.grid.title(cell))),
            warmup,
            ..args
        }
    }

    /// Finds what is wrong with the run of some cell. A target that is out of reach now may be there when it is its turn.
    fn check(&mut self, problems: &mut Problems) {
        let of_targets = (0..self.grid.targets.len()).map(|target| Cell { target, point: 0, round: 0 });
        let of_points = (1..self.grid.points.len()).map(|point| Cell { target: 0, point, round: 0 });
        for cell in of_targets.chain(of_points) {
            let wrong = match settle(&self.args(cell, self.spoken[cell.target])) {
                Ok(settled) => {
                    self.spoken[cell.target] = Some(settled.plan.target.security);
                    continue;
                }
                Err(wrong) => wrong,
            };
            // What several of them have is told once.
            for error in wrong.into_iter().filter(|error| !matches!(error, Error::Connect(_))) {
                problems.push(error);
            }
        }
    }

    /// All that decides what is measured, as names and texts: a sweep is the same as another where these are.
    pub(super) fn described(&self, matches: &ArgMatches) -> Vec<(String, String)> {
        let grid = &self.grid;
        let joined = |texts: Vec<String>| texts.join(", ");
        let mut rows = vec![
            ("targets", joined(grid.targets.iter().map(|target| format!("{}={}", target.name, target.host)).collect())),
            ("loads", joined(grid.points.iter().map(|point| format!("({point})")).collect())),
            ("repeat", grid.repeat.to_string()),
            ("rest", format!("{:?}", self.rest)),
        ]
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text))
        .collect::<Vec<_>>();
        let mut flags: Vec<(String, String)> = matches
            .ids()
            .map(clap::Id::as_str)
            .filter(|id| !NOT_OF_THE_PLAN.contains(id))
            .filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine))
            .filter_map(|id| {
                let values = matches.get_raw(id)?.map(|value| value.to_string_lossy().into_owned());
                Some((id.replace('_', "-"), values.collect::<Vec<_>>().join(", ")))
            })
            .collect();
        flags.sort();
        rows.extend(flags);
        rows
    }
}

fn format(name: Option<&str>) -> Result<TableFormat, UsageError> {
    name.map_or(Ok(TableFormat::default()), |name| word("--format", name))
}

/// Who is called: the targets by name, or HOST alone.
fn targets(args: &SweepArgs) -> Result<Vec<Target>, Problems> {
    let mut problems = Problems::new();
    let mut targets: Vec<Target> = Vec::new();
    match (&args.run.host, args.target.as_slice()) {
        (Some(host), []) => targets.push(Target { name: as_name(host), host: host.clone() }),
        (Some(host), _) => problems.push(UsageError::Conflict {
            one: format!("`{host}`"),
            other: "--target".to_owned(),
            because: "each of them says who is called",
        }),
        (None, []) => problems.push(UsageError::Missing {
            what: "--target",
            example: "name the servers, such as --target old=localhost:50051 --target new=localhost:50052",
        }),
        (None, _) => {}
    }
    for text in &args.target {
        let (name, host) =
            text.split_once('=').map_or_else(|| (as_name(text), text.as_str()), |(n, h)| (n.to_owned(), h));
        let is_name = !name.is_empty() && name.chars().all(of_names) && !name.starts_with('.');
        if host.is_empty() || !is_name {
            let rule = "it is NAME=HOST, and the name has letters, digits, dots, dashes and underscores";
            problems.push(invalid("--target", text, rule));
        } else if targets.iter().any(|target| target.name == name) {
            problems.push(invalid("--target", text, "each target has a name of its own"));
        }
        targets.push(Target { name, host: host.to_owned() });
    }
    problems.into_result()?;
    Ok(targets)
}

/// Whether it can be in the name of a target, which becomes part of the name of a file.
fn of_names(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_')
}

/// A host as a name.
fn as_name(host: &str) -> String {
    host.chars().map(|c| if of_names(c) { c } else { '-' }).collect()
}

/// The values of a flag that has several, each one once.
fn listed<T: PartialEq>(
    flag: &'static str,
    text: Option<&str>,
    read: impl Fn(&str) -> Result<T, UsageError>,
) -> Result<Vec<T>, Problems> {
    let mut problems = Problems::new();
    let mut values = Vec::new();
    for part in text.into_iter().flat_map(|text| text.split(',')) {
        match problems.keep(read(part.trim())) {
            Some(value) if values.contains(&value) => {
                problems.push(invalid(flag, part, "each value of a sweep is there once"));
            }
            value => values.extend(value),
        }
    }
    problems.into_result()?;
    Ok(values)
}
