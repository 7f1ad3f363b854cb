//! Tests of the whole core: the caller's side against hand-made frames and a simulated server.

mod calls;
mod flow;
mod hostile;
mod lifecycle;
mod peer;
mod rules;
mod server;
mod simulation;
mod split;
