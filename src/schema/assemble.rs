//! From files of a library to linked descriptors: what is needed, in the order in which it can be linked.
//!
//! Servers and tools hand out files that a compiler would not have made so: an import under a name that no file has,
//! though another file defines its types; imports that are nowhere and that only options needed. Whatever leaves each
//! type with exactly one meaning is linked.

use std::collections::{BTreeSet, HashMap, HashSet};

use miette::Diagnostic;
use prost_reflect::DescriptorPool;
use prost_reflect::prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto};

use crate::error::{Problems, SchemaError};

use super::head::qualified;
use super::imports::set_imports;
use super::library::{Library, Linked};
use super::link::{PublicImports, drop_custom_options, shared};
use super::sound::{self, Flaw};

/// Files of a library that are going to be linked, each after those that it imports.
pub(super) struct Assembly<'a> {
    library: &'a Library,
    files: Vec<Part>,
    left_out: Vec<(String, String)>,
}

/// A file that is going to be linked.
struct Part {
    place: usize,
    descriptor: FileDescriptorProto,
}

impl<'a> Assembly<'a> {
    /// The files at `places` with all that they import, and the files that extend messages of these.
    pub(super) fn of(library: &'a Library, places: &[usize]) -> Result<Assembly<'a>, Problems> {
        let mut assembly = Assembly { library, files: Vec::new(), left_out: Vec::new() };
        let mut wanted = places.to_vec();
        let mut moved = HashSet::new();
        // Each round can bring files that ask for more; all of them are in the next one.
        loop {
            let order = import_order(library, &wanted)?;
            let positions: HashMap<usize, usize> = order.iter().copied().zip(0..).collect();
            let mut parts = Vec::with_capacity(order.len());
            let mut more = Vec::new();
            for &place in &order {
                let descriptor = open(library, place)?;
                let strangers = assembly.strangers(&descriptor, place)?;
                // Those come before the file that names them, if they can: once each, as two files may name each other.
                let late = |stranger: &usize| positions.get(stranger).is_none_or(|at| *at > positions[&place]);
                more.extend(strangers.into_iter().filter(late).filter(|stranger| moved.insert(*stranger)));
                more.extend(extending(library, &descriptor).into_iter().filter(|file| !positions.contains_key(file)));
                parts.push(Part { place, descriptor });
            }
            if more.is_empty() {
                assembly.files = parts;
                return Ok(assembly);
            }
            more.extend(order);
            wanted = more;
        }
    }

    /// Links the files.
    pub(super) fn link(mut self) -> Result<Linked, Problems> {
        let mut pool = DescriptorPool::new();
        let mut public = PublicImports::default();
        let mut linked = HashSet::new();
        for Part { place, mut descriptor } in std::mem::take(&mut self.files) {
            self.mend_imports(&mut descriptor, &linked);
            public.replace(&mut descriptor);
            drop_custom_options(&mut descriptor, &mut BTreeSet::new());
            let name = descriptor.name().to_owned();
            let bad = |Flaw { problem, advice }| SchemaError::BadDescriptor {
                file: self.library.file(place).head.name.clone(),
                origin: self.library.file(place).origin.clone(),
                problem,
                advice,
            };
            sound::check(&descriptor).map_err(bad)?;
            pool.add_file_descriptor_proto(descriptor).map_err(|error| {
                let advice = error.help().map(|help| help.to_string());
                bad(Flaw { problem: error.to_string(), advice })
            })?;
            sound::check_linked(&pool, &name).map_err(bad)?;
            linked.insert(name);
        }
        self.left_out.sort_unstable();
        self.left_out.dedup_by(|later, earlier| later.0 == earlier.0);
        Ok(Linked { pool, left_out: self.left_out })
    }

    /// The files that define what `descriptor` names and does not import: only where an import of it is missing, for
    /// otherwise the linker has the last word.
    ///
    /// Errors when such a name is defined nowhere.
    fn strangers(&self, descriptor: &FileDescriptorProto, place: usize) -> Result<Vec<usize>, Problems> {
        let Some(import) = missing(self.library, descriptor).next() else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for name in named(descriptor) {
            match self.library.find(name) {
                Some((file, _)) if file == place => {}
                Some((file, _)) => found.push(file),
                None => {
                    let likely = missing(self.library, descriptor).max_by_key(|import| shared(name, import));
                    return Err(SchemaError::DependencyNotFound {
                        import: likely.unwrap_or(import).to_owned(),
                        importer: self.library.file(place).head.name.clone(),
                        origin: self.library.file(place).origin.clone(),
                        needed: name.to_owned(),
                    }
                    .into());
                }
            }
        }
        Ok(found)
    }

    /// Leaves imports out that are not there, and imports what is named though it was not imported.
    fn mend_imports(&mut self, descriptor: &mut FileDescriptorProto, linked: &HashSet<String>) {
        let missing: Vec<String> = missing(self.library, descriptor).map(str::to_owned).collect();
        let mut more = Vec::new();
        if !missing.is_empty() {
            let files = named(descriptor).filter_map(|name| self.library.find(name));
            more = files.map(|(place, _)| self.library.file(place).head.name.clone()).collect();
        }
        let imports = std::mem::take(&mut descriptor.dependency);
        let present = |import: String| Some(import).filter(|import| self.library.has_file(import));
        set_imports(descriptor, imports.into_iter().map(present).collect());
        for file in more {
            if linked.contains(&file) && !descriptor.dependency.contains(&file) {
                descriptor.dependency.push(file);
            }
        }
        self.left_out.extend(missing.into_iter().map(|import| (import, descriptor.name().to_owned())));
    }
}

/// The files at `places` with all that they import, each after those that it imports.
///
/// Errors when files import each other in a circle.
pub(super) fn import_order(library: &Library, places: &[usize]) -> Result<Vec<usize>, Problems> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; library.len()];
    let mut order = Vec::new();
    // Chains of imports may be as long as there are files, so they are followed without recursion: each open file with
    // the import that is looked at next.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for &start in places {
        if states[start] == State::New {
            states[start] = State::Open;
            open.push((start, 0));
        }
        while let Some((place, next)) = open.last_mut() {
            let Some(import) = library.file(*place).head.dependencies.get(*next) else {
                states[*place] = State::Done;
                order.push(*place);
                open.pop();
                continue;
            };
            *next += 1;
            let Some(import) = library.place(import) else { continue };
            match states[import] {
                State::Done => {}
                State::New => {
                    states[import] = State::Open;
                    open.push((import, 0));
                }
                State::Open => {
                    let start = open.iter().position(|(place, _)| *place == import).unwrap_or_default();
                    let circle = open[start..].iter().map(|(place, _)| *place).chain([import]);
                    let chain = circle.map(|place| library.file(place).head.name.clone()).collect();
                    return Err(SchemaError::ImportCycle { chain, excerpt: None }.into());
                }
            }
        }
    }
    Ok(order)
}

/// Reads a file, if it is of a kind that can be linked. The library panics on others.
fn open(library: &Library, place: usize) -> Result<FileDescriptorProto, Problems> {
    let file = library.file(place);
    if let Some(edition) = file.head.edition() {
        let (file, origin) = (file.head.name.clone(), file.origin.clone());
        return Err(SchemaError::DescriptorEdition { file, origin, edition }.into());
    }
    let mut descriptor = file.read()?;
    match &*file.head.syntax {
        // No syntax is proto2; some write it as an empty one.
        "" => descriptor.syntax = None,
        "proto2" | "proto3" => {}
        syntax => {
            return Err(SchemaError::UnknownSyntax {
                file: file.head.name.clone(),
                origin: file.origin.clone(),
                syntax: syntax.to_owned(),
            }
            .into());
        }
    }
    Ok(descriptor)
}

fn missing<'a>(library: &'a Library, descriptor: &'a FileDescriptorProto) -> impl Iterator<Item = &'a str> {
    descriptor.dependency.iter().map(String::as_str).filter(|import| !library.has_file(import))
}

/// The files that extend messages of `descriptor`.
fn extending(library: &Library, descriptor: &FileDescriptorProto) -> Vec<usize> {
    fn visit(library: &Library, scope: &str, messages: &[DescriptorProto], found: &mut Vec<usize>) {
        for message in messages.iter().filter(|message| !message.name().is_empty()) {
            let name = qualified(scope, message.name());
            found.extend(library.extending(&name));
            visit(library, &name, &message.nested_type, found);
        }
    }
    let mut found = Vec::new();
    visit(library, descriptor.package(), &descriptor.message_type, &mut found);
    found
}

/// The types that a file names with their packages, as compilers write all of them.
fn named(descriptor: &FileDescriptorProto) -> impl Iterator<Item = &str> {
    fn of_fields<'a>(fields: &'a [FieldDescriptorProto], found: &mut Vec<&'a str>) {
        found.extend(fields.iter().flat_map(|field| [field.type_name(), field.extendee()]));
    }
    fn of_messages<'a>(messages: &'a [DescriptorProto], found: &mut Vec<&'a str>) {
        for message in messages {
            of_fields(&message.field, found);
            of_fields(&message.extension, found);
            of_messages(&message.nested_type, found);
        }
    }
    let mut found = Vec::new();
    of_messages(&descriptor.message_type, &mut found);
    of_fields(&descriptor.extension, &mut found);
    let methods = descriptor.service.iter().flat_map(|service| &service.method);
    found.extend(methods.flat_map(|method| [method.input_type(), method.output_type()]));
    found.into_iter().filter_map(|name| name.strip_prefix('.'))
}
