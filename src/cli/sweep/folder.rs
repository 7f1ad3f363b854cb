//! The folder of a sweep: a file that says what is swept, and a JSON report of each cell that has ended.
//!
//! A report is written beside its place and then moved there, so that what has the name of a cell is whole.

use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::super::stored;
use crate::error::{OutputError, Problems, SweepError};
use crate::export::Format;
use crate::files;
use crate::report::Report;
use crate::sweep::{Figures, Grid};

/// The file that says what is swept.
const PLAN: &str = "sweep.json";

/// An open folder.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Opens or makes the folder of the sweep that is described by `plan`.
    ///
    /// Errors when it holds something else.
    pub(super) fn open(path: &Path, plan: &[(String, String)]) -> Result<Folder, Problems> {
        let folder = Folder { path: path.to_owned() };
        let file = path.join(PLAN);
        match files::read_text(&file) {
            Ok(text) => folder.check(&text, plan)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => folder.begin(plan)?,
            Err(source) => return Err(OutputError::Unwritable { path: file, source }.into()),
        }
        Ok(folder)
    }

    /// All files of a sweep over `grid` in the folder at `path`.
    pub(super) fn files(path: &Path, grid: &Grid) -> Vec<PathBuf> {
        let folder = Folder { path: path.to_owned() };
        let cells = grid.cells().into_iter().map(|cell| folder.file(&grid.file_name(cell)));
        cells.chain([path.join(PLAN)]).collect()
    }

    /// The file of a cell.
    pub(super) fn file(&self, cell: &str) -> PathBuf {
        self.path.join(format!("{cell}.json"))
    }

    /// Whether the cell has ended.
    pub(super) fn has(&self, cell: &str) -> bool {
        self.file(cell).is_file()
    }

    /// Keeps the report of a cell.
    pub(super) fn keep(&self, cell: &str, report: &Report) -> Result<(), OutputError> {
        self.replace(&format!("{cell}.json"), |out| Format::Json.write(report, out))
    }

    /// The figures of a cell that has ended.
    pub(super) fn figures(&self, cell: &str) -> Result<Figures, SweepError> {
        let run = stored::read(&self.file(cell)).map_err(SweepError::NoReport)?;
        Ok(Figures::of(&run.report()))
    }

    fn begin(&self, plan: &[(String, String)]) -> Result<(), Problems> {
        let unwritable = |source| OutputError::Unwritable { path: self.path.clone(), source };
        fs::create_dir_all(&self.path).map_err(unwritable)?;
        if fs::read_dir(&self.path).map_err(unwritable)?.next().is_some() {
            return Err(SweepError::NoSweep { folder: self.path.display().to_string() }.into());
        }
        let object: Map<String, Value> =
            plan.iter().map(|(name, text)| (name.clone(), Value::String(text.clone()))).collect();
        let text = serde_json::to_string_pretty(&object).expect("texts can be written as JSON") + "\n";
        Ok(self.replace(PLAN, |out| out.write_all(text.as_bytes()))?)
    }

    /// Whether the folder was begun with the same `plan`.
    fn check(&self, text: &str, plan: &[(String, String)]) -> Result<(), SweepError> {
        let unreadable = |problem: String| {
            let file = self.path.join(PLAN).display().to_string();
            SweepError::Unreadable { file, problem }
        };
        let there: Map<String, Value> = serde_json::from_str(text).map_err(|error| unreadable(error.to_string()))?;
        let there: Vec<(String, String)> = there
            .into_iter()
            .map(|(name, value)| match value {
                Value::String(text) => Ok((name, text)),
                _ => Err(unreadable(format!("`{name}` is no text"))),
            })
            .collect::<Result<_, _>>()?;
        let differences = differences(&there, plan);
        if differences.is_empty() {
            return Ok(());
        }
        Err(SweepError::OtherPlan { folder: self.path.display().to_string(), differences })
    }

    fn replace(&self, name: &str, write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> Result<(), OutputError> {
        let (part, whole) = (self.path.join(format!("{name}.part")), self.path.join(name));
        let attempt = || {
            let mut out = BufWriter::new(fs::File::create(&part)?);
            write(&mut out)?;
            out.into_inner()?.sync_all()?;
            fs::rename(&part, &whole)
        };
        attempt().map_err(|source| OutputError::Unwritable { path: whole.clone(), source })
    }
}

/// What two plans have different, in a few words each.
fn differences(there: &[(String, String)], here: &[(String, String)]) -> Vec<String> {
    let text = |plan: &[(String, String)], name: &str| {
        let row = plan.iter().find(|(known, _)| known == name);
        row.map_or_else(|| "not given".to_owned(), |(_, text)| format!("`{text}`"))
    };
    let only_here = here.iter().filter(|(name, _)| there.iter().all(|(known, _)| known != name));
    let names = there.iter().chain(only_here).map(|(name, _)| name);
    names
        .map(|name| (name, text(there, name), text(here, name)))
        .filter(|(_, there, here)| there != here)
        .map(|(name, there, here)| format!("{name}: {there} there, {here} here"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(rows: &[(&str, &str)]) -> Vec<(String, String)> {
        rows.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    fn error(path: &Path, rows: &[(&str, &str)]) -> String {
        Folder::open(path, &plan(rows)).unwrap_err().to_string()
    }

    #[test]
    fn a_folder_is_of_one_plan() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/results");
        let rows = [("loads", "(10/s)"), ("call", "a.B.C")];
        Folder::open(&path, &plan(&rows)).unwrap();
        Folder::open(&path, &plan(&rows)).unwrap();
        let said = error(&path, &[("loads", "(20/s)"), ("timeout", "5s")]);
        for difference in [
            "loads: `(10/s)` there, `(20/s)` here",
            "call: `a.B.C` there, not given here",
            "timeout: not given there, `5s` here",
        ] {
            assert!(said.contains(difference), "{said}");
        }
    }

    #[test]
    fn a_folder_of_other_things_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("thesis.txt"), "years of work").unwrap();
        assert!(error(dir.path(), &[]).contains("is not empty"));
        fs::write(dir.path().join(PLAN), "{").unwrap();
        assert!(error(dir.path(), &[]).contains("does not say"));
        fs::write(dir.path().join(PLAN), r#"{"loads": 5}"#).unwrap();
        assert!(error(dir.path(), &[]).contains("`loads` is no text"));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_was_cut_off_has_not_the_name_of_a_cell() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("results");
        let folder = Folder::open(&path, &[]).unwrap();
        let broken = folder.replace("t_1.json", |out| {
            out.write_all(b"{")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(broken.is_err() && !folder.has("t_1"));
        folder.replace("t_1.json", |out| out.write_all(b"{}")).unwrap();
        assert!(folder.has("t_1"));
    }
}
