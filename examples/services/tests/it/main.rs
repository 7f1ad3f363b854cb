//! The services as their callers see them, and what stands behind them.

mod greeter;
mod mongo;
mod op_msg;
mod s3;
mod serving;
