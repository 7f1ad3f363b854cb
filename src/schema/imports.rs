//! All files that a set of files needs: imports are followed, each file is read once.
//!
//! A file is known by where it is, not by what it is called: two import names, links or spellings that lead to the same
//! file give one file, as its definitions would clash with themselves otherwise. The files of `google/protobuf` are
//! built in, and a copy on disk gives way to them for the same reason.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use prost_reflect::prost_types::FileDescriptorProto;
use protox::file::{FileResolver, GoogleFileResolver};

use crate::error::{Problems, SchemaError};

use super::proto::ProtoFile;
use super::roots::{Roots, identity};

/// Files in an order in which each comes after all that it imports.
#[derive(Debug, Default)]
pub(super) struct Closure {
    /// The files.
    pub(super) files: Vec<Loaded>,
    /// Imports that are nowhere; the files don't list them any more.
    pub(super) missing: Vec<Missing>,
}

/// A file of a closure.
#[derive(Debug)]
pub(super) struct Loaded {
    /// What it defines, under the name that the closure knows it by.
    pub(super) descriptor: FileDescriptorProto,
    /// What it was parsed from; `None` for built-in files.
    pub(super) source: Option<ProtoFile>,
}

/// An import that is nowhere.
#[derive(Debug)]
pub(super) struct Missing {
    /// The import as it is written.
    pub(super) import: String,
    /// The name of the file that has it.
    pub(super) importer: String,
    /// Which of the imports of that file it is.
    pub(super) index: usize,
}

impl Closure {
    /// Reads `protos` and all that they import. Each path is taken as it stands, or else below a root.
    pub(super) fn load(protos: &[PathBuf], roots: &Roots) -> Result<Closure, Problems> {
        let mut loader = Loader {
            roots,
            builtin: GoogleFileResolver::new(),
            names: HashMap::new(),
            taken: HashSet::new(),
            open: Vec::new(),
            closure: Closure::default(),
            problems: Problems::new(),
        };
        for path in protos {
            let found = if path.exists() { Some(path.clone()) } else { roots.find(path) };
            match found {
                Some(found) => {
                    let name = roots.import_name(&found).unwrap_or_else(|| found.display().to_string());
                    loader.load(found, name);
                }
                None => loader.problems.push(SchemaError::ProtoNotFound {
                    path: path.clone(),
                    tried: if path.is_absolute() { Vec::new() } else { roots.folders().to_vec() },
                }),
            }
        }
        loader.problems.into_result()?;
        Ok(loader.closure)
    }

    /// The file called `name`.
    pub(super) fn file(&self, name: &str) -> Option<&Loaded> {
        self.files.iter().find(|file| file.descriptor.name() == name)
    }
}

struct Loader<'a> {
    roots: &'a Roots,
    builtin: GoogleFileResolver,
    /// What each file that was met is called; `None` for those with mistakes.
    names: HashMap<PathBuf, Option<String>>,
    /// Names in use.
    taken: HashSet<String>,
    /// The files whose imports are being followed: where they are, and what they are called.
    open: Vec<(PathBuf, String)>,
    closure: Closure,
    problems: Problems,
}

impl Loader<'_> {
    /// Loads a file with all its imports; returns what it is called from then on, `None` if it has mistakes.
    fn load(&mut self, path: PathBuf, name: String) -> Option<String> {
        let place = identity(&path);
        if let Some(known) = self.names.get(&place) {
            return known.clone();
        }
        self.names.insert(place.clone(), None);
        let mut source = self.problems.keep(ProtoFile::read(path))?;
        if let Some(builtin) = builtin_name(&source) {
            self.names.insert(place, Some(builtin.clone()));
            return self.load_builtin(&builtin);
        }
        let name = if self.taken.insert(name.clone()) { name } else { source.path.display().to_string() };

        self.open.push((place.clone(), name.clone()));
        let mut descriptor = std::mem::take(&mut source.descriptor);
        // Import statements are found by it, and nothing else of the descriptor is asked of the source.
        source.descriptor.source_code_info.clone_from(&descriptor.source_code_info);
        let imports = std::mem::take(&mut descriptor.dependency);
        let mut resolved = Vec::with_capacity(imports.len());
        let mut sound = true;
        for (index, import) in imports.iter().enumerate() {
            let found = self.resolve(import, &source, index);
            sound &= !matches!(found, Import::Bad);
            if matches!(found, Import::Nowhere) {
                self.closure.missing.push(Missing { import: import.clone(), importer: name.clone(), index });
            }
            resolved.push(if let Import::Found(name) = found { Some(name) } else { None });
        }
        self.open.pop();
        if !sound {
            return None;
        }
        set_imports(&mut descriptor, resolved);
        descriptor.name = Some(name.clone());
        self.closure.files.push(Loaded { descriptor, source: Some(source) });
        self.names.insert(place, Some(name.clone()));
        Some(name)
    }

    fn resolve(&mut self, import: &str, importer: &ProtoFile, index: usize) -> Import {
        if let Some(name) = self.load_builtin(import) {
            return Import::Found(name);
        }
        let Some(path) = self.roots.find(Path::new(import)) else { return Import::Nowhere };
        let place = identity(&path);
        if let Some(start) = self.open.iter().position(|(open, _)| *open == place) {
            let circle = self.open[start..].iter().chain([&self.open[start]]);
            self.problems.push(SchemaError::ImportCycle {
                chain: circle.map(|(_, name)| name.clone()).collect(),
                excerpt: importer.import_excerpt(index, "this import closes the circle"),
            });
            return Import::Bad;
        }
        self.load(path, import.to_owned()).map_or(Import::Bad, Import::Found)
    }

    /// Loads a file of `google/protobuf` by its import name; `None` if there is none of that name.
    fn load_builtin(&mut self, name: &str) -> Option<String> {
        let file = self.builtin.open_file(name).ok()?;
        if self.taken.insert(name.to_owned()) {
            let descriptor = file.file_descriptor_proto().clone();
            for import in &descriptor.dependency {
                self.load_builtin(import);
            }
            self.closure.files.push(Loaded { descriptor, source: None });
        }
        Some(name.to_owned())
    }
}

enum Import {
    /// It is called so.
    Found(String),
    /// It was found, and has mistakes, or closes a circle.
    Bad,
    /// It was not found.
    Nowhere,
}

/// The built-in file that `source` is a copy of.
fn builtin_name(source: &ProtoFile) -> Option<String> {
    let file = source.path.file_name()?.to_str()?;
    let folder = match source.descriptor.package() {
        "google.protobuf" => "google/protobuf",
        "google.protobuf.compiler" => "google/protobuf/compiler",
        _ => return None,
    };
    let name = format!("{folder}/{file}");
    GoogleFileResolver::new().open_file(&name).ok().map(|_| name)
}

/// Sets the imports to those that were found, each once, and carries over which are public or weak.
pub(super) fn set_imports(descriptor: &mut FileDescriptorProto, resolved: Vec<Option<String>>) {
    let mut imports: Vec<String> = Vec::with_capacity(resolved.len());
    let mut moved = Vec::with_capacity(resolved.len());
    for import in resolved {
        moved.push(import.map(|import| {
            imports.iter().position(|known| *known == import).unwrap_or_else(|| {
                imports.push(import);
                imports.len() - 1
            })
        }));
    }
    let renumber = |indices: &mut Vec<i32>| {
        *indices = indices
            .iter()
            .filter_map(|index| *moved.get(usize::try_from(*index).ok()?)?)
            .filter_map(|index| i32::try_from(index).ok())
            .collect();
    };
    renumber(&mut descriptor.public_dependency);
    renumber(&mut descriptor.weak_dependency);
    descriptor.dependency = imports;
}
