//! Configs in JSON, TOML and YAML, and in a file whose name does not tell.

#![no_main]

use grpcbench::cli::fuzzing::config;
use grpcbench_fuzz::{file, shown};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for name in ["config.json", "config.toml", "config.yaml", "config"] {
        let path = file(name, bytes);
        for lenient in [false, true] {
            if let Err(problems) = config(&path, lenient) {
                shown(&problems);
            }
        }
    }
});
