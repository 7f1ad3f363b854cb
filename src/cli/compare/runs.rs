//! The runs of a comparison: read from their files, and put into columns.

use std::path::{Path, PathBuf};

use super::super::args::CompareArgs;
use super::super::expect::Gate;
use super::super::stored;
use crate::error::{GateError, Problems};
use crate::report::Report;
use crate::report::compare::Column;

/// A run and the file that holds it.
pub(super) struct Run {
    pub(super) name: String,
    /// Whether that name was given to the run, and is not that of its file.
    named: bool,
    path: PathBuf,
    pub(super) report: Report,
}

impl Run {
    /// All runs in the files, held against what is expected.
    pub(super) fn all(paths: Vec<PathBuf>, gate: &Gate) -> Result<Vec<Run>, Problems> {
        let mut problems = Problems::new();
        problems.keep(stored::once(&paths));
        let mut runs = Vec::new();
        for path in paths {
            runs.extend(problems.keep(Run::read(path, gate)));
        }
        problems.into_result()?;
        Ok(runs)
    }

    fn read(path: PathBuf, gate: &Gate) -> Result<Run, Problems> {
        let report = stored::read(&path)?.report();
        gate.check(report.setup.is_open(), report.streams.is_some())?;
        let report = report.expecting(&gate.expectations);
        let given = report.setup.about.name.clone().filter(|name| !name.is_empty());
        let of_file = || path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Run { named: given.is_some(), name: given.unwrap_or_else(of_file), path, report })
    }

    /// Whether that is its name, or the one of its file.
    fn is(&self, name: &str) -> bool {
        self.name == name || self.path == Path::new(name)
    }
}

/// The files that `args` name.
pub(super) fn files(args: &CompareArgs) -> Vec<PathBuf> {
    if args.files.is_empty() { args.a.iter().chain(&args.b).map(PathBuf::from).collect() } else { args.files.clone() }
}

/// The runs in columns: those of a group, or those of a name; what the others are held against comes first.
pub(super) fn columns<'a>(args: &CompareArgs, runs: &'a [Run]) -> Result<Vec<Column<'a>>, Problems> {
    let mut columns = if args.a.is_empty() && args.b.is_empty() { by_name(runs) } else { groups(args, runs)? };
    if columns.len() < 2 {
        return Err(GateError::TooFewRuns { what: "compare", least: 2, given: columns.len() }.into());
    }
    if let Some(name) = &args.baseline {
        let at = columns.iter().position(|column| column.name == *name).ok_or_else(|| GateError::NoSuchRun {
            what: "--baseline",
            name: name.clone(),
            known: columns.iter().map(|column| column.name.clone()).collect(),
        })?;
        columns[..=at].rotate_right(1);
    }
    Ok(columns)
}

/// A column for each name. Files may be named alike and are still different runs.
fn by_name(runs: &[Run]) -> Vec<Column<'_>> {
    let mut columns: Vec<Column<'_>> = Vec::new();
    for run in runs {
        match columns.iter_mut().find(|column| column.name == run.name) {
            Some(column) if run.named => column.runs.push(&run.report),
            Some(_) => columns.push(Column { name: run.path.display().to_string(), runs: vec![&run.report] }),
            None => columns.push(Column { name: run.name.clone(), runs: vec![&run.report] }),
        }
    }
    columns
}

/// The two columns that `--a` and `--b` make.
fn groups<'a>(args: &CompareArgs, runs: &'a [Run]) -> Result<Vec<Column<'a>>, Problems> {
    let mut problems = Problems::new();
    let mut groups: Vec<Vec<&Run>> = Vec::new();
    let mut files = runs.iter();
    for (what, names) in [("--a", &args.a), ("--b", &args.b)] {
        if names.is_empty() {
            problems.push(GateError::TooFewRuns { what, least: 1, given: 0 });
        }
        if args.files.is_empty() {
            groups.push(files.by_ref().take(names.len()).collect());
            continue;
        }
        for name in names.iter().filter(|name| !runs.iter().any(|run| run.is(name))) {
            let known = by_name(runs).into_iter().map(|column| column.name).collect();
            problems.push(GateError::NoSuchRun { what, name: name.clone(), known });
        }
        groups.push(runs.iter().filter(|run| names.iter().any(|name| run.is(name))).collect());
    }
    problems.into_result()?;
    let mut names = [one_name(&groups[0]).unwrap_or("a"), one_name(&groups[1]).unwrap_or("b")];
    if names[0] == names[1] {
        names = ["a", "b"];
    }
    let columns = names
        .into_iter()
        .zip(&groups)
        .map(|(name, runs)| Column { name: name.to_owned(), runs: runs.iter().map(|run| &run.report).collect() });
    Ok(columns.collect())
}

/// The name that all runs of a group have.
fn one_name<'a>(runs: &[&'a Run]) -> Option<&'a str> {
    let (first, rest) = runs.split_first()?;
    rest.iter().all(|run| run.name == first.name).then_some(first.name.as_str())
}
