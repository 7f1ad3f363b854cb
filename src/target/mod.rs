//! The embedded server.
