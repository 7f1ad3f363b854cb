//! The stand-in for S3: a server of the same protocol within this process, over a folder that is gone with it.

use std::fs;
use std::path::Path;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

use crate::serving::Failure;

const BUCKET: &str = "commoncrawl";
const OBJECTS: usize = 300;
/// Requests are signed as they are for the real one; the server listens on the loopback interface only.
const ACCESS_KEY: &str = "embedded";
const SECRET_KEY: &str = "embedded-secret";

/// A running server. It ends, and its folder goes, when this is dropped.
#[derive(Debug)]
pub struct Embedded {
    endpoint: String,
    accepting: AbortHandle,
    _folder: TempDir,
}

impl Embedded {
    /// Starts one with a few hundred objects.
    pub async fn start() -> Result<Embedded, Failure> {
        let folder = tempfile::tempdir()?;
        seed(&folder.path().join(BUCKET))?;
        let files =
            FileSystem::new(folder.path()).map_err(|error| format!("the S3 server does not start: {error:?}"))?;
        let mut builder = S3ServiceBuilder::new(files);
        builder.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let endpoint = format!("http://{}", listener.local_addr()?);
        let accepting = tokio::spawn(accept(listener, builder.build())).abort_handle();
        Ok(Embedded { endpoint, accepting, _folder: folder })
    }

    /// Its URL.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    pub(super) fn access_key(&self) -> &'static str {
        ACCESS_KEY
    }

    pub(super) fn secret_key(&self) -> &'static str {
        SECRET_KEY
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, service: S3Service) {
    let mut connections = tokio::task::JoinSet::new();
    loop {
        // Too many open files, for instance: the next one may fare better, and a client tries again.
        let Ok((socket, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        let service = service.clone();
        connections.spawn(async move {
            // How a connection ends is its client's business.
            let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(socket), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

/// Fills a bucket.
fn seed(bucket: &Path) -> std::io::Result<()> {
    for number in 0..OBJECTS {
        let segment = bucket.join(format!("crawl-data/CC-MAIN-2026-10/segments/{:03}/warc", number / 20));
        fs::create_dir_all(&segment)?;
        let content = vec![b'.'; 100 + 7 * number];
        fs::write(segment.join(format!("CC-MAIN-{number:05}.warc")), content)?;
    }
    Ok(())
}
