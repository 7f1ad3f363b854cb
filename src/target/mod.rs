//! The embedded gRPC server behind `grpcbench serve` and `grpcbench demo`.
