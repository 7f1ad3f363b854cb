//! `helloworld.Greeter`: pure computation. What it answers depends on the request alone, and costs CPU time alone.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Stream, StreamExt as _, TryStreamExt as _, stream};
use tokio::sync::Semaphore;
use tonic::{Request, Response, Status, Streaming};

use crate::proto::greeter::greeter_server;
use crate::proto::greeter::{HelloReply, HelloRequest};

/// How many replies `SayHellos` gives.
const REPLIES: u32 = 5;

type Replies = Pin<Box<dyn Stream<Item = Result<HelloReply, Status>> + Send>>;

/// The service.
#[derive(Clone, Debug)]
pub struct Greeter {
    rounds: u32,
    /// One for each CPU: more would not compute more, and would all end late.
    cpus: Arc<Semaphore>,
}

impl Greeter {
    /// A greeter that thinks so many rounds about each name; a million take a millisecond or two.
    pub fn new(rounds: u32) -> Greeter {
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        Greeter { rounds, cpus: Arc::new(Semaphore::new(cpus)) }
    }

    /// Computes on a thread where that is in nobody's way. Whose caller has given up while it waited costs nothing.
    async fn greet(&self, name: String) -> Result<HelloReply, Status> {
        let gone = |_| Status::internal("the computation broke off");
        let cpu = Arc::clone(&self.cpus).acquire_owned().await.map_err(|_| Status::unavailable("the end has come"))?;
        let rounds = self.rounds;
        let number = tokio::task::spawn_blocking(move || {
            let _cpu = cpu;
            (lucky_number(&name, rounds), name)
        });
        let (number, name) = number.await.map_err(gone)?;
        Ok(HelloReply { message: format!("Hello {name}, your number is {number}") })
    }
}

/// A number that cannot be had for less than so many rounds: each needs the one before.
fn lucky_number(name: &str, rounds: u32) -> u64 {
    let start = name.bytes().fold(0, |state, byte| mix(state ^ u64::from(byte)));
    (0..rounds).fold(start, |state, _| mix(state))
}

/// One step of `SplitMix64`.
fn mix(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[tonic::async_trait]
impl greeter_server::Greeter for Greeter {
    async fn say_hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>, Status> {
        Ok(Response::new(self.greet(request.into_inner().name).await?))
    }

    type SayHellosStream = Replies;

    async fn say_hellos(&self, request: Request<HelloRequest>) -> Result<Response<Replies>, Status> {
        let (greeter, name) = (self.clone(), request.into_inner().name);
        let replies = stream::iter(1..=REPLIES).then(move |number| {
            let (greeter, name) = (greeter.clone(), format!("{name} ({number} of {REPLIES})"));
            async move { greeter.greet(name).await }
        });
        Ok(Response::new(Box::pin(replies) as Replies))
    }

    async fn say_hello_cs(&self, request: Request<Streaming<HelloRequest>>) -> Result<Response<HelloReply>, Status> {
        let names: Vec<String> = request.into_inner().map_ok(|request| request.name).try_collect().await?;
        Ok(Response::new(self.greet(names.join(", ")).await?))
    }

    type SayHelloBidiStream = Replies;

    async fn say_hello_bidi(&self, request: Request<Streaming<HelloRequest>>) -> Result<Response<Replies>, Status> {
        let greeter = self.clone();
        let replies = request.into_inner().and_then(move |request| {
            let greeter = greeter.clone();
            async move { greeter.greet(request.name).await }
        });
        Ok(Response::new(Box::pin(replies) as Replies))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_its_number() {
        assert_eq!(lucky_number("Ann", 1000), lucky_number("Ann", 1000));
        assert_ne!(lucky_number("Ann", 1000), lucky_number("Ben", 1000));
        assert_ne!(lucky_number("Ann", 1000), lucky_number("Ann", 1001));
    }
}
