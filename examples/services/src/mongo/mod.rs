//! `MongoAPI.Mongo`: writes one document a call.
//!
//! Where to is behind a small trait: [`Server`], which is MongoDB by the official driver, or [`File`], which is its
//! stand-in.

mod document;
mod file;
mod server;

use mongodb::bson::{Bson, Document, oid::ObjectId};
use tonic::{Request, Response, Status};

pub use file::File;
pub use server::Server;

use crate::proto::mongo::mongo_server;
use crate::proto::mongo::{InsertDocumentReply, InsertDocumentRequest};

/// The variable that names the server: mongodb://HOST:PORT.
pub const URI: &str = "MONGODB_URI";

/// The field that tells documents apart.
const ID: &str = "_id";

/// Where documents go.
pub trait Documents: Send + Sync + 'static {
    /// Writes a document that has an `_id`. Errors with the status of the call.
    fn insert(
        &self,
        database: &str,
        collection: &str,
        document: Document,
    ) -> impl Future<Output = Result<(), Status>> + Send;
}

/// The service.
#[derive(Debug)]
pub struct Mongo<D> {
    documents: D,
}

impl<D: Documents> Mongo<D> {
    /// The service before `documents`.
    pub fn new(documents: D) -> Mongo<D> {
        Mongo { documents }
    }
}

#[tonic::async_trait]
impl<D: Documents> mongo_server::Mongo for Mongo<D> {
    async fn insert_document(
        &self,
        request: Request<InsertDocumentRequest>,
    ) -> Result<Response<InsertDocumentReply>, Status> {
        let InsertDocumentRequest { database, collection, document } = request.into_inner();
        for (what, name) in [("database", &database), ("collection", &collection)] {
            if name.is_empty() || name.contains(['$', '\0', ' ']) {
                let said = format!("`{name}` is no name of a {what}: it needs one, without `$`, spaces and zero bytes");
                return Err(Status::invalid_argument(said));
            }
        }
        let mut document = document::of_struct(document.unwrap_or_default());
        let id = document.entry(ID.to_owned()).or_insert_with(|| Bson::ObjectId(ObjectId::new()));
        let id = match id {
            Bson::String(text) => text.clone(),
            Bson::ObjectId(id) => id.to_hex(),
            other => other.to_string(),
        };
        self.documents.insert(&database, &collection, document).await?;
        Ok(Response::new(InsertDocumentReply { id }))
    }
}
