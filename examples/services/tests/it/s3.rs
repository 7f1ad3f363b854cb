//! The list of a bucket, by way of the S3 server within this process.

use futures_util::TryStreamExt as _;
use services::proto::s3::GetObjectsRequest;
use services::proto::s3::{s3_client::S3Client, s3_stream_client::S3StreamClient};
use services::proto::s3::{
    s3_server::{S3Server, SERVICE_NAME},
    s3_stream_server::S3StreamServer,
};
use services::s3::{Embedded, S3, Storage};
use tonic::Code;
use tonic::service::Routes;
use tonic::transport::Channel;

use crate::serving::connect;

async fn start() -> (Embedded, Channel) {
    let embedded = Embedded::start().await.unwrap();
    let service = S3::new(Storage::within(&embedded));
    let routes = Routes::new(S3Server::new(service.clone())).add_service(S3StreamServer::new(service));
    (embedded, connect(routes, &[SERVICE_NAME]).await)
}

fn request(bucket: &str, prefix: &str) -> GetObjectsRequest {
    GetObjectsRequest { bucket: bucket.to_owned(), region: "us-east-1".to_owned(), prefix: prefix.to_owned() }
}

#[tokio::test]
async fn up_to_fifty_objects_are_listed_at_once_or_one_by_one() {
    let (_embedded, channel) = start().await;
    let reply = S3Client::new(channel.clone()).get_objects(request("commoncrawl", "")).await.unwrap().into_inner();
    let keys: Vec<_> = reply.objects.iter().map(|object| object.key.clone()).collect();
    assert!(keys.len() == 50 && reply.more && keys.is_sorted());
    assert_eq!(keys[0], "crawl-data/CC-MAIN-2026-10/segments/000/warc/CC-MAIN-00000.warc");
    assert_eq!((reply.objects[1].size, reply.objects[1].last_modified.is_some()), (107, true));

    let objects = S3StreamClient::new(channel).get_objects(request("commoncrawl", "")).await.unwrap().into_inner();
    let one_by_one: Vec<_> = objects.map_ok(|object| object.key).try_collect().await.unwrap();
    assert_eq!(one_by_one, keys);
}

#[tokio::test]
async fn a_prefix_narrows_it_down() {
    let (_embedded, channel) = start().await;
    let last = request("commoncrawl", "crawl-data/CC-MAIN-2026-10/segments/014");
    let reply = S3Client::new(channel).get_objects(last).await.unwrap().into_inner();
    assert_eq!((reply.objects.len(), reply.more), (20, false));
}

#[tokio::test]
async fn what_is_wrong_is_told_as_a_status() {
    let (embedded, channel) = start().await;
    let mut client = S3Client::new(channel);
    let mut code = async |bucket| client.get_objects(request(bucket, "")).await.unwrap_err().code();
    assert_eq!(code("").await, Code::InvalidArgument);
    assert_eq!(code("no-such-bucket").await, Code::NotFound);
    // A bucket that nobody has asked for: no connection is kept for it.
    drop(embedded);
    assert_eq!(code("another-bucket").await, Code::Unavailable);
}
