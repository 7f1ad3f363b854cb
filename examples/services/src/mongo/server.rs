//! MongoDB, by its official driver.

use std::time::Duration;

use mongodb::Client;
use mongodb::bson::Document;
use mongodb::error::{Error, ErrorKind, WriteFailure};
use mongodb::options::ClientOptions;
use tonic::Status;

use super::Documents;

/// How long a call waits for a server that can be written to, unless the URI says otherwise: callers would rather be
/// told than wait for the driver's half minute.
const SELECTION: Duration = Duration::from_secs(2);
/// What MongoDB says of a second document with the same key.
const DUPLICATE_KEY: i32 = 11_000;
/// What it says to clients that may not write there.
const UNAUTHORIZED: i32 = 13;

/// A server, or a set of them.
#[derive(Clone, Debug)]
pub struct Server {
    client: Client,
    patience: Duration,
}

impl Server {
    /// The server at a URI. A write may take as long as `patience`, because the driver has no bound of its own. Nothing
    /// is connected yet: a server that is away now may be back when a call comes.
    pub async fn at(uri: &str, patience: Duration) -> Result<Server, Error> {
        let mut options = ClientOptions::parse(uri).await?;
        options.app_name.get_or_insert_with(|| "services".to_owned());
        options.server_selection_timeout.get_or_insert(SELECTION);
        Ok(Server { client: Client::with_options(options)?, patience })
    }
}

impl Documents for Server {
    async fn insert(&self, database: &str, collection: &str, document: Document) -> Result<(), Status> {
        let collection = self.client.database(database).collection::<Document>(collection);
        let written = tokio::time::timeout(self.patience, collection.insert_one(document).into_future()).await;
        match written {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(status(&error)),
            Err(_) => Err(Status::deadline_exceeded("MongoDB has not answered in time")),
        }
    }
}

/// What an error of MongoDB is to a caller.
fn status(error: &Error) -> Status {
    match &*error.kind {
        ErrorKind::Write(WriteFailure::WriteError(write)) if write.code == DUPLICATE_KEY => {
            Status::already_exists("there is a document with this _id")
        }
        ErrorKind::Command(command) if command.code == UNAUTHORIZED => {
            Status::permission_denied("MongoDB does not let this service write there")
        }
        ErrorKind::Authentication { .. } => Status::unauthenticated("MongoDB does not know this service"),
        ErrorKind::Io(_) | ErrorKind::ServerSelection { .. } | ErrorKind::ConnectionPoolCleared { .. } => {
            Status::unavailable(format!("MongoDB cannot be asked: {error}"))
        }
        ErrorKind::InvalidArgument { .. } | ErrorKind::BsonSerialization(_) => {
            Status::invalid_argument(error.to_string())
        }
        _ => Status::internal(format!("MongoDB did not write it: {error}")),
    }
}
