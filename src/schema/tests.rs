//! Each test makes a folder of files and looks at what becomes of them.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// Makes files in a folder of their own.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn compile(folder: &Path, protos: &[&str], roots: &[&str]) -> Result<Schema, Problems> {
    let within = |names: &[&str]| names.iter().map(|name| folder.join(name)).collect::<Vec<PathBuf>>();
    Schema::compile(&within(protos), &within(roots))
}

fn path(schema: &Schema, call: &str) -> String {
    schema.method(call).unwrap().path()
}

#[test]
fn c01_byte_order_marks_and_windows_line_ends_are_fine() {
    let folder = folder(&[
        (
            "till.proto",
            "\u{feff}syntax = \"proto3\";\r\npackage till;\r\nimport \"coin.proto\";\r\nservice Till { rpc Put(Coin) returns (Coin); }\r\n",
        ),
        ("coin.proto", "\u{feff}syntax = \"proto3\";\r\npackage till;\r\nmessage Coin { int32 cents = 1; } // end\r\n"),
    ]);
    let schema = compile(folder.path(), &["till.proto"], &[]).unwrap();
    assert_eq!(path(&schema, "till.Till/Put"), "/till.Till/Put");
}
