//! A descriptor set: any bytes.

#![no_main]

use grpcbench::schema::Schema;
use grpcbench_fuzz::{explore, file, shown};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match Schema::protosets(&[file("set.binpb", bytes)]) {
        Ok(schema) => explore(&schema),
        Err(problems) => shown(&problems),
    }
});
