//! `services greeter|s3|mongo`: one command starts a service worth testing.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit, reason = "a program that tells what it does")]

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use services::greeter::Greeter;
use services::mongo::{self, Documents, File, Mongo, Server};
use services::proto::greeter::greeter_server::{self, GreeterServer};
use services::proto::mongo::mongo_server::{self, MongoServer};
use services::proto::s3::s3_server::{self, S3Server};
use services::proto::s3::s3_stream_server::{self, S3StreamServer};
use services::s3::{Embedded, S3, Storage};
use services::serving::{Bound, Failure};
use tonic::service::Routes;

/// The longest that MongoDB may take to write a document.
const PATIENCE: Duration = Duration::from_secs(10);

/// Services worth testing
#[derive(Parser, Debug)]
#[command(name = "services", version)]
struct Cli {
    #[command(subcommand)]
    service: Service,
}

#[derive(Subcommand, Debug)]
enum Service {
    /// helloworld.Greeter: pure computation
    Greeter {
        /// Where to listen; port 0 takes a free one
        #[arg(default_value = "127.0.0.1:50051")]
        address: SocketAddr,
        /// How hard each greeting is: a million rounds take a millisecond or two of a CPU
        #[arg(long, default_value_t = 1_000_000)]
        rounds: u32,
    },
    /// AwsAPI.S3 and AwsAPI.S3Stream: what is in a bucket of the S3 endpoint in AWS_ENDPOINT_URL [default: a server
    /// within this process, with a few hundred objects in the bucket commoncrawl]
    S3 {
        /// Where to listen; port 0 takes a free one
        #[arg(default_value = "127.0.0.1:50052")]
        address: SocketAddr,
    },
    /// MongoAPI.Mongo: writes documents to the server in MONGODB_URI [default: to a file, which is not MongoDB]
    Mongo {
        /// Where to listen; port 0 takes a free one
        #[arg(default_value = "127.0.0.1:50053")]
        address: SocketAddr,
        /// The file for documents where MONGODB_URI is not set [default: one that is gone at the end]
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
}

#[tokio::main]
async fn main() {
    let ended = match Cli::parse().service {
        Service::Greeter { address, rounds } => greeter(address, rounds).await,
        Service::S3 { address } => s3(address).await,
        Service::Mongo { address, file } => mongo(address, file).await,
    };
    if let Err(failure) = ended {
        eprintln!("error: {failure}");
        std::process::exit(1);
    }
}

async fn greeter(address: SocketAddr, rounds: u32) -> Result<(), Failure> {
    let bound = listen(address, &format!("helloworld.Greeter, {rounds} rounds a greeting")).await?;
    let service = GreeterServer::new(Greeter::new(rounds));
    bound.serve(Routes::new(service), &[greeter_server::SERVICE_NAME], interrupted()).await
}

async fn s3(address: SocketAddr) -> Result<(), Failure> {
    // Lives as long as the service.
    let mut embedded = None;
    let (storage, place) = match Storage::of_environment() {
        Some(storage) => (storage, "the endpoint in AWS_ENDPOINT_URL".to_owned()),
        None => {
            let server = embedded.insert(Embedded::start().await?);
            (Storage::within(server), format!("an S3 server in this process, {}", server.endpoint()))
        }
    };
    let bound = listen(address, &format!("AwsAPI.S3 and AwsAPI.S3Stream, before {place}")).await?;
    let service = S3::new(storage);
    let routes = Routes::new(S3Server::new(service.clone())).add_service(S3StreamServer::new(service));
    bound.serve(routes, &[s3_server::SERVICE_NAME, s3_stream_server::SERVICE_NAME], interrupted()).await
}

async fn mongo(address: SocketAddr, file: Option<PathBuf>) -> Result<(), Failure> {
    if let Ok(uri) = std::env::var(mongo::URI) {
        let server = Server::at(&uri, PATIENCE).await.map_err(|error| format!("{}: {error}", mongo::URI))?;
        return write_to(server, address, "the server in MONGODB_URI").await;
    }
    // Lives as long as the service.
    let folder = tempfile::tempdir()?;
    let path = file.unwrap_or_else(|| folder.path().join("documents.redb"));
    let file = File::open(&path).map_err(|error| format!("`{}` cannot be opened: {error}", path.display()))?;
    write_to(file, address, &format!("the file {}, which is not MongoDB", path.display())).await
}

async fn write_to<D: Documents>(documents: D, address: SocketAddr, place: &str) -> Result<(), Failure> {
    let bound = listen(address, &format!("MongoAPI.Mongo, before {place}")).await?;
    let service = MongoServer::new(Mongo::new(documents));
    bound.serve(Routes::new(service), &[mongo_server::SERVICE_NAME], interrupted()).await
}

/// Takes the port, and says so.
async fn listen(address: SocketAddr, what: &str) -> Result<Bound, Failure> {
    let bound = Bound::to(address).await?;
    println!("{what}, listens on {}; Ctrl-C ends it", bound.address()?);
    Ok(bound)
}

/// Waits for the wish to end it.
async fn interrupted() {
    // Without signals it runs until it is killed.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
