//! The files that a command line names: what is written by one flag is neither read nor written by another.
//!
//! A report that took the place of the log beside it, or of the report that it was made from, would be lost.

use std::fs;
use std::path::{Path, PathBuf};

use super::args::{RunArgs, SchemaArgs};
use crate::error::UsageError;

/// Files that have a use.
#[derive(Default, Debug)]
pub(super) struct Claims(Vec<Claim>);

#[derive(Debug)]
struct Claim {
    file: Identity,
    /// What names it: `--junit`.
    what: &'static str,
    written: bool,
}

impl Claims {
    /// The files that a run reads.
    pub(super) fn of_run(args: &RunArgs) -> Claims {
        let mut claims = Claims::of_schema(&args.schema);
        let inline = args.data.as_deref().and_then(|data| data.strip_prefix('@')).map(PathBuf::from);
        for (what, path) in [
            ("--data", &inline),
            ("--data-file", &args.data_file),
            ("--binary-file", &args.binary_file),
            ("--metadata-file", &args.metadata_file),
            ("--config", &args.config),
            ("--cacert", &args.reach.cacert),
            ("--cert", &args.reach.cert),
            ("--key", &args.reach.key),
        ] {
            claims.read(what, path.as_slice());
        }
        claims
    }

    /// The files that a schema is read from.
    pub(super) fn of_schema(schema: &SchemaArgs) -> Claims {
        let mut claims = Claims::default();
        claims.read("--proto", &schema.proto);
        claims.read("--protoset", &schema.protoset);
        claims
    }

    /// Notes that `what` names `paths`, to be read.
    pub(super) fn read(&mut self, what: &'static str, paths: &[PathBuf]) {
        let files = paths.iter().filter_map(|path| identity(path));
        self.0.extend(files.map(|file| Claim { file, what, written: false }));
    }

    /// Notes that `what` names `path`, to be written. Errors if something else names that file.
    pub(super) fn write(&mut self, what: &'static str, path: &Path) -> Result<(), UsageError> {
        let Some(file) = identity(path) else { return Ok(()) };
        if let Some(other) = self.0.iter().find(|claim| claim.file == file) {
            let path = path.display().to_string();
            return Err(UsageError::FileTaken { path, what, other: other.what, written: other.written });
        }
        self.0.push(Claim { file, what, written: true });
        Ok(())
    }
}

/// The first of `paths` that is the same file as one before it.
pub(super) fn repeated(paths: &[PathBuf]) -> Option<&Path> {
    let mut seen = Vec::new();
    paths.iter().map(PathBuf::as_path).find(|path| {
        identity(path).is_some_and(|file| {
            let again = seen.contains(&file);
            seen.push(file);
            again
        })
    })
}

/// What makes a file the same, however it is called.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Identity {
    /// Of one that is there: its device and its number on it, which hard links share.
    #[cfg(unix)]
    There(u64, u64),
    /// Its whole path.
    At(PathBuf),
}

/// None for what can be shared: devices, pipes, standard input.
fn identity(path: &Path) -> Option<Identity> {
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => None,
        #[cfg(unix)]
        Ok(there) => {
            use std::os::unix::fs::MetadataExt as _;
            Some(Identity::There(there.dev(), there.ino()))
        }
        #[cfg(not(unix))]
        Ok(_) => fs::canonicalize(path).ok().map(Identity::At),
        Err(_) => {
            let name = path.file_name().filter(|_| path != Path::new("-"))?;
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(Identity::At(fs::canonicalize(parent).ok()?.join(name)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_by_any_name_has_one_writer() {
        let dir = tempfile::tempdir().unwrap();
        let there = dir.path().join("there");
        fs::write(&there, "").unwrap();
        let absent = dir.path().join("absent");
        let detour = |path: &Path| dir.path().join(".").join(path.file_name().unwrap());
        for path in [&there, &absent] {
            let mut claims = Claims::default();
            claims.write("--output", path).unwrap();
            let error = claims.write("--junit", &detour(path)).unwrap_err();
            assert!(matches!(error, UsageError::FileTaken { what: "--junit", other: "--output", written: true, .. }));
            claims.write("--debug", &dir.path().join("another")).unwrap();
        }
    }

    #[test]
    fn what_is_read_is_not_written_and_may_be_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("data.json");
        fs::write(&file, "{}").unwrap();
        let mut claims = Claims::default();
        for what in ["--data-file", "--metadata-file"] {
            claims.read(what, std::slice::from_ref(&file));
        }
        let error = claims.write("--output", &file).unwrap_err();
        assert!(matches!(error, UsageError::FileTaken { other: "--data-file", written: false, .. }));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let [file, hard, soft] = ["file", "hard", "soft"].map(|name| dir.path().join(name));
        fs::write(&file, "").unwrap();
        fs::hard_link(&file, &hard).unwrap();
        std::os::unix::fs::symlink(&file, &soft).unwrap();
        assert_eq!(repeated(&[file.clone(), hard.clone()]), Some(hard.as_path()));
        assert_eq!(repeated(&[file, soft.clone()]), Some(soft.as_path()));
    }

    #[test]
    fn devices_are_for_everybody() {
        let mut claims = Claims::default();
        for what in ["--output", "--junit"] {
            claims.write(what, Path::new("/dev/null")).unwrap();
        }
    }

    #[test]
    fn a_file_that_is_named_twice_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| dir.path().join(name));
        fs::write(&a, "").unwrap();
        fs::write(&b, "").unwrap();
        assert_eq!(repeated(&[a.clone(), b.clone()]), None);
        let again = dir.path().join("./a");
        assert_eq!(repeated(&[a, b, again.clone()]), Some(again.as_path()));
        assert_eq!(repeated(&["-".into(), "-".into()]), None, "standard input has its own rule");
    }
}
