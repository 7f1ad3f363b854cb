//! Mistakes in `.proto` files and descriptors, and names that are not in them.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use super::Excerpt;

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
    /// A file was given where an import root is wanted.
    #[error("the import root `{}` is a file, not a folder", path.display())]
    RootIsFile {
        /// As it was given.
        path: PathBuf,
        /// The folder that was probably meant.
        root: Option<PathBuf>,
    },
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
                ([], []) => "the files define no service; give the file that does with --proto".to_owned(),
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
            SchemaError::Unreadable { .. } => None,
            SchemaError::NotUtf8 { .. } => Some("save it as UTF-8; if it is no text, it is no .proto file".to_owned()),
            SchemaError::Edition { .. } => {
                Some("use a copy of the file with syntax = \"proto3\" or \"proto2\"".to_owned())
            }
            SchemaError::Invalid { advice, .. } => advice.clone(),
            SchemaError::ImportNotFound { import, needed, root, .. } => Some(match root {
                Some(root) => format!("add -i {}", shown(root)),
                None => {
                    format!("`{needed}` is not defined without it: give the folder that has `{import}` in it with -i")
                }
            }),
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
