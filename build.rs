//! Compiles `protos/helloworld.proto` for the embedded server: Rust code, and a descriptor set for its reflection.
//!
//! The compiler is protox, so that building needs no `protoc`.

use std::error::Error;
use std::path::PathBuf;

use prost::Message as _;

const PROTO: &str = "protos/helloworld.proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={PROTO}");
    let out_dir = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR for build scripts")?);
    let files = protox::compile([PROTO], ["protos"])?;
    std::fs::write(out_dir.join("helloworld.bin"), files.encode_to_vec())?;
    tonic_prost_build::configure().compile_fds(files)?;
    Ok(())
}
