//! Documents in the file, and by the driver to a server that does what a test says.

use std::collections::BTreeMap;
use std::time::Duration;

use mongodb::bson::{Document, doc};
use prost_types::value::Kind;
use prost_types::{Struct, Value};
use services::mongo::{Documents, File, Mongo, Server};
use services::proto::mongo::InsertDocumentRequest;
use services::proto::mongo::mongo_client::MongoClient;
use services::proto::mongo::mongo_server::{MongoServer, SERVICE_NAME};
use tonic::service::Routes;
use tonic::{Code, Status};

use crate::op_msg::{Answer, Peer};
use crate::serving::connect;

const PATIENCE: Duration = Duration::from_secs(5);

async fn client<D: Documents>(documents: D) -> MongoClient<tonic::transport::Channel> {
    let routes = Routes::new(MongoServer::new(Mongo::new(documents)));
    MongoClient::new(connect(routes, &[SERVICE_NAME]).await)
}

fn order(fields: &[(&str, &str)]) -> InsertDocumentRequest {
    let text = |text: &str| Value { kind: Some(Kind::StringValue(text.to_owned())) };
    let fields: BTreeMap<_, _> = fields.iter().map(|(name, value)| ((*name).to_owned(), text(value))).collect();
    let document = Some(Struct { fields });
    InsertDocumentRequest { database: "shop".to_owned(), collection: "orders".to_owned(), document }
}

#[tokio::test]
async fn the_file_keeps_one_document_for_each_id() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("documents");
    let file = File::open(&path).unwrap();
    let mut client = client(file.clone()).await;

    assert_eq!(file.count().unwrap(), 0);
    let new = client.insert_document(order(&[("item", "tea")])).await.unwrap().into_inner().id;
    assert_eq!(new.len(), 24, "an ObjectId: {new}");
    let named = order(&[("item", "tea"), ("_id", "first")]);
    assert_eq!(client.insert_document(named.clone()).await.unwrap().into_inner().id, "first");
    assert_eq!(client.insert_document(named.clone()).await.unwrap_err().code(), Code::AlreadyExists);
    let elsewhere = InsertDocumentRequest { collection: "returns".to_owned(), ..named };
    client.insert_document(elsewhere).await.unwrap();
    assert_eq!(file.count().unwrap(), 3);
}

#[tokio::test]
async fn a_place_needs_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = client(File::open(&folder.path().join("documents")).unwrap()).await;
    for name in ["", "a b", "$cmd"] {
        for request in [
            InsertDocumentRequest { database: name.to_owned(), ..order(&[]) },
            InsertDocumentRequest { collection: name.to_owned(), ..order(&[]) },
        ] {
            assert_eq!(client.insert_document(request).await.unwrap_err().code(), Code::InvalidArgument);
        }
    }
}

#[tokio::test]
async fn the_driver_writes_what_was_asked_for() {
    let peer = Peer::start(Answer::Reply(doc! { "ok": 1.0, "n": 1 })).await;
    let mut client = client(Server::at(&peer.uri(), PATIENCE).await.unwrap()).await;
    for number in 1..=3 {
        client.insert_document(order(&[("_id", &number.to_string()), ("item", "tea")])).await.unwrap();
    }
    let expected = |id: &str| ("shop.orders".to_owned(), doc! { "_id": id, "item": "tea" });
    assert_eq!(peer.inserted(), ["1", "2", "3"].map(expected));
}

/// What a caller is told, and how often the server was asked.
async fn told(answer: Answer, patience: Duration) -> (Status, usize) {
    let peer = Peer::start(answer).await;
    let server = Server::at(&peer.uri(), patience).await.unwrap();
    let status = server.insert("shop", "orders", doc! { "_id": 1 }).await.unwrap_err();
    (status, peer.inserted().len())
}

fn write_error(code: i32) -> Document {
    doc! { "ok": 1.0, "n": 0, "writeErrors": [{ "index": 0, "code": code, "errmsg": "no" }] }
}

#[tokio::test]
async fn what_the_server_says_is_told_as_a_status() {
    let failed = |code: i32| doc! { "ok": 0.0, "code": code, "codeName": "no", "errmsg": "no" };
    for (reply, code) in [
        (write_error(11_000), Code::AlreadyExists),
        (write_error(121), Code::Internal),
        (failed(13), Code::PermissionDenied),
        (failed(8_000), Code::Internal),
    ] {
        let (status, asked) = told(Answer::Reply(reply.clone()), PATIENCE).await;
        assert_eq!((status.code(), asked), (code, 1), "{reply}: {status}");
    }
}

#[tokio::test]
async fn a_slow_server_is_given_up() {
    let (status, asked) = told(Answer::Late(Duration::from_secs(60)), Duration::from_millis(500)).await;
    assert_eq!((status.code(), asked), (Code::DeadlineExceeded, 1), "{status}");
}

#[tokio::test]
async fn a_server_that_goes_away_is_unavailable() {
    let (status, asked) = told(Answer::Gone, PATIENCE).await;
    assert_eq!(status.code(), Code::Unavailable, "{status}");
    assert!(asked >= 1);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let uri = format!("mongodb://127.0.0.1:{port}/?serverSelectionTimeoutMS=200");
    let server = Server::at(&uri, PATIENCE).await.unwrap();
    let status = server.insert("shop", "orders", doc! { "_id": 1 }).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status}");
}
