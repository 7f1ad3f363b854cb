//! Names to descriptors: schemas from `.proto` files, and the methods in them.
//!
//! Everything is decided here, before a connection is made; mistakes come as [`Problems`] that show the place in the
//! file. Nothing here panics on what a file says, or prints.

mod imports;
mod link;
mod method;
mod near;
mod roots;
mod proto;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use prost_reflect::DescriptorPool;

use crate::error::{Problems, SchemaError};

use imports::Closure;
use roots::{NoRoot, Roots};
use proto::ProtoFile;

pub use method::{Kind, Method};
pub(crate) use near::near;

/// A set of files with all that they import.
#[derive(Clone)]
pub struct Schema {
    pool: DescriptorPool,
    notes: Vec<Note>,
}

/// Something about the files that does not keep them from being used, and that a user may want to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Note {
    /// An import is nowhere; since only custom options can have needed it, it was left out, and they with it.
    ImportLeftOut {
        /// The import as it is written.
        import: String,
        /// The file that has it.
        importer: PathBuf,
    },
    /// There is no such folder.
    RootMissing {
        /// The import root as it was given.
        path: PathBuf,
    },
}

/// Only the names of the files: descriptors print all that they lead to, without end if a message has itself inside.
impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<String> = self.pool.files().map(|file| file.name().to_owned()).collect();
        f.debug_struct("Schema").field("files", &files).field("notes", &self.notes).finish()
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::ImportLeftOut { import, importer } => write!(
                f,
                "`{import}`, imported by `{}`, was not found; no type needs it, and options that come from it are ignored",
                importer.display()
            ),
            Note::RootMissing { path } => write!(f, "the import root `{}` does not exist", path.display()),
        }
    }
}

impl Schema {
    /// Compiles `.proto` files. A path is taken as it stands, or else below a folder of `roots`.
    ///
    /// Imports are looked for next to the files named here, in the working directory, and under `roots`, in this order.
    /// Roots that don't exist are noted. An import that is nowhere is noted too, if only custom options need it.
    ///
    /// Errors: files that are missing, unreadable, not UTF-8, in an edition, or wrong; imports that are nowhere but
    /// needed; circles of imports; a root that is a file.
    pub fn compile(protos: &[PathBuf], roots: &[PathBuf]) -> Result<Schema, Problems> {
        let (roots, refused) = Roots::new(protos, roots);
        let mut notes = Vec::new();
        let mut problems = Problems::new();
        for refused in refused {
            match refused {
                NoRoot::Missing(path) => notes.push(Note::RootMissing { path }),
                NoRoot::File(path) => problems.push(SchemaError::RootIsFile { root: root_of(&path), path }),
            }
        }
        let closure = problems.keep(Closure::load(protos, &roots));
        problems.into_result()?;
        let mut closure = closure.unwrap_or_default();
        let pool = link::link(&mut closure, &roots)?;
        for missing in &closure.missing {
            let source = closure.file(&missing.importer).and_then(|file| file.source.as_ref());
            let importer = source.map_or_else(|| missing.importer.clone().into(), |source| source.path.clone());
            notes.push(Note::ImportLeftOut { import: missing.import.clone(), importer });
        }
        Ok(Schema { pool, notes })
    }

    /// Finds the method called `call`: `package.Service.Method` or `package.Service/Method`, also with a leading dot or
    /// slash, in any of the files, imported ones included. Names are case-sensitive.
    pub fn method(&self, call: &str) -> Result<Method, Problems> {
        Method::find(&self.pool, call)
    }

    /// What a user may want to know about the files.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

/// The folder that imports of the file at `path` start from, if its folder is named after its package.
fn root_of(path: &Path) -> Option<PathBuf> {
    let source = ProtoFile::read(path.to_owned()).ok()?;
    let mut root = path.parent()?;
    for part in source.descriptor.package().split('.').rev().filter(|part| !part.is_empty()) {
        if root.file_name()? != part {
            return None;
        }
        root = root.parent()?;
    }
    Some(root.to_owned())
}
