//! The stand-in for MongoDB: documents as BSON in one file. Not MongoDB, and no server; what it has in common is that a
//! document is on the disk when the call is answered, and that no two of a collection have the same `_id`.

use std::path::Path;
use std::sync::Arc;

use mongodb::bson::{Document, doc};
use redb::{Database, ReadableDatabase as _, ReadableTable as _, ReadableTableMetadata as _, TableDefinition};
use tonic::Status;

use super::{Documents, ID};

/// By database and collection, and by the encoded `_id`.
type Key = (&'static str, &'static [u8]);
const DOCUMENTS: TableDefinition<'_, Key, &[u8]> = TableDefinition::new("documents");

/// An open file.
#[derive(Clone, Debug)]
pub struct File {
    database: Arc<Database>,
}

impl File {
    /// Opens a file, or makes one.
    pub fn open(path: &Path) -> Result<File, redb::Error> {
        Ok(File { database: Arc::new(Database::create(path)?) })
    }

    /// How many documents it has.
    pub fn count(&self) -> Result<u64, redb::Error> {
        let read = self.database.begin_read()?;
        match read.open_table(DOCUMENTS) {
            Ok(table) => Ok(table.len()?),
            Err(redb::TableError::TableDoesNotExist(_)) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether it was written: not if there is one with the same key.
    fn write(&self, namespace: &str, id: &[u8], document: &[u8]) -> Result<bool, redb::Error> {
        let write = self.database.begin_write()?;
        {
            let mut table = write.open_table(DOCUMENTS)?;
            if table.get((namespace, id))?.is_some() {
                return Ok(false);
            }
            table.insert((namespace, id), document)?;
        }
        write.commit()?;
        Ok(true)
    }
}

impl Documents for File {
    async fn insert(&self, database: &str, collection: &str, document: Document) -> Result<(), Status> {
        let namespace = format!("{database}.{collection}");
        let encoded = |document: &Document| {
            document.to_vec().map_err(|error| Status::invalid_argument(format!("that is no BSON: {error}")))
        };
        let id = encoded(&doc! { ID: document.get(ID).cloned() })?;
        let document = encoded(&document)?;
        let file = self.clone();
        let written = tokio::task::spawn_blocking(move || file.write(&namespace, &id, &document));
        match written.await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err(Status::already_exists("there is a document with this _id")),
            Ok(Err(error)) => Err(Status::internal(format!("the file cannot be written: {error}"))),
            Err(error) => Err(Status::internal(error.to_string())),
        }
    }
}
