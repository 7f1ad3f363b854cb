//! Three services worth testing: [`greeter`] computes, [`s3`] lists a bucket, [`mongo`] writes documents.
//!
//! Each is an ordinary gRPC service on tonic that knows nothing of grpcbench. The two that stand before another server
//! bring a stand-in for it, so that they run with nothing installed.

pub mod greeter;
pub mod mongo;
pub mod s3;
pub mod serving;

/// What the protos say, as Rust.
#[allow(missing_docs, unreachable_pub, clippy::pedantic, reason = "generated code")]
pub mod proto {
    /// Of helloworld.proto.
    pub mod greeter {
        tonic::include_proto!("helloworld");
    }
    /// Of s3.proto and `s3_stream.proto`.
    pub mod s3 {
        tonic::include_proto!("aws_api");
    }
    /// Of mongo.proto.
    pub mod mongo {
        tonic::include_proto!("mongo_api");
    }
    /// All of them, for server reflection.
    pub const DESCRIPTORS: &[u8] = tonic::include_file_descriptor_set!("services");
}
