//! Any S3 endpoint, by way of `object_store`: one client for each bucket that was asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::list::{PaginatedListOptions, PaginatedListStore as _};
use object_store::{ClientOptions, ObjectMeta, RetryConfig};
use prost_types::Timestamp;
use tonic::Status;

use super::embedded::Embedded;
use crate::proto::s3::{GetObjectsReply, Object};

/// The variable that names the endpoint. What else S3 clients take from the environment (`AWS_ACCESS_KEY_ID`,
/// `AWS_SECRET_ACCESS_KEY`, `AWS_SKIP_SIGNATURE`, ..) holds too.
const ENDPOINT: &str = "AWS_ENDPOINT_URL";

/// Clients that are kept; with more buckets than that they are made anew.
const CLIENTS_MAX: usize = 64;

/// Where S3 is.
#[derive(Clone, Debug)]
pub struct Storage {
    builder: AmazonS3Builder,
    clients: Arc<Mutex<HashMap<(String, String), AmazonS3>>>,
}

impl Storage {
    /// The endpoint that the environment names; `None` if it names none.
    pub fn of_environment() -> Option<Storage> {
        let endpoint = std::env::var(ENDPOINT).ok().filter(|endpoint| !endpoint.is_empty())?;
        Some(Storage::at(AmazonS3Builder::from_env().with_endpoint(endpoint)))
    }

    /// The server within this process.
    pub fn within(embedded: &Embedded) -> Storage {
        Storage::at(
            AmazonS3Builder::new()
                .with_endpoint(embedded.endpoint())
                .with_access_key_id(embedded.access_key())
                .with_secret_access_key(embedded.secret_key()),
        )
    }

    fn at(builder: AmazonS3Builder) -> Storage {
        // The client takes whatever cryptography the process has chosen, and the first to choose has chosen.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // Who waits has a deadline of its own, and would rather be told than wait for minutes.
        let retry = RetryConfig { max_retries: 1, retry_timeout: Duration::from_secs(5), ..RetryConfig::default() };
        let options = ClientOptions::new()
            .with_allow_http(true)
            .with_connect_timeout(Duration::from_secs(2))
            .with_timeout(Duration::from_secs(10));
        Storage { builder: builder.with_client_options(options).with_retry(retry), clients: Arc::default() }
    }

    /// The first objects of a bucket whose keys begin with `prefix`.
    pub async fn list(&self, bucket: &str, region: &str, prefix: &str, most: usize) -> Result<GetObjectsReply, Status> {
        let client = self.client(bucket, region)?;
        let prefix = Some(prefix).filter(|prefix| !prefix.is_empty());
        let options = PaginatedListOptions { max_keys: Some(most), ..PaginatedListOptions::default() };
        let page = client.list_paginated(prefix, options).await.map_err(|error| status(&error))?;
        let objects = page.result.objects.into_iter().take(most).map(object).collect();
        Ok(GetObjectsReply { objects, more: page.page_token.is_some() })
    }

    fn client(&self, bucket: &str, region: &str) -> Result<AmazonS3, Status> {
        let key = (bucket.to_owned(), region.to_owned());
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&key) {
            return Ok(client.clone());
        }
        let builder = self.builder.clone().with_bucket_name(bucket).with_region(region);
        let client = builder.build().map_err(|error| Status::invalid_argument(error.to_string()))?;
        if clients.len() >= CLIENTS_MAX {
            clients.clear();
        }
        clients.insert(key, client.clone());
        Ok(client)
    }
}

fn object(meta: ObjectMeta) -> Object {
    let seconds = meta.last_modified.timestamp();
    // Fewer than 2^31 nanoseconds make up a second.
    let nanos = i32::try_from(meta.last_modified.timestamp_subsec_nanos()).unwrap_or_default();
    Object { key: meta.location.to_string(), size: meta.size, last_modified: Some(Timestamp { seconds, nanos }) }
}

/// What an error of S3 is to a caller. The client hands on a list's error as a text, in which S3's code stands.
fn status(error: &object_store::Error) -> Status {
    let said = error.to_string();
    let says = |codes: &[&str]| codes.iter().any(|code| said.contains(code));
    if says(&["NoSuchBucket"]) {
        Status::not_found("there is no such bucket")
    } else if says(&["AccessDenied", "AllAccessDisabled"]) {
        Status::permission_denied("S3 does not let this service list the bucket")
    } else if says(&["InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken"]) {
        Status::unauthenticated("S3 does not know this service")
    } else if says(&["InvalidBucketName"]) {
        Status::invalid_argument("that is no name of a bucket")
    } else if says(&["SlowDown", "TooManyRequests"]) {
        Status::resource_exhausted("S3 wants fewer requests")
    } else {
        Status::unavailable(format!("S3 cannot be asked: {said}"))
    }
}
