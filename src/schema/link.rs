//! From parsed files to a pool of linked descriptors.
//!
//! Custom options (`option (google.api.http) = …`) mean nothing to a call. They are dropped before linking, so that
//! neither a missing file that only defines options nor a fine point of their syntax can keep a run from starting.

use std::collections::{BTreeSet, HashMap, HashSet};

use miette::Diagnostic;
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, UninterpretedOption,
};
use prost_reflect::{DescriptorError, DescriptorPool};

use crate::error::{Problems, SchemaError};

use super::imports::{Closure, Missing};
use super::proto::complaints;
use super::roots::Roots;
use super::sound::{self, Flaw};

/// Links the files of a closure. Its missing imports are left behind: whether one is needed shows here, when a name is
/// not defined.
pub(super) fn link(closure: &mut Closure, roots: &Roots) -> Result<DescriptorPool, Problems> {
    let mut pool = DescriptorPool::new();
    let mut options = BTreeSet::new();
    let mut public = PublicImports::default();
    for index in 0..closure.files.len() {
        drop_custom_options(&mut closure.files[index].descriptor, &mut options);
        let file = &closure.files[index];
        let flawed = |Flaw { problem, advice }| {
            let path = file.source.as_ref().map_or_else(|| file.descriptor.name().into(), |source| source.path.clone());
            SchemaError::Invalid { path, problem, advice, excerpt: None }
        };
        let mut descriptor = file.descriptor.clone();
        sound::check(&descriptor).map_err(flawed)?;
        public.replace(&mut descriptor);
        if let Err(error) = pool.add_file_descriptor_proto(descriptor) {
            return Err(explain(error, index, closure, &options, roots));
        }
        sound::check_linked(&pool, file.descriptor.name()).map_err(flawed)?;
    }
    Ok(pool)
}

/// Links the files with their custom options, for who wants to keep them. `None` if those are not sound, or need a file
/// that is nowhere.
pub(super) fn link_with_options(closure: &Closure) -> Option<DescriptorPool> {
    let mut pool = DescriptorPool::new();
    let mut public = PublicImports::default();
    for file in &closure.files {
        let mut descriptor = file.descriptor.clone();
        public.spell_out(&mut descriptor);
        pool.add_file_descriptor_proto(descriptor).ok()?;
    }
    Some(pool)
}

/// What files pass on to those that import them. The library follows a public import to the next file and no further,
/// so what comes by way of several is spelled out for it.
#[derive(Default)]
pub(super) struct PublicImports(HashMap<String, Vec<String>>);

impl PublicImports {
    /// Adds what the imports of `file` pass on to its imports, and leaves nothing for the library to follow: where public
    /// imports meet again and again it would take every way there is. Files come after those that they import.
    pub(super) fn replace(&mut self, file: &mut FileDescriptorProto) {
        self.spell_out(file);
        file.public_dependency.clear();
    }

    /// Adds what the imports of `file` pass on to its imports.
    fn spell_out(&mut self, file: &mut FileDescriptorProto) {
        let passed_on = |import: &String| self.0.get(import).into_iter().flatten();
        let index = |index: &i32| usize::try_from(*index).ok();
        let public = file.public_dependency.iter().filter_map(|at| file.dependency.get(index(at)?));
        let own = once_each(public.flat_map(|import| passed_on(import).chain([import])));
        let all = once_each(file.dependency.iter().chain(file.dependency.iter().flat_map(passed_on)));
        // Those that were there keep their places, for their numbers are named.
        file.dependency.extend(all.into_iter().skip(once_each(&file.dependency).len()));
        if !own.is_empty() {
            self.0.insert(file.name().to_owned(), own);
        }
    }
}

/// Names in their order, without those that were there before.
fn once_each<'a>(names: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut seen = HashSet::new();
    names.into_iter().filter(|name| seen.insert(*name)).cloned().collect()
}

/// The problems that `error`, of the file at `index`, stands for.
fn explain(
    error: DescriptorError,
    index: usize,
    closure: &Closure,
    options: &BTreeSet<String>,
    roots: &Roots,
) -> Problems {
    let file = &closure.files[index];
    let suspects = undefined_name(&error).map(|name| (suspects(&name, index, closure, options), name));
    if let Some((suspects, needed)) = suspects.filter(|(suspects, _)| !suspects.is_empty()) {
        let mut problems = Problems::new();
        for missing in suspects {
            problems.push(not_found(missing, &needed, closure, roots));
        }
        return problems;
    }
    match &file.source {
        Some(source) => {
            // The library counts columns in bytes and looks them up in characters; with one byte to each they agree.
            let bytes: String =
                source.text.bytes().map(|byte| if byte.is_ascii() { char::from(byte) } else { '?' }).collect();
            let error = error.with_source_code(&bytes);
            complaints(&source.path, &source.text, &error)
        }
        // Built-in files are sound by themselves; this is a clash of names with a file loaded before.
        None => SchemaError::Invalid {
            path: file.descriptor.name().into(),
            problem: error.to_string(),
            advice: error.help().map(|help| help.to_string()),
            excerpt: None,
        }
        .into(),
    }
}

fn not_found(missing: &Missing, needed: &str, closure: &Closure, roots: &Roots) -> SchemaError {
    let source = closure.file(&missing.importer).and_then(|file| file.source.as_ref());
    let importer = source.map_or_else(|| missing.importer.clone().into(), |source| source.path.clone());
    SchemaError::ImportNotFound {
        import: missing.import.clone(),
        tried: roots.folders().to_vec(),
        needed: needed.to_owned(),
        root: roots.suggest(&missing.import, &importer),
        excerpt: source.and_then(|source| source.import_excerpt(missing.index, "not found")),
        importer,
    }
}

/// The name that is not defined, if that is what the error says. The library has no other way to tell than its words.
fn undefined_name(error: &DescriptorError) -> Option<String> {
    let words = error.to_string();
    let quoted = words.strip_prefix("name '").and_then(|rest| rest.strip_suffix("' is not defined"));
    let shadowed =
        words.split_once("' resolves to '").and_then(|(_, rest)| rest.strip_suffix("', which is not defined"));
    quoted.or(shadowed).map(|name| name.trim_start_matches('.').to_owned())
}

/// The missing imports that `name` may be expected from, by the habit that `a/b/file.proto` has package `a.b`.
fn suspects<'a>(name: &str, index: usize, closure: &'a Closure, options: &BTreeSet<String>) -> Vec<&'a Missing> {
    let mut visible = BTreeSet::from([closure.files[index].descriptor.name()]);
    // Files come after what they import, so one pass backwards reaches everything.
    for file in closure.files[..=index].iter().rev() {
        if visible.contains(file.descriptor.name()) {
            visible.extend(file.descriptor.dependency.iter().map(String::as_str));
        }
    }
    let missing: Vec<&Missing> =
        closure.missing.iter().filter(|missing| visible.contains(missing.importer.as_str())).collect();
    let best = missing.iter().map(|missing| shared(name, &missing.import)).max().unwrap_or(0);
    if best > 0 {
        return missing.into_iter().filter(|missing| shared(name, &missing.import) == best).collect();
    }
    // The name gives nothing away. Imports that options came from are there for those, and not for this.
    let explained = |missing: &&Missing| options.iter().any(|option| shared(option, &missing.import) > 0);
    missing.into_iter().filter(|missing| !explained(missing)).collect()
}

/// How many parts `name` and the path of `import` have in common, from the start.
pub(super) fn shared(name: &str, import: &str) -> usize {
    name.split('.').zip(import.trim_end_matches(".proto").split('/')).take_while(|(name, path)| name == path).count()
}

pub(super) fn drop_custom_options(file: &mut FileDescriptorProto, dropped: &mut BTreeSet<String>) {
    let mut clean = |options: &mut Vec<UninterpretedOption>| {
        options.retain(|option| {
            let first = option.name.first().filter(|part| part.is_extension);
            dropped.extend(first.map(|part| part.name_part.trim_start_matches('.').to_owned()));
            first.is_none()
        });
    };
    if let Some(options) = &mut file.options {
        clean(&mut options.uninterpreted_option);
    }
    file.message_type.iter_mut().for_each(|message| clean_message(message, &mut clean));
    file.enum_type.iter_mut().for_each(|enumeration| clean_enum(enumeration, &mut clean));
    file.extension.iter_mut().for_each(|field| clean_field(field, &mut clean));
    for service in &mut file.service {
        if let Some(options) = &mut service.options {
            clean(&mut options.uninterpreted_option);
        }
        for options in service.method.iter_mut().filter_map(|method| method.options.as_mut()) {
            clean(&mut options.uninterpreted_option);
        }
    }
}

fn clean_message(message: &mut DescriptorProto, clean: &mut dyn FnMut(&mut Vec<UninterpretedOption>)) {
    if let Some(options) = &mut message.options {
        clean(&mut options.uninterpreted_option);
    }
    for options in message.oneof_decl.iter_mut().filter_map(|oneof| oneof.options.as_mut()) {
        clean(&mut options.uninterpreted_option);
    }
    for options in message.extension_range.iter_mut().filter_map(|range| range.options.as_mut()) {
        clean(&mut options.uninterpreted_option);
    }
    message.field.iter_mut().chain(&mut message.extension).for_each(|field| clean_field(field, clean));
    message.enum_type.iter_mut().for_each(|enumeration| clean_enum(enumeration, clean));
    message.nested_type.iter_mut().for_each(|message| clean_message(message, clean));
}

fn clean_enum(enumeration: &mut EnumDescriptorProto, clean: &mut dyn FnMut(&mut Vec<UninterpretedOption>)) {
    if let Some(options) = &mut enumeration.options {
        clean(&mut options.uninterpreted_option);
    }
    for options in enumeration.value.iter_mut().filter_map(|value| value.options.as_mut()) {
        clean(&mut options.uninterpreted_option);
    }
}

fn clean_field(field: &mut FieldDescriptorProto, clean: &mut dyn FnMut(&mut Vec<UninterpretedOption>)) {
    let Some(options) = &mut field.options else { return };
    clean(&mut options.uninterpreted_option);
    // The library decides on packing before it reads options that are still text, so this one is read for it.
    options.uninterpreted_option.retain(|option| {
        let packed = match (option.name.as_slice(), option.identifier_value()) {
            ([part], "true") if part.name_part == "packed" => Some(true),
            ([part], "false") if part.name_part == "packed" => Some(false),
            _ => None,
        };
        options.packed = options.packed.or(packed);
        packed.is_none()
    });
}
