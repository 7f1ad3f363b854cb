//! Schemas, wherever they come from: each case runs over `.proto` files, a descriptor set, and servers that have
//! reflection in v1 only, in v1alpha only, and in different manners.

mod cases;
mod describe;
mod program;
mod reflection;
mod server;
mod sets;
mod sources;
