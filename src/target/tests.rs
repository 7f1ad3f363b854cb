//! Calls through the client of tonic, over real sockets. Times have lower bounds only: a busy machine is never too early.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::helloworld::HelloRequest;
use super::helloworld::greeter_client::GreeterClient;
use super::*;

mod connections;
mod over_tls;

type Client = GreeterClient<Channel>;

fn start(options: Options) -> Background {
    Background::start(options).unwrap()
}

async fn connect(server: &Background) -> Client {
    let uri = if server.address().starts_with("unix:") {
        server.address().to_owned()
    } else {
        format!("http://{}", server.address())
    };
    Client::new(Endpoint::new(uri).unwrap().connect().await.unwrap())
}

fn hello(name: &str) -> HelloRequest {
    HelloRequest { name: name.to_owned() }
}

fn hellos(names: &[&str]) -> impl tokio_stream::Stream<Item = HelloRequest> + Send + 'static {
    tokio_stream::iter(names.iter().map(|name| hello(name)).collect::<Vec<_>>())
}

mod calls {
    use super::*;

    #[tokio::test]
    async fn unary() {
        let server = start(Options::default());
        let mut client = connect(&server).await;
        assert_eq!(client.say_hello(hello("Ann")).await.unwrap().into_inner().message, "Hello Ann");
        assert_eq!(client.say_hello(hello("")).await.unwrap().into_inner().message, "Hello ");
    }

    #[tokio::test]
    async fn server_streaming() {
        let server = start(Options::default());
        let mut replies = connect(&server).await.say_hellos(hello("Ann")).await.unwrap().into_inner();
        for number in 1..=REPLIES {
            let reply = replies.message().await.unwrap().unwrap();
            assert_eq!(reply.message, format!("Hello Ann, {number} of 5"));
        }
        assert_eq!(replies.message().await.unwrap(), None);
    }

    #[tokio::test]
    async fn client_streaming() {
        let server = start(Options::default());
        let mut client = connect(&server).await;
        let reply = client.say_hello_cs(hellos(&["Ann", "Bob"])).await.unwrap().into_inner();
        assert_eq!(reply.message, "Hello Ann, Bob");
        assert_eq!(client.say_hello_cs(hellos(&[])).await.unwrap().into_inner().message, "Hello nobody");
    }

    #[tokio::test]
    async fn bidirectional_streaming_replies_as_requests_come() {
        let server = start(Options::default());
        let (requests, stream) = mpsc::channel(1);
        let mut client = connect(&server).await;
        let mut replies = client.say_hello_bidi(ReceiverStream::new(stream)).await.unwrap().into_inner();
        for name in ["Ann", "Bob", "Cem"] {
            // Each request is sent only after the reply to the one before.
            requests.send(hello(name)).await.unwrap();
            assert_eq!(replies.message().await.unwrap().unwrap().message, format!("Hello {name}"));
        }
        drop(requests);
        assert_eq!(replies.message().await.unwrap(), None);
    }

    #[tokio::test]
    async fn are_counted_by_method() {
        let server = start(Options { errors: vec!["ABORTED:100%".parse().unwrap()], ..Options::default() });
        let mut first = connect(&server).await;
        let mut second = connect(&server).await;
        for _ in 0..3 {
            first.say_hello(hello("Ann")).await.unwrap_err();
        }
        for _ in 0..2 {
            second.say_hellos(hello("Ann")).await.unwrap_err();
        }
        second.say_hello_cs(hellos(&["Ann"])).await.unwrap_err();
        let counts = server.counts();
        let methods = [Method::SayHello, Method::SayHellos, Method::SayHelloCs, Method::SayHelloBidi];
        assert_eq!(methods.map(|method| counts.calls(method)), [3, 2, 1, 0]);
        assert_eq!((counts.all_calls(), counts.connections()), (6, 2));
    }
}

mod side_services {
    use super::*;

    /// The names and the file that one version of the reflection protocol gives.
    macro_rules! reflect {
        ($version:ident, $server:expr) => {{
            use pb::server_reflection_request::MessageRequest;
            use pb::server_reflection_response::MessageResponse;
            use tonic_reflection::pb::$version as pb;

            let channel = Endpoint::new(format!("http://{}", $server.address())).unwrap().connect().await.unwrap();
            let mut client = pb::server_reflection_client::ServerReflectionClient::new(channel);
            let ask = |request| pb::ServerReflectionRequest { host: String::new(), message_request: Some(request) };
            let requests = [
                ask(MessageRequest::ListServices(String::new())),
                ask(MessageRequest::FileContainingSymbol("helloworld.Greeter".to_owned())),
            ];
            let mut answers = client.server_reflection_info(tokio_stream::iter(requests)).await.unwrap().into_inner();
            let mut answer = async || answers.message().await.unwrap().unwrap().message_response.unwrap();
            let MessageResponse::ListServicesResponse(list) = answer().await else { panic!("no list") };
            let MessageResponse::FileDescriptorResponse(files) = answer().await else { panic!("no file") };
            let names: Vec<String> = list.service.into_iter().map(|service| service.name).collect();
            (names, files.file_descriptor_proto)
        }};
    }

    #[tokio::test]
    async fn reflection_in_both_versions() {
        let server = start(Options::default());
        let both = [reflect!(v1, server), reflect!(v1alpha, server)];
        for (version, (names, files)) in ["grpc.reflection.v1", "grpc.reflection.v1alpha"].iter().zip(both) {
            for name in [GREETER, "grpc.health.v1.Health", &format!("{version}.ServerReflection")] {
                assert!(names.iter().any(|known| known == name), "{version} lists {name}: {names:?}");
            }
            let [file] = files.as_slice() else { panic!("{version} gives {} files", files.len()) };
            assert!(DESCRIPTOR_SET.windows(file.len()).any(|part| part == file), "{version} gives the built file");
        }
    }

    #[tokio::test]
    async fn health() {
        // Faults are for the greeter: who asks for health must not be held up.
        let errors = vec!["ABORTED:100%".parse().unwrap()];
        let delay = Some(Delay::fixed(Duration::from_secs(600)));
        let server = start(Options { delay, errors, ..Options::default() });
        let channel = Endpoint::new(format!("http://{}", server.address())).unwrap().connect().await.unwrap();
        let mut client = HealthClient::new(channel);
        for service in ["", GREETER] {
            let answer = client.check(HealthCheckRequest { service: service.to_owned() }).await.unwrap();
            assert_eq!(answer.into_inner().status(), ServingStatus::Serving);
        }
        let unknown = client.check(HealthCheckRequest { service: "no.Such".to_owned() }).await.unwrap_err();
        assert_eq!(unknown.code(), Code::NotFound);
    }
}

mod faults_at_work {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[tokio::test]
    async fn a_delay_holds_every_reply() {
        let server = start(Options { delay: Some(Delay::fixed(20 * MS)), ..Options::default() });
        let mut client = connect(&server).await;
        let start = Instant::now();
        client.say_hello(hello("Ann")).await.unwrap();
        assert!(start.elapsed() >= 20 * MS);

        let start = Instant::now();
        let mut replies = client.say_hellos(hello("Ann")).await.unwrap().into_inner();
        let mut held = Vec::new();
        while replies.message().await.unwrap().is_some() {
            held.push(start.elapsed());
        }
        assert_eq!(held.len(), 5);
        assert!((1..).zip(held).all(|(number, held)| held >= number * 20 * MS));

        let start = Instant::now();
        client.say_hello_cs(hellos(&["Ann", "Bob"])).await.unwrap();
        assert!(start.elapsed() >= 20 * MS);
    }

    #[tokio::test]
    async fn a_distribution_holds_the_replies_it_should() {
        let delay: Delay = "0s:50%,30ms:50%".parse().unwrap();
        let server = start(Options { delay: Some(delay.clone()), seed: 9, ..Options::default() });
        let mut client = connect(&server).await;
        let due: Vec<Duration> = (0..20).map(|index| delay.at(portion::draw(9, index))).collect();
        assert!(due.contains(&Duration::ZERO) && due.contains(&(30 * MS)));
        for due in due {
            let start = Instant::now();
            client.say_hello(hello("Ann")).await.unwrap();
            assert!(start.elapsed() >= due);
        }
    }

    #[tokio::test]
    async fn errors_end_calls_of_every_kind() {
        let errors = vec!["NOT_FOUND:100%:keine Ahnung, wo Zoë ist".parse().unwrap()];
        let server = start(Options { errors, ..Options::default() });
        let mut client = connect(&server).await;
        for status in [
            client.say_hello(hello("Zoë")).await.unwrap_err(),
            client.say_hellos(hello("Zoë")).await.unwrap_err(),
            client.say_hello_cs(hellos(&["Zoë"])).await.unwrap_err(),
            client.say_hello_bidi(hellos(&["Zoë"])).await.unwrap_err(),
        ] {
            assert_eq!((status.code(), status.message()), (Code::NotFound, "keine Ahnung, wo Zoë ist"));
        }
    }

    #[tokio::test]
    async fn same_seed_same_errors() {
        let sequence = async |seed| {
            let server = start(Options { errors: vec!["ABORTED:30%".parse().unwrap()], seed, ..Options::default() });
            let mut client = connect(&server).await;
            let mut failed = Vec::new();
            for _ in 0..60 {
                failed.push(client.say_hello(hello("Ann")).await.is_err());
            }
            failed
        };
        let first = sequence(1).await;
        assert_eq!(first, sequence(1).await);
        assert_ne!(first, sequence(2).await);
        assert!(first.contains(&true) && first.contains(&false));
    }

    #[tokio::test]
    async fn a_stall_holds_calls_that_come_in() {
        let server = start(Options { stall: Some("200ms@0".parse().unwrap()), ..Options::default() });
        let client = connect(&server).await;
        let start = Instant::now();
        let (mut first, mut second) = (client.clone(), client);
        let (first, second) = tokio::join!(first.say_hello(hello("Ann")), second.say_hello_bidi(hellos(&["Bob"])));
        assert!(start.elapsed() >= 200 * MS);
        first.unwrap();
        assert_eq!(second.unwrap().into_inner().message().await.unwrap().unwrap().message, "Hello Bob");
    }

    #[tokio::test]
    async fn a_stall_holds_replies_that_become_ready_in_it() {
        let delay = Some(Delay::fixed(50 * MS));
        let server = start(Options { delay, stall: Some("200ms@30ms".parse().unwrap()), ..Options::default() });
        let mut client = connect(&server).await;
        let start = Instant::now();
        client.say_hello(hello("Ann")).await.unwrap();
        assert!(start.elapsed() >= 230 * MS);
    }
}

mod options {
    use super::*;

    #[test]
    fn all_mistakes_are_named_together() {
        let problems = Server::new(Options {
            errors: vec!["ABORTED:60%".parse().unwrap(), "INTERNAL:60%".parse().unwrap()],
            max_concurrent_streams: Some(0),
            max_connection_age: Some(Duration::ZERO),
            tls: Some(Tls { cert: "no/cert.pem".into(), key: "no/key.pem".into() }),
            ..Options::default()
        })
        .unwrap_err();
        let text = problems.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5, "{text}");
        for (line, parts) in lines.iter().zip([
            ["`ABORTED:60%, INTERNAL:60%`", "--error", "at most 100%"],
            ["`0`", "--max-concurrent-streams", "1 is the least"],
            ["`0`", "--max-connection-age", "longer than no time"],
            ["`no/cert.pem`", "--tls-cert", "cannot be read"],
            ["`no/key.pem`", "--tls-key", "cannot be read"],
        ]) {
            assert!(parts.iter().all(|part| line.contains(part)), "{line}");
        }
        assert_eq!(problems.exit(), 2);
    }

    #[test]
    fn a_server_with_bad_options_does_not_start() {
        let error = Background::start(Options { max_concurrent_streams: Some(0), ..Options::default() }).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
        assert!(error.to_string().contains("--max-concurrent-streams"));
    }
}
