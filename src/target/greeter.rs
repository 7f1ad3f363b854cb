//! `helloworld.Greeter`, in all four kinds of call.
//!
//! A call is counted when it comes in, whatever becomes of it. Faults come where a real server would be slow: before the
//! first reply, and before each later reply of a stream.

use std::pin::Pin;
use std::sync::Arc;

use tokio_stream::{Stream, StreamExt as _};
use tonic::{Request, Response, Status, Streaming};

use super::counts::{Counts, Method};
use super::faults::Faults;
use super::helloworld::greeter_server::{Greeter, GreeterServer};
use super::helloworld::{HelloReply, HelloRequest};

/// How many replies `SayHellos` gives to a request.
pub const REPLIES: u32 = 5;

/// How many bytes of names `SayHelloCS` repeats; whoever comes later is only counted.
const NAMES_BYTES_MAX: usize = 64 * 1024;

/// The service, with these faults.
pub(super) fn service(faults: Faults, counts: Arc<Counts>) -> GreeterServer<impl Greeter> {
    GreeterServer::new(Embedded { faults: Arc::new(faults), counts })
}

struct Embedded {
    faults: Arc<Faults>,
    counts: Arc<Counts>,
}

type Replies = Pin<Box<dyn Stream<Item = Result<HelloReply, Status>> + Send>>;

#[tonic::async_trait]
impl Greeter for Embedded {
    async fn say_hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>, Status> {
        self.counts.call(Method::SayHello);
        self.counts.message_in();
        let verdict = self.faults.call().await;
        self.faults.reply().await;
        verdict?;
        self.counts.message_out();
        Ok(Response::new(greet(&request.get_ref().name)))
    }

    type SayHellosStream = Replies;

    async fn say_hellos(&self, request: Request<HelloRequest>) -> Result<Response<Replies>, Status> {
        self.counts.call(Method::SayHellos);
        self.counts.message_in();
        let verdict = self.faults.call().await;
        // The first reply waits here, so that an error in its place comes without any header of a reply before it.
        self.faults.reply().await;
        verdict?;
        let name = Arc::new(request.into_inner().name);
        let (faults, counts) = (Arc::clone(&self.faults), Arc::clone(&self.counts));
        let replies = tokio_stream::iter(1..=REPLIES).then(move |number| {
            let (faults, counts, name) = (Arc::clone(&faults), Arc::clone(&counts), Arc::clone(&name));
            async move {
                if number > 1 {
                    faults.reply().await;
                }
                counts.message_out();
                Ok(HelloReply { message: format!("Hello {name}, {number} of {REPLIES}") })
            }
        });
        Ok(Response::new(Box::pin(replies)))
    }

    async fn say_hello_cs(&self, request: Request<Streaming<HelloRequest>>) -> Result<Response<HelloReply>, Status> {
        self.counts.call(Method::SayHelloCs);
        let verdict = self.faults.call().await;
        let mut names = Names::default();
        let mut requests = request.into_inner();
        while let Some(request) = requests.message().await? {
            self.counts.message_in();
            names.add(&request.name);
        }
        self.faults.reply().await;
        verdict?;
        self.counts.message_out();
        Ok(Response::new(greet(&names.list())))
    }

    type SayHelloBidiStream = Replies;

    async fn say_hello_bidi(&self, request: Request<Streaming<HelloRequest>>) -> Result<Response<Replies>, Status> {
        self.counts.call(Method::SayHelloBidi);
        if let Err(error) = self.faults.call().await {
            self.faults.reply().await;
            return Err(error);
        }
        // The header goes out now and not with the first reply: a client may wait for it before it sends anything.
        let (faults, counts) = (Arc::clone(&self.faults), Arc::clone(&self.counts));
        let replies = request.into_inner().then(move |request| {
            let (faults, counts) = (Arc::clone(&faults), Arc::clone(&counts));
            async move {
                let request = request?;
                counts.message_in();
                faults.reply().await;
                counts.message_out();
                Ok(greet(&request.name))
            }
        });
        Ok(Response::new(Box::pin(replies)))
    }
}

fn greet(name: &str) -> HelloReply {
    HelloReply { message: format!("Hello {name}") }
}

/// The names in a stream of requests, up to a bound: a reply must stay below the size that clients take.
#[derive(Default)]
struct Names {
    list: String,
    unlisted: u64,
}

impl Names {
    fn add(&mut self, name: &str) {
        if self.unlisted > 0 || self.list.len() + name.len() + 2 > NAMES_BYTES_MAX {
            self.unlisted += 1;
            return;
        }
        if !self.list.is_empty() {
            self.list.push_str(", ");
        }
        self.list.push_str(name);
    }

    fn list(self) -> String {
        match (self.list.is_empty(), self.unlisted) {
            (true, 0) => "nobody".to_owned(),
            (_, 0) => self.list,
            (true, unlisted) => format!("{unlisted} with long names"),
            (false, unlisted) => format!("{} and {unlisted} more", self.list),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> String {
        let mut names = Names::default();
        for name in all {
            names.add(name);
        }
        names.list()
    }

    #[test]
    fn names_everybody_up_to_a_bound() {
        assert_eq!(names(&[]), "nobody");
        assert_eq!(names(&["Ann"]), "Ann");
        assert_eq!(names(&["Ann", "Bob", "Cem"]), "Ann, Bob, Cem");
        let long = "x".repeat(NAMES_BYTES_MAX + 1);
        assert_eq!(names(&["Ann", &long, "Bob"]), "Ann and 2 more", "in order, so nobody after the first left out");
        assert_eq!(names(&[&long]), "1 with long names");
        assert!(names(&vec!["Ann"; 100_000]).len() < NAMES_BYTES_MAX + 32);
    }
}
