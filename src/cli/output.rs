//! Where a report goes: standard output, or a file.
//!
//! The file is opened before the run, so that a run is never lost to a wrong path. What it holds stays there until the
//! report is written, and a file that was made for a report that never came is removed again.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

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
        let Some(mut file) = self.0 else { return print(write) };
        file.replace(&write).or_else(|error| {
            print(write)?;
            Err(error)
        })
    }
}

/// Writes to standard output. A reader that has gone away (`| head`) has seen enough: no error.
fn print(write: impl Fn(&mut dyn Write) -> io::Result<()>) -> Result<(), OutputError> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => {
            Err(OutputError::Unwritable { path: PathBuf::from("standard output"), source })
        }
        _ => Ok(()),
    }
}

/// An open file that still has its old content.
#[derive(Debug)]
pub(super) struct Destination {
    path: PathBuf,
    file: File,
    /// It was made by us, and holds nothing yet.
    hollow: bool,
}

impl Destination {
    pub(super) fn open(path: &Path) -> Result<Destination, OutputError> {
        let made = OpenOptions::new().write(true).create_new(true).open(path);
        let hollow = made.is_ok();
        // Opening the path itself, and not a neighbour that is renamed later, keeps links, owners and devices as they are.
        let file = match made {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => OpenOptions::new().write(true).open(path),
            made => made,
        };
        match file {
            Ok(file) => Ok(Destination { path: path.to_owned(), file, hollow }),
            Err(source) => Err(OutputError::Unwritable { path: path.to_owned(), source }),
        }
    }

    /// Puts what `write` writes in the place of the old content.
    pub(super) fn replace(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), OutputError> {
        self.hollow = false;
        let attempt = || {
            // Pipes and devices have no length to set.
            if self.file.metadata()?.is_file() {
                self.file.set_len(0)?;
            }
            let mut out = BufWriter::new(&self.file);
            write(&mut out)?;
            out.flush()
        };
        attempt().map_err(|source| OutputError::Unwritable { path: self.path.clone(), source })
    }
}

impl Drop for Destination {
    fn drop(&mut self) {
        if self.hollow {
            // If it cannot be removed it stays empty, which harms nobody.
            let _ = std::fs::remove_file(&self.path);
        }
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
    fn a_file_made_for_nothing_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.json");
        let file = Destination::open(&path).unwrap();
        assert!(path.exists());
        drop(file);
        assert!(!path.exists());
    }

    #[test]
    fn a_file_that_cannot_be_written_is_found_at_once() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Destination::open(dir.path()).is_err(), "a folder");
        assert!(Destination::open(&dir.path().join("no/run.json")).is_err(), "no such folder");
    }
}
