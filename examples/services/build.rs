//! Compiles the protos of the services: Rust code, and a descriptor set for their reflection. Needs no `protoc`.

use std::error::Error;
use std::path::PathBuf;

use prost::Message as _;

const FOLDER: &str = "../../protos";
const PROTOS: [&str; 4] = ["helloworld.proto", "s3.proto", "s3_stream.proto", "mongo.proto"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={FOLDER}");
    let out_dir = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR for build scripts")?);
    let files = protox::compile(PROTOS, [FOLDER])?;
    std::fs::write(out_dir.join("services.bin"), files.encode_to_vec())?;
    tonic_prost_build::configure().compile_fds(files)?;
    Ok(())
}
