//! Where a report goes: standard output, or a file.
//!
//! That the file can be written is found out before the run, so that a run is never lost to a wrong path. What it holds
//! stays there until the report is written, and a file that is not there is made only then.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::stdout;
use crate::error::OutputError;
use crate::export::Format;
use crate::report::Report;

/// A place for a report, in a format.
#[derive(Debug)]
pub(super) struct Output {
    format: Format,
    place: Place,
}

impl Output {
    /// Standard output, or the file `path`, which is opened at once.
    pub(super) fn open(format: Format, path: Option<&Path>) -> Result<Output, OutputError> {
        Ok(Output { format, place: Place::open(path)? })
    }

    /// Writes the report.
    pub(super) fn write(self, report: &Report) -> Result<(), OutputError> {
        self.place.put(|out| self.format.write(report, out))
    }
}

/// Standard output, or a file.
#[derive(Debug)]
pub(super) struct Place(Option<Destination>);

impl Place {
    /// Opens the file at once.
    pub(super) fn open(path: Option<&Path>) -> Result<Place, OutputError> {
        Ok(Place(path.map(Destination::open).transpose()?))
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
    pub(super) fn open(path: &Path) -> Result<Destination, OutputError> {
        let open = || match OpenOptions::new().write(true).create_new(true).open(path) {
            // It can be made. Until there is something for it, no interrupt shall leave an empty one behind.
            Ok(_) => std::fs::remove_file(path).map(|()| None),
            // Opening the path itself, and not a neighbour that is renamed later, keeps links, owners and devices as they are.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                OpenOptions::new().write(true).open(path).map(Some)
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

        let mut file = Destination::open(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a longer old report");
        file.replace(|out| out.write_all(b"new")).unwrap();
        drop(file);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");

        drop(Destination::open(&path).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new", "a run that failed leaves it alone");
    }

    #[test]
    fn a_file_is_there_when_something_is_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.json");
        let mut file = Destination::open(&path).unwrap();
        assert!(!path.exists(), "whatever ends this process now leaves nothing behind");
        file.replace(|out| out.write_all(b"a report")).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a report");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_found_at_once() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Destination::open(dir.path()).is_err(), "a folder");
        assert!(Destination::open(&dir.path().join("no/run.json")).is_err(), "no such folder");
    }
}
