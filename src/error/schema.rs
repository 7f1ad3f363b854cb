//! Mistakes in `.proto` files and descriptors, and names that are not in them.

use std::fmt::{self, Write as _};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Excerpt, reading_hint};

/// A mistake in a schema, or a name that is not in it.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The method to call is not written as one.
    #[error("`{call}` is no method name")]
    BadMethodName {
        /// As it was given.
        call: String,
        /// Methods that may have been meant, as `package.Service/Method`.
        near: Vec<String>,
    },
    /// Only a service is named.
    #[error("`{service}` is a service, and no method of it is named")]
    MethodLeftOut {
        /// The service.
        service: String,
        /// Its methods.
        known: Vec<String>,
    },
    /// No file has the service.
    #[error("no service `{service}` in the loaded files")]
    UnknownService {
        /// As it was given.
        service: String,
        /// Services with a similar name, best first.
        near: Vec<String>,
        /// All services.
        known: Vec<String>,
    },
    /// The service has no such method.
    #[error("no method `{method}` in `{service}`")]
    UnknownMethod {
        /// As it was given.
        method: String,
        /// The service.
        service: String,
        /// Methods with a similar name, best first.
        near: Vec<String>,
        /// All methods of the service.
        known: Vec<String>,
    },
    /// A `.proto` file that was asked for is nowhere.
    #[error("no file `{}`{}", path.display(), tried_in(tried))]
    ProtoNotFound {
        /// As it was given.
        path: PathBuf,
        /// Where else it was looked for.
        tried: Vec<PathBuf>,
    },
    /// A folder was given as a `.proto` file.
    #[error("`{}` is a folder, not a .proto file", path.display())]
    ProtoIsFolder {
        /// As it was given.
        path: PathBuf,
    },
    /// A file is there, but cannot be read.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is no text.
    #[error("`{}` is not UTF-8: byte 0x{byte:02x} in line {line}", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The line of the first bad byte, from 1.
        line: usize,
        /// The first bad byte.
        byte: u8,
    },
    /// A file uses protobuf editions, which the schema libraries don't know.
    #[error("`{}` is written in edition {edition}, and only proto2 and proto3 are supported", path.display())]
    Edition {
        /// The file.
        path: PathBuf,
        /// The edition as written, such as `2023`.
        edition: String,
        /// The statement.
        excerpt: Excerpt,
    },
    /// A file among descriptors uses protobuf editions.
    #[error("`{file}`, from {origin}, is written in edition {edition}, and only proto2 and proto3 are supported")]
    DescriptorEdition {
        /// The file.
        file: String,
        /// Where it comes from.
        origin: Origin,
        /// The edition as its source has it, such as `2023`.
        edition: String,
    },
    /// A file breaks the rules of the language.
    #[error("`{}` is no valid proto file: {problem}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, in the words of the compiler.
        problem: String,
        /// What would help.
        advice: Option<String>,
        /// Where, unless it is the end of the file or the file as a whole.
        excerpt: Option<Excerpt>,
    },
    /// An import is nowhere, and a type from it is needed.
    #[error("`{}` imports `{import}`, which is not found{}", importer.display(), tried_in(tried))]
    ImportNotFound {
        /// The import as it is written.
        import: String,
        /// The file that has the import.
        importer: PathBuf,
        /// The folders searched, in order.
        tried: Vec<PathBuf>,
        /// A name that is not defined without it.
        needed: String,
        /// An import root with which it would be found.
        root: Option<PathBuf>,
        /// The import statement.
        excerpt: Option<Excerpt>,
    },
    /// Files import each other in a circle.
    #[error("files import each other in a circle: {}", chain.join(" -> "))]
    ImportCycle {
        /// The imports along the circle; the last is the first again.
        chain: Vec<String>,
        /// The import that closes it.
        excerpt: Option<Excerpt>,
    },
    /// What was given as a descriptor set is none.
    #[error("`{}` is no descriptor set: {problem}", path.display())]
    NoProtoset {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A file among descriptors cannot be read, not even its name.
    #[error("a file from {origin} is no descriptor: {problem}")]
    NoDescriptor {
        /// Where it comes from.
        origin: Origin,
        /// What is wrong.
        problem: &'static str,
    },
    /// A file among descriptors breaks the rules of the language.
    #[error("`{file}`, from {origin}, is not valid: {problem}")]
    BadDescriptor {
        /// The file.
        file: String,
        /// Where it comes from.
        origin: Origin,
        /// What is wrong, in the words of the library.
        problem: String,
        /// What would help.
        advice: Option<String>,
    },
    /// A file among descriptors has a syntax that nobody knows.
    #[error("`{file}`, from {origin}, is written in `{syntax}`, and only proto2 and proto3 are supported")]
    UnknownSyntax {
        /// The file.
        file: String,
        /// Where it comes from.
        origin: Origin,
        /// The syntax.
        syntax: String,
    },
    /// Two files among descriptors have the same name and define different things.
    #[error("there are two different files called `{file}`: one from {}, one from {}", origins[0], origins[1])]
    TwoContents {
        /// The name.
        file: String,
        /// Where they come from.
        origins: [Origin; 2],
    },
    /// A file among descriptors imports one that is not there, and a type from it is needed.
    #[error("`{importer}`, from {origin}, imports `{import}`, which is not there")]
    DependencyNotFound {
        /// The import.
        import: String,
        /// The file that has the import.
        importer: String,
        /// Where it comes from.
        origin: Origin,
        /// A name that is not defined without it.
        needed: String,
    },
    /// The server knows neither version of server reflection.
    #[error("{host} offers no server reflection, neither v1 nor v1alpha")]
    NoReflection {
        /// The target.
        host: String,
    },
    /// The server refused to tell its schema.
    #[error("{host} refuses server reflection: {code}: {message}")]
    ReflectionRefused {
        /// The target.
        host: String,
        /// The name of the gRPC status.
        code: String,
        /// Whether it is about who asks.
        denied: bool,
        /// What the server says.
        message: String,
    },
    /// The answers of the server took too long.
    #[error("server reflection of {host} took longer than {within:?}")]
    ReflectionTimedOut {
        /// The target.
        host: String,
        /// The time allowed.
        within: Duration,
    },
    /// The server tells more than anybody could want to know.
    #[error("server reflection of {host} gives more than {limit}")]
    ReflectionTooLarge {
        /// The target.
        host: String,
        /// What is taken at most.
        limit: &'static str,
    },
    /// The server knows no such name.
    #[error("symbol `{symbol}` not found by server reflection")]
    NotReflected {
        /// The name.
        symbol: String,
        /// Services with a similar name, best first.
        near: Vec<String>,
        /// All services that the server lists.
        known: Vec<String>,
    },
    /// Something that is to be described is in no file.
    #[error("no `{symbol}` in the loaded files")]
    UnknownSymbol {
        /// As it was given.
        symbol: String,
        /// Similar names, best first.
        near: Vec<String>,
    },
    /// A template was asked for something that is no message and has none.
    #[error("`{symbol}` is {what}, and a template is made of a message or a method")]
    NoTemplate {
        /// As it was given.
        symbol: String,
        /// What it is: `an enum`.
        what: &'static str,
    },
    /// A file was given where an import root is wanted.
    #[error("the import root `{}` is a file, not a folder", path.display())]
    RootIsFile {
        /// As it was given.
        path: PathBuf,
        /// The folder that was probably meant.
        root: Option<PathBuf>,
    },
}

/// Where descriptors come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A descriptor set in a file.
    Protoset(PathBuf),
    /// The server.
    Reflection,
    /// This program, which has the files of `google/protobuf` in it.
    BuiltIn,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Protoset(path) => write!(f, "`{}`", path.display()),
            Origin::Reflection => f.write_str("server reflection"),
            Origin::BuiltIn => f.write_str("this program"),
        }
    }
}

impl SchemaError {
    pub(super) fn hint(&self) -> Option<String> {
        match self {
            SchemaError::BadMethodName { near, .. } if near.is_empty() => {
                Some("write it as package.Service.Method or package.Service/Method".to_owned())
            }
            SchemaError::BadMethodName { near, .. } => {
                Some(format!("write it as package.Service.Method or package.Service/Method: {}", alternatives(near)))
            }
            SchemaError::MethodLeftOut { known, .. } | SchemaError::UnknownMethod { known, .. } if known.is_empty() => {
                Some("the service has no methods".to_owned())
            }
            SchemaError::MethodLeftOut { known, .. } => Some(format!("its methods are {}", listing(known))),
            SchemaError::UnknownService { near, known, .. } => Some(match (near.as_slice(), known.as_slice()) {
                ([], []) => "the files define no service; give the file that does".to_owned(),
                ([], known) => format!("the services are {}", listing(known)),
                (near, _) => format!("did you mean {}?", alternatives(near)),
            }),
            SchemaError::UnknownMethod { near, known, .. } => Some(if near.is_empty() {
                format!("its methods are {}", listing(known))
            } else {
                format!("did you mean {}?", alternatives(near))
            }),
            SchemaError::ProtoNotFound { path, .. } => Some(if path.is_absolute() {
                "check the spelling of the path".to_owned()
            } else {
                "give the path from the working directory, or from a folder given with -i".to_owned()
            }),
            SchemaError::ProtoIsFolder { .. } => Some("give the .proto file that defines the service".to_owned()),
            SchemaError::NotUtf8 { .. } => {
                Some("save it as UTF-8; if it is no text but a descriptor set, give it with --protoset".to_owned())
            }
            SchemaError::Edition { .. } | SchemaError::DescriptorEdition { .. } | SchemaError::UnknownSyntax { .. } => {
                Some("use a copy of the file with syntax = \"proto3\" or \"proto2\"".to_owned())
            }
            SchemaError::ImportNotFound { import, needed, root, .. } => Some(match root {
                Some(root) => format!("add -i {}", shown(root)),
                None => {
                    format!("`{needed}` is not defined without it: give the folder that has `{import}` in it with -i")
                }
            }),
            SchemaError::NoProtoset { .. } => Some(
                "make one with `protoc --include_imports --descriptor_set_out=FILE` or `buf build -o FILE.binpb`"
                    .to_owned(),
            ),
            SchemaError::Unreadable { source, .. } => reading_hint(source),
            SchemaError::NoDescriptor { .. } | SchemaError::ReflectionTooLarge { .. } => None,
            SchemaError::Invalid { advice, .. } | SchemaError::BadDescriptor { advice, .. } => advice.clone(),
            SchemaError::TwoContents { .. } => {
                Some("make both from the same version of the file, or give only one of them".to_owned())
            }
            SchemaError::DependencyNotFound { needed, origin, .. } => Some(format!(
                "`{needed}` is not defined without it: {}",
                match origin {
                    Origin::Protoset(_) => "make the set with its imports (protoc --include_imports)",
                    _ => "the server does not give it, so name the files with --proto or --protoset",
                }
            )),
            SchemaError::ReflectionRefused { denied: true, .. } => Some(
                "give what the server asks for with --reflect-metadata, or the schema with --proto or --protoset"
                    .to_owned(),
            ),
            SchemaError::NoReflection { .. } | SchemaError::ReflectionRefused { .. } => {
                Some("give the schema with --proto or --protoset".to_owned())
            }
            SchemaError::ReflectionTimedOut { .. } => {
                Some("raise --connect-timeout, or give the schema with --proto or --protoset".to_owned())
            }
            SchemaError::NotReflected { near, known, .. } => Some(match (near.as_slice(), known.as_slice()) {
                ([], []) => "the server lists no services; give the schema with --proto or --protoset".to_owned(),
                ([], known) => format!("the server lists {}", listing(known)),
                (near, _) => format!("did you mean {}?", alternatives(near)),
            }),
            SchemaError::UnknownSymbol { near, .. } => Some(if near.is_empty() {
                "`grpcbench describe` without a name lists the services".to_owned()
            } else {
                format!("did you mean {}?", alternatives(near))
            }),
            SchemaError::NoTemplate { .. } => Some("name a method, such as package.Service.Method".to_owned()),
            SchemaError::ImportCycle { .. } => Some("move what both need into a file of its own".to_owned()),
            SchemaError::RootIsFile { root, .. } => Some(match root {
                Some(root) => format!("give the folder that import names start from: -i {}", shown(root)),
                None => "give the folder that import names start from".to_owned(),
            }),
        }
    }

    pub(super) fn excerpt(&self) -> Option<&Excerpt> {
        match self {
            SchemaError::Edition { excerpt, .. } => Some(excerpt),
            SchemaError::Invalid { excerpt, .. }
            | SchemaError::ImportNotFound { excerpt, .. }
            | SchemaError::ImportCycle { excerpt, .. } => excerpt.as_ref(),
            _ => None,
        }
    }
}

/// How many names a hint lists at most.
const LISTED: usize = 12;

/// `a`, `b` and `c`; beyond a dozen, how many more there are.
pub(super) fn listing(names: &[String]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().take(LISTED).enumerate() {
        let last = index + 1 == names.len();
        let joint = if index == 0 {
            ""
        } else if last {
            " and "
        } else {
            ", "
        };
        let _ = write!(text, "{joint}`{name}`");
    }
    if names.len() > LISTED {
        let _ = write!(text, " and {} more", names.len() - LISTED);
    }
    text
}

/// `a`, `b` or `c`.
pub(super) fn alternatives(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

fn tried_in(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = folders.iter().map(|folder| format!("`{}`", shown(folder))).collect();
    format!(" (looked in {})", quoted.join(", "))
}

/// A folder's path; the empty one is the working directory.
fn shown(folder: &Path) -> String {
    if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.display().to_string() }
}
