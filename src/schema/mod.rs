//! Names to descriptors: a schema from `.proto` files, descriptor sets, or the server itself, and the methods in it.
//!
//! Everything is decided here, before the first call is made; mistakes come as [`Problems`] that show the place in the
//! file. Nothing here panics on what a file or a server says, or prints. Only `reflection` knows the network.

mod assemble;
mod describe;
mod head;
mod imports;
mod library;
mod link;
mod method;
mod names;
mod near;
mod proto;
mod protoset;
mod reflection;
mod roots;
mod scope;
mod sound;
mod symbol;
mod template;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prost_reflect::DescriptorPool;

use crate::error::{Problems, SchemaError};
use crate::transport::Target;

use imports::Closure;
use library::{Library, Linked};
use names::ServiceNames;
use proto::ProtoFile;
use reflection::Wanted;
use roots::{NoRoot, Roots};

pub use method::{Kind, Method};
pub(crate) use near::near;
pub use scope::Scope;
pub use symbol::Symbol;

/// Where a schema comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// From `.proto` files.
    Protos {
        /// The files.
        files: Vec<PathBuf>,
        /// The folders that imports are looked for in, beside the usual ones.
        roots: Vec<PathBuf>,
    },
    /// From descriptor sets in files.
    Protosets(Vec<PathBuf>),
    /// From the server.
    Reflection {
        /// Metadata of the questions.
        metadata: Vec<(String, Vec<u8>)>,
    },
}

/// What a server is asked for: it is not made to tell all it knows for the sake of one method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ask<'a> {
    /// The names of the services.
    Names,
    /// A method as people write it.
    Method(&'a str),
    /// A service, method, message or enum.
    Symbol(&'a str),
    /// Everything.
    Everything,
}

/// A set of files with all that they import.
#[derive(Clone)]
pub struct Schema {
    files: Files,
    notes: Vec<Note>,
}

#[derive(Clone)]
enum Files {
    /// Linked, all of them.
    Linked(DescriptorPool),
    /// To be linked as far as they are needed.
    Unlinked(Arc<Library>),
    /// The same, from a server, which lists these services.
    Reflected(Arc<Library>, Vec<String>),
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

/// Only how many files: descriptors print all that they lead to, without end if a message has itself inside.
impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = match &self.files {
            Files::Linked(pool) => pool.files().len(),
            Files::Unlinked(library) | Files::Reflected(library, _) => library.len(),
        };
        f.debug_struct("Schema").field("files", &count).field("notes", &self.notes).finish()
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
        Ok(Schema { files: Files::Linked(pool), notes })
    }

    /// The same files as a `FileDescriptorSet` that has their custom options too, which a schema does without. `None` if
    /// these are not sound, or need an import that is nowhere; [`descriptor_set`](Schema::descriptor_set) is what there
    /// is then.
    pub fn set_with_options(protos: &[PathBuf], roots: &[PathBuf]) -> Option<Vec<u8>> {
        let (roots, _) = Roots::new(protos, roots);
        let closure = Closure::load(protos, &roots).ok()?;
        link::link_with_options(&closure).map(|pool| pool.encode_to_vec())
    }

    /// Reads descriptor sets: what `protoc --descriptor_set_out` and `buf build` write, also several of them in one file.
    ///
    /// Errors: files that cannot be read or are something else; two different files of one name. Editions, missing
    /// imports and the like are errors when something of such a file is asked for, and not before.
    pub fn protosets(paths: &[PathBuf]) -> Result<Schema, Problems> {
        let library = protoset::read(paths)?;
        Ok(Schema { files: Files::Unlinked(Arc::new(library)), notes: Vec::new() })
    }

    /// Asks `target`, whose security has been found out, by server reflection, v1 or else v1alpha, with `metadata` on
    /// the questions. Blocks this thread, at most twice the target's connect timeout.
    ///
    /// Errors: a target that cannot be reached, has no reflection, refuses it or takes too long. A name that the server
    /// does not know is an error when it is asked for here.
    pub fn reflect(target: &Target, metadata: &[(String, Vec<u8>)], ask: Ask<'_>) -> Result<Schema, Problems> {
        let told = match ask {
            Ask::Names => reflection::ask(target, metadata, Wanted::Names),
            Ask::Everything => reflection::ask(target, metadata, Wanted::Everything),
            Ask::Method(call) => {
                // The second is for who has left out the method: then its service can be told.
                let service = names::service_of(call).map_err(|error| *error)?;
                reflection::ask(target, metadata, Wanted::FirstOf(&[service, names::undotted(call)]))
            }
            Ask::Symbol(symbol) => {
                let dotted = names::undotted(symbol).replace('/', ".");
                // Not every server knows methods by their names, but all know the service.
                let around = dotted.rsplit_once('.').map(|(around, _)| around);
                let symbols: Vec<&str> = [dotted.as_str()].into_iter().chain(around).collect();
                reflection::ask(target, metadata, Wanted::FirstOf(&symbols))
            }
        }?;
        Ok(Schema { files: Files::Reflected(Arc::new(told.library), told.listed), notes: Vec::new() })
    }

    /// Whether `call` is written as a method at all, where no schema is known yet.
    pub fn check_call(call: &str) -> Result<(), Problems> {
        names::service_of(call).map(|_| ()).map_err(|error| (*error).into())
    }

    /// Finds the method called `call`: `package.Service.Method` or `package.Service/Method`, also with a leading dot or
    /// slash, in any of the files, imported ones included. Names are case-sensitive.
    pub fn method(&self, call: &str) -> Result<Method, Problems> {
        let services = self.service_names();
        let (service, method) = names::resolve(&services, call).map_err(|error| self.told_of(*error))?;
        let Linked { pool, left_out } = self.linked_with(service)?;
        let found = pool.get_service_by_name(service);
        let found = found.and_then(|found| found.methods().find(|known| known.name() == method));
        let descriptor = found
            .ok_or_else(|| SchemaError::UnknownSymbol { symbol: format!("{service}.{method}"), near: Vec::new() })?;
        Ok(Method::new(descriptor, Scope::new(pool, self.library().cloned()), notes_on(left_out)))
    }

    /// The names of all services, in order.
    pub fn services(&self) -> Vec<String> {
        let mut services: Vec<String> = self.service_names().into_iter().map(|known| known.service).collect();
        if let Files::Reflected(_, listed) = &self.files {
            services.extend(listed.iter().cloned());
        }
        services.sort_unstable();
        services.dedup();
        services
    }

    /// The service, method, message or enum called `name`, with its package.
    pub fn symbol(&self, name: &str) -> Result<Symbol, Problems> {
        let dotted = names::undotted(name).replace('/', ".");
        let around = dotted.rsplit_once('.').map(|(around, _)| around);
        let place = [Some(dotted.as_str()), around].into_iter().flatten().find(|name| self.defines(name));
        let linked = place.map(|place| self.linked_with(place)).transpose()?;
        let found = linked.and_then(|linked| {
            let scope = Scope::new(linked.pool.clone(), self.library().cloned());
            Symbol::find(&linked.pool, &dotted, scope, notes_on(linked.left_out))
        });
        Ok(found.ok_or_else(|| self.unknown(dotted.clone()))?)
    }

    /// All files as a `FileDescriptorSet`, each after those that it imports.
    ///
    /// Errors when files of a set import each other in a circle.
    pub fn descriptor_set(&self) -> Result<Vec<u8>, Problems> {
        match &self.files {
            Files::Linked(pool) => Ok(pool.encode_to_vec()),
            Files::Unlinked(library) | Files::Reflected(library, _) => library.descriptor_set(),
        }
    }

    /// What a user may want to know about the files.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

impl Schema {
    fn library(&self) -> Option<&Arc<Library>> {
        match &self.files {
            Files::Linked(_) => None,
            Files::Unlinked(library) | Files::Reflected(library, _) => Some(library),
        }
    }

    fn service_names(&self) -> Vec<ServiceNames> {
        match &self.files {
            Files::Linked(pool) => pool.services().map(|service| ServiceNames::of(&service)).collect(),
            Files::Unlinked(library) | Files::Reflected(library, _) => library.services(),
        }
    }

    fn all_names(&self) -> Vec<String> {
        match &self.files {
            Files::Linked(pool) => {
                let services = pool.services().map(|service| service.full_name().to_owned());
                let messages = pool.all_messages().filter(|message| !message.is_map_entry());
                let messages = messages.map(|message| message.full_name().to_owned());
                services.chain(messages).chain(pool.all_enums().map(|found| found.full_name().to_owned())).collect()
            }
            Files::Unlinked(library) | Files::Reflected(library, _) => library.all_names(),
        }
    }

    /// Whether a file defines `name` as something other than a method.
    fn defines(&self, name: &str) -> bool {
        match &self.files {
            Files::Linked(pool) => {
                pool.get_service_by_name(name).is_some()
                    || pool.get_message_by_name(name).is_some()
                    || pool.get_enum_by_name(name).is_some()
            }
            Files::Unlinked(library) | Files::Reflected(library, _) => library.find(name).is_some(),
        }
    }

    /// The file that defines `name`, linked with all that it needs.
    fn linked_with(&self, name: &str) -> Result<Linked, Problems> {
        match &self.files {
            Files::Linked(pool) => Ok(Linked { pool: pool.clone(), left_out: Vec::new() }),
            Files::Unlinked(library) | Files::Reflected(library, _) => {
                let places: Vec<usize> = library.find(name).map(|(place, _)| place).into_iter().collect();
                library.link(&places)
            }
        }
    }

    /// What to say of a symbol that is not there.
    fn unknown(&self, symbol: String) -> SchemaError {
        // Of a service that is there, its methods say more than other names.
        if let Err(error) = names::resolve(&self.service_names(), &symbol)
            && matches!(*error, SchemaError::UnknownMethod { .. })
        {
            return *error;
        }
        let known = self.all_names();
        let near = names::likely(&symbol, known.iter().map(String::as_str));
        self.told_of(SchemaError::UnknownSymbol { symbol, near })
    }

    /// The error that says where a name was looked for. A server that has told something of it was asked for no list.
    fn told_of(&self, error: SchemaError) -> SchemaError {
        let listed = match &self.files {
            Files::Reflected(library, listed) if library.len() == 0 => listed,
            _ => return error,
        };
        match error {
            SchemaError::UnknownService { service: symbol, .. } | SchemaError::UnknownSymbol { symbol, .. } => {
                let near = names::likely(&symbol, listed.iter().map(String::as_str));
                SchemaError::NotReflected { symbol, near, known: listed.clone() }
            }
            other => other,
        }
    }
}

fn notes_on(left_out: Vec<(String, String)>) -> Vec<Note> {
    left_out.into_iter().map(|(import, importer)| Note::ImportLeftOut { import, importer: importer.into() }).collect()
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
