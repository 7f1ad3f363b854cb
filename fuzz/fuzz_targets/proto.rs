//! A `.proto` file: any text, and bytes that are none.

#![no_main]

use grpcbench::schema::Schema;
use grpcbench_fuzz::{explore, file, shown};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match Schema::compile(&[file("fuzzed.proto", bytes)], &[]) {
        Ok(schema) => explore(&schema),
        Err(problems) => shown(&problems),
    }
});
