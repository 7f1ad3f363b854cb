//! What fuzz targets share: a file for inputs that are read from one, and a schema for those that need one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use grpcbench::cli::fuzzing::rendered;
use grpcbench::error::Problems;
use grpcbench::schema::{Method, Schema, Symbol};
use tempfile::TempDir;

/// A folder of this process, in memory where there is such a place.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a folder")
});

/// `bytes` in a file of this name.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = FOLDER.path().join(name);
    fs::write(&path, bytes).expect("a file");
    path
}

/// What a mistake looks like must be made without a panic, too, wherever in a text it points.
pub fn shown(problems: &Problems) {
    assert!(!rendered(problems).is_empty(), "a mistake is told");
}

/// `Put` of `lab.proto`: a message with a field of every kind.
pub fn put() -> &'static Method {
    static PUT: LazyLock<Method> = LazyLock::new(|| {
        let path = file("lab.proto", include_bytes!("../lab.proto"));
        let schema = Schema::compile(&[path], &[]).unwrap_or_else(|problems| panic!("{}", rendered(&problems)));
        schema.method("lab.Boxes/Put").unwrap_or_else(|problems| panic!("{}", rendered(&problems)))
    });
    &PUT
}

/// Asks a schema for all that a user can ask it for.
pub fn explore(schema: &Schema) {
    for service in schema.services() {
        let symbol = match schema.symbol(&service) {
            Ok(symbol) => symbol,
            Err(problems) => {
                shown(&problems);
                continue;
            }
        };
        describe(&symbol);
        let Symbol::Service(service) = &symbol else { continue };
        for method in service.methods() {
            match schema.symbol(method.full_name()) {
                Ok(symbol) => describe(&symbol),
                Err(problems) => shown(&problems),
            }
            match schema.method(method.full_name()) {
                Ok(method) => {
                    // A call that nobody can fill in is still sent empty, or refused.
                    let empty = grpcbench::payload::CallSource::from_json(None, "--data", &method, &Default::default());
                    if let Err(problems) = empty {
                        shown(&problems);
                    }
                }
                Err(problems) => shown(&problems),
            }
        }
    }
    if let Err(problems) = schema.descriptor_set() {
        shown(&problems);
    }
}

fn describe(symbol: &Symbol) {
    assert!(symbol.text().ends_with('\n'));
    if let Err(problems) = symbol.template() {
        shown(&problems);
    }
}
