//! Tests of the whole core: the caller's side against hand-made frames and a simulated server.

mod calls;
mod peer;
