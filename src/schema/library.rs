//! Files that come as descriptors, from a set or from a server, before they are linked.
//!
//! Only outlines are read at first: what a file defines and imports. A file is read whole, and linked, when something of
//! it is needed, with what it imports and nothing else: a set may have thousands of files, and those that are of no use
//! to a call can neither slow it down nor, if they are in an edition or broken, keep it from being made.

use std::collections::{HashMap, HashSet};
use std::fmt;

use prost::Message as _;
use prost::bytes::Bytes;
use prost_reflect::DescriptorPool;
use prost_reflect::prost_types::FileDescriptorProto;
use protox::file::{FileResolver, GoogleFileResolver};

use crate::error::{Origin, Problems, SchemaError};

use super::assemble::{Assembly, import_order};
use super::head::{ExtensionHead, Head, MessageHead, RawSet, qualified};
use super::names::ServiceNames;

/// The package whose files everybody has a copy of, each of another age.
const BUILT_IN: &str = "google/protobuf/";

/// Files as descriptors, with what they define.
#[derive(Default)]
pub(super) struct Library {
    files: Vec<Described>,
    places: HashMap<String, usize>,
    names: HashMap<String, (usize, What)>,
    /// The files that extend a message.
    extending: HashMap<String, Vec<usize>>,
}

/// A file as a descriptor.
pub(super) struct Described {
    pub(super) head: Head,
    /// All of it.
    pub(super) bytes: Bytes,
    /// Where it comes from, for people.
    pub(super) origin: Origin,
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Message,
    Enum,
    Service,
}

/// Files that are linked.
#[derive(Debug)]
pub(super) struct Linked {
    pub(super) pool: DescriptorPool,
    /// Imports that are nowhere and that no type needs, each with a file that has it.
    pub(super) left_out: Vec<(String, String)>,
}

impl Library {
    /// Adds a file, an encoded `FileDescriptorProto`. The same file again is no mistake.
    ///
    /// Errors when it cannot be read, or when there is another file of its name.
    pub(super) fn add(&mut self, bytes: Bytes, origin: &Origin) -> Result<(), Problems> {
        let unreadable = |problem| SchemaError::NoDescriptor { origin: origin.clone(), problem };
        let head = Head::decode(bytes.clone()).map_err(|_| unreadable("it is damaged, or something else"))?;
        if head.name.is_empty() {
            return Err(unreadable("it has no name").into());
        }
        let new = Described { head, bytes, origin: origin.clone() };
        let Some(&place) = self.places.get(&new.head.name) else {
            let place = self.files.len();
            self.places.insert(new.head.name.clone(), place);
            self.files.push(new);
            self.index(place);
            return Ok(());
        };
        let known = &self.files[place];
        if known.bytes == new.bytes {
            return Ok(());
        }
        let (one, other) = (known.read()?, new.read()?);
        // These files only ever grow, so that the longest is the newest and has all that the others have.
        let newer = new.head.name.starts_with(BUILT_IN) && new.bytes.len() > known.bytes.len();
        let commented = |file: &FileDescriptorProto| file.source_code_info.is_some();
        if same(&one, &other) {
            if commented(&other) && !commented(&one) {
                self.files[place] = new;
            }
        } else if newer {
            self.files[place] = new;
            self.index(place);
        } else if !new.head.name.starts_with(BUILT_IN) {
            let origins = [known, &new].map(|file| file.origin.clone());
            return Err(SchemaError::TwoContents { file: new.head.name, origins }.into());
        }
        Ok(())
    }

    /// Adds the files of `google/protobuf` that are imported and not there.
    pub(super) fn complete(&mut self) {
        let resolver = GoogleFileResolver::new();
        let mut missing = self.missing();
        while let Some(name) = missing.pop() {
            if let Ok(file) = resolver.open_file(&name)
                && !self.places.contains_key(&name)
            {
                let descriptor = file.file_descriptor_proto();
                missing.extend(descriptor.dependency.iter().cloned());
                let added = self.add(descriptor.encode_to_vec().into(), &Origin::BuiltIn);
                debug_assert!(added.is_ok(), "built-in files are sound");
            }
        }
    }

    /// The imports that are not there, each once.
    pub(super) fn missing(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        let imports = self.files.iter().flat_map(|file| &file.head.dependencies);
        imports.filter(|name| !self.places.contains_key(*name) && seen.insert(*name)).cloned().collect()
    }

    /// The messages that extensions may be defined for, except those of `google.protobuf`.
    pub(super) fn extendable(&self) -> Vec<String> {
        fn collect(scope: &str, messages: &[MessageHead], found: &mut Vec<String>) {
            for message in messages {
                let name = qualified(scope, &message.name);
                collect(&name, &message.messages, found);
                if !message.extension_ranges.is_empty() {
                    found.push(name);
                }
            }
        }
        let mut found = Vec::new();
        for file in self.files.iter().filter(|file| !file.head.name.starts_with(BUILT_IN)) {
            collect(&file.head.package, &file.head.messages, &mut found);
        }
        found
    }

    /// The file in which `name` is defined.
    pub(super) fn find(&self, name: &str) -> Option<(usize, What)> {
        self.names.get(name).copied()
    }

    /// Whether there is a file called `name`.
    pub(super) fn has_file(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// The file called `name`.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// A file by its place.
    pub(super) fn file(&self, place: usize) -> &Described {
        &self.files[place]
    }

    /// How many files there are.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// The files that extend the message called `name`.
    pub(super) fn extending(&self, name: &str) -> &[usize] {
        self.extending.get(name).map_or(&[], Vec::as_slice)
    }

    /// All names of a kind, in no particular order.
    pub(super) fn names(&self, what: What) -> impl Iterator<Item = &str> + Clone {
        self.names.iter().filter(move |(_, (_, known))| *known == what).map(|(name, _)| name.as_str())
    }

    /// All names.
    pub(super) fn all_names(&self) -> Vec<String> {
        self.names.keys().cloned().collect()
    }

    /// All services, in the order of the files.
    pub(super) fn services(&self) -> Vec<ServiceNames> {
        let services = self.files.iter().flat_map(|file| file.head.services.iter().map(move |found| (file, found)));
        services
            .map(|(file, found)| ServiceNames {
                service: file.head.full_name(&found.name),
                methods: found.methods.iter().map(|method| method.name.clone()).collect(),
            })
            .collect()
    }

    /// Links files with all that they import.
    ///
    /// Errors: files in an edition or of an unknown syntax; imports that are not there and that a type needs; circles of
    /// imports; whatever else makes no sense.
    pub(super) fn link(&self, places: &[usize]) -> Result<Linked, Problems> {
        Assembly::of(self, places)?.link()
    }

    /// The files, each after those that it imports, as a `FileDescriptorSet`. What they have beyond our understanding
    /// (custom options, for example) is kept.
    ///
    /// Errors when files import each other in a circle.
    pub(super) fn descriptor_set(&self) -> Result<Vec<u8>, Problems> {
        let everything: Vec<usize> = (0..self.files.len()).collect();
        let order = import_order(self, &everything)?;
        let files = order.into_iter().map(|place| self.files[place].bytes.clone()).collect();
        Ok(RawSet { files }.encode_to_vec())
    }

    fn index(&mut self, place: usize) {
        let Library { files, names, extending, .. } = self;
        let head = &files[place].head;
        let mut index = Index { place, names, extending };
        index.messages(&head.package, &head.messages);
        for found in &head.enums {
            index.name(head.full_name(&found.name), What::Enum);
        }
        for found in &head.services {
            index.name(head.full_name(&found.name), What::Service);
        }
        index.extensions(&head.extensions);
    }
}

/// Only how much there is.
impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

impl Described {
    /// Reads the whole file.
    pub(super) fn read(&self) -> Result<FileDescriptorProto, Problems> {
        FileDescriptorProto::decode(self.bytes.clone()).map_err(|_| {
            let (file, origin) = (self.head.name.clone(), self.origin.clone());
            SchemaError::BadDescriptor { file, origin, problem: "it is damaged".to_owned(), advice: None }.into()
        })
    }
}

struct Index<'a> {
    place: usize,
    names: &'a mut HashMap<String, (usize, What)>,
    extending: &'a mut HashMap<String, Vec<usize>>,
}

impl Index<'_> {
    fn messages(&mut self, scope: &str, messages: &[MessageHead]) {
        for message in messages {
            let name = qualified(scope, &message.name);
            self.messages(&name, &message.messages);
            for found in &message.enums {
                self.name(qualified(&name, &found.name), What::Enum);
            }
            self.extensions(&message.extensions);
            self.name(name, What::Message);
        }
    }

    /// A name that is defined twice stays with the file that had it first: each may be of use where the other is not.
    fn name(&mut self, name: String, what: What) {
        self.names.entry(name).or_insert((self.place, what));
    }

    fn extensions(&mut self, extensions: &[ExtensionHead]) {
        for extension in extensions {
            let extendee = extension.extendee.trim_start_matches('.');
            // Custom options are dropped, so nobody looks for them.
            if !extendee.starts_with("google.protobuf.") {
                let files = self.extending.entry(extendee.to_owned()).or_default();
                if files.last() != Some(&self.place) {
                    files.push(self.place);
                }
            }
        }
    }
}

/// Whether two files define the same; comments don't count.
fn same(one: &FileDescriptorProto, other: &FileDescriptorProto) -> bool {
    let bare = |file: &FileDescriptorProto| FileDescriptorProto { source_code_info: None, ..file.clone() };
    bare(one) == bare(other)
}
