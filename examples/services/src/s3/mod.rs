//! `AwsAPI.S3` and `AwsAPI.S3Stream`: what is in a bucket, up to fifty objects a call.

mod embedded;
mod storage;

use std::pin::Pin;

use futures_util::{Stream, stream};
use tonic::{Request, Response, Status};

pub use embedded::Embedded;
pub use storage::Storage;

use crate::proto::s3::{GetObjectsReply, GetObjectsRequest, Object};
use crate::proto::s3::{s3_server, s3_stream_server};

/// The most objects in an answer.
const OBJECTS_MAX: usize = 50;
/// The region of a request that names none.
const REGION: &str = "us-east-1";

/// Both services.
#[derive(Clone, Debug)]
pub struct S3 {
    storage: Storage,
}

impl S3 {
    /// The services before `storage`.
    pub fn new(storage: Storage) -> S3 {
        S3 { storage }
    }

    async fn list(&self, request: GetObjectsRequest) -> Result<GetObjectsReply, Status> {
        let GetObjectsRequest { bucket, region, prefix } = request;
        if bucket.is_empty() {
            return Err(Status::invalid_argument("the request names no bucket"));
        }
        let region = if region.is_empty() { REGION } else { &region };
        self.storage.list(&bucket, region, &prefix, OBJECTS_MAX).await
    }
}

#[tonic::async_trait]
impl s3_server::S3 for S3 {
    async fn get_objects(&self, request: Request<GetObjectsRequest>) -> Result<Response<GetObjectsReply>, Status> {
        Ok(Response::new(self.list(request.into_inner()).await?))
    }
}

#[tonic::async_trait]
impl s3_stream_server::S3Stream for S3 {
    type GetObjectsStream = Pin<Box<dyn Stream<Item = Result<Object, Status>> + Send>>;

    async fn get_objects(
        &self,
        request: Request<GetObjectsRequest>,
    ) -> Result<Response<Self::GetObjectsStream>, Status> {
        let reply = self.list(request.into_inner()).await?;
        let objects = stream::iter(reply.objects.into_iter().map(Ok));
        Ok(Response::new(Box::pin(objects) as Self::GetObjectsStream))
    }
}
