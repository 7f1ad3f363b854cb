//! All four kinds of call.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use services::greeter::Greeter;
use services::proto::greeter::HelloRequest;
use services::proto::greeter::greeter_client::GreeterClient;
use services::proto::greeter::greeter_server::{GreeterServer, SERVICE_NAME};
use tonic::service::Routes;

use crate::serving::connect;

fn named(name: &str) -> HelloRequest {
    HelloRequest { name: name.to_owned() }
}

#[tokio::test]
async fn greetings_depend_on_the_names_alone() {
    let routes = Routes::new(GreeterServer::new(Greeter::new(1000)));
    let mut client = GreeterClient::new(connect(routes, &[SERVICE_NAME]).await);

    let ann = client.say_hello(named("Ann")).await.unwrap().into_inner().message;
    assert!(ann.starts_with("Hello Ann, your number is "), "{ann}");
    assert_eq!(client.say_hello(named("Ann")).await.unwrap().into_inner().message, ann);

    let replies = client.say_hellos(named("Ann")).await.unwrap().into_inner();
    assert_eq!(replies.try_collect::<Vec<_>>().await.unwrap().len(), 5);

    let names = || stream::iter(["Ann", "Ben", "Cleo"]).map(named);
    let together = client.say_hello_cs(names()).await.unwrap().into_inner().message;
    assert!(together.starts_with("Hello Ann, Ben, Cleo, "), "{together}");

    let replies = client.say_hello_bidi(names()).await.unwrap().into_inner();
    let replies: Vec<_> = replies.map_ok(|reply| reply.message).try_collect().await.unwrap();
    assert_eq!((replies.len(), &replies[0]), (3, &ann));
}
