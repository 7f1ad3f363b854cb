//! Where a report goes: standard output, or a file.
//!
//! That the file can be written is found out before the run, so that a run is never lost to a wrong path. What it holds
//! stays there until the report is written, and a file that is not there is made only then.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::claims::Claims;
use super::stdout;
use crate::error::{OutputError, Problems, UsageError};
use crate::export::{Format, UnknownFormat};
use crate::report::Report;

/// A place for a report, in a format.
#[derive(Debug)]
pub(super) struct Output {
    format: Format,
    place: Place,
}

/// All places for a report.
#[derive(Debug)]
pub(super) struct Outputs {
    main: Output,
    others: Vec<(Format, Destination)>,
}

impl Outputs {
    /// Standard output or the file `path` in `format`, and for each of `others` (`FORMAT=FILE`) its file. All files are
    /// opened at once.
    pub(super) fn open(
        format: Format,
        path: Option<&Path>,
        others: &[String],
        claims: &mut Claims,
    ) -> Result<Outputs, Problems> {
        let mut problems = Problems::new();
        let main = problems.keep(Place::open(path, claims)).map(|place| Output { format, place });
        let mut places = Vec::new();
        for text in others {
            let Some((format, path)) = problems.keep(format_and_path(text)) else { continue };
            let destination = problems.keep(Destination::open("--out", &path, claims));
            places.extend(destination.map(|file| (format, file)));
        }
        problems.into_result()?;
        Ok(Outputs { main: main.expect("there were no problems"), others: places })
    }

    /// Whether any of the formats lists single calls.
    pub(super) fn lists_calls(&self) -> bool {
        let formats = self.others.iter().map(|(format, _)| format);
        formats.chain([&self.main.format]).any(|format| format.lists_calls())
    }

    /// Writes the report to every place, also when others do not take it.
    pub(super) fn write(self, report: &Report) -> Result<(), Problems> {
        let mut problems = Problems::new();
        for (format, mut file) in self.others {
            problems.keep(file.replace(|out| format.write(report, out)));
        }
        problems.keep(self.main.write(report));
        problems.into_result()
    }
}

/// `html=report.html`: a format, and a file for it.
fn format_and_path(text: &str) -> Result<(Format, PathBuf), UsageError> {
    let wrong = |rule: String| UsageError::Invalid { what: "--out", value: text.to_owned(), rule };
    let Some((format, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
        return Err(wrong("it is a format and a file, such as html=report.html".to_owned()));
    };
    let format = format.trim().to_ascii_lowercase().parse().map_err(|rule: UnknownFormat| wrong(rule.to_string()))?;
    Ok((format, PathBuf::from(path)))
}

impl Output {
    /// Writes the report.
    pub(super) fn write(self, report: &Report) -> Result<(), OutputError> {
        self.place.put(|out| self.format.write(report, out))
    }
}

/// Names of standard output.
const STANDARD_OUTPUT: [&str; 2] = ["-", "/dev/stdout"];

/// Standard output, or a file.
#[derive(Debug)]
pub(super) struct Place(Option<Destination>);

impl Place {
    /// Opens the file of `--output` at once. Standard output, also by another name, is no file to be opened anew: what
    /// stands there already stays.
    pub(super) fn open(path: Option<&Path>, claims: &mut Claims) -> Result<Place, Problems> {
        let Some(path) = path.filter(|path| !STANDARD_OUTPUT.iter().any(|name| path == &Path::new(name))) else {
            claims.write("standard output", Path::new(STANDARD_OUTPUT[1]))?;
            return Ok(Place(None));
        };
        Destination::open("--output", path, claims).map(|file| Place(Some(file)))
    }

    /// Puts there what `write` writes. If the file does not take it, it goes to standard output and the error is returned.
    pub(super) fn put(self, write: impl Fn(&mut dyn Write) -> io::Result<()>) -> Result<(), OutputError> {
        let Some(mut file) = self.0 else { return stdout::write(write) };
        file.replace(&write).or_else(|error| {
            stdout::write(write)?;
            Err(error)
        })
    }
}

/// A file that can be written, and still has its old content if it had any.
#[derive(Debug)]
pub(super) struct Destination {
    path: PathBuf,
    /// Open, if it was there before.
    file: Option<File>,
}

impl Destination {
    /// Opens the file that `what` names, unless another flag is about it.
    pub(super) fn open(what: &'static str, path: &Path, claims: &mut Claims) -> Result<Destination, Problems> {
        claims.write(what, path)?;
        Ok(Destination::at(path)?)
    }

    fn at(path: &Path) -> Result<Destination, OutputError> {
        let open = || match OpenOptions::new().write(true).create_new(true).open(path) {
            // It can be made. Until there is something for it, no interrupt shall leave an empty one behind.
            Ok(_) => std::fs::remove_file(path).map(|()| None),
            // Opening the path itself, and not a neighbour that is renamed later, keeps links, owners and devices as they are.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // A link whose file is not there is made good, too.
                OpenOptions::new().write(true).create(true).truncate(false).open(path).map(Some)
            }
            Err(error) => Err(error),
        };
        match open() {
            Ok(file) => Ok(Destination { path: path.to_owned(), file }),
            Err(source) => Err(OutputError::Unwritable { path: path.to_owned(), source }),
        }
    }

    /// Puts what `write` writes in the place of the old content.
    pub(super) fn replace(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), OutputError> {
        let attempt = || {
            let file = match &self.file {
                Some(file) => file,
                None => &File::create(&self.path)?,
            };
            // Pipes and devices have no length to set.
            if file.metadata()?.is_file() {
                file.set_len(0)?;
            }
            let mut out = BufWriter::new(file);
            write(&mut out)?;
            out.flush()
        };
        attempt().map_err(|source| OutputError::Unwritable { path: self.path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_content_stays_until_the_report_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.json");
        std::fs::write(&path, "a longer old report").unwrap();

        let mut file = Destination::at(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a longer old report");
        file.replace(|out| out.write_all(b"new")).unwrap();
        drop(file);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");

        drop(Destination::at(&path).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new", "a run that failed leaves it alone");
    }

    #[test]
    fn a_file_is_there_when_something_is_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.json");
        let mut file = Destination::at(&path).unwrap();
        assert!(!path.exists(), "whatever ends this process now leaves nothing behind");
        file.replace(|out| out.write_all(b"a report")).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a report");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_found_at_once() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Destination::at(dir.path()).is_err(), "a folder");
        assert!(Destination::at(&dir.path().join("no/run.json")).is_err(), "no such folder");
    }
}
