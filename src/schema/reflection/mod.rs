//! The schema of a server, from itself.
//!
//! One connection, made and closed before the run, that takes no part in what is measured. What a server may send is
//! bounded in time, in bytes and in files.

mod channel;
mod exchange;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::runtime::Builder;
use tokio::time::timeout;
use tonic::Code;
use tonic::codegen::http::{HeaderMap, HeaderName, HeaderValue};
use tonic::metadata::MetadataMap;
use tonic_reflection::pb::v1::ExtensionRequest;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;

use crate::error::{Origin, Problems, SchemaError};
use crate::transport::{Target, explain};

use super::library::Library;
use exchange::{Answer, Exchange, Fault};

/// The most bytes and files that are taken, all answers together.
const BYTES_MAX: usize = 256 << 20;
const FILES_MAX: usize = 50_000;
/// Of how many messages extensions are asked for at most, and how many extensions.
const EXTENDED_MAX: usize = 200;
const EXTENSIONS_MAX: usize = 1_000;

/// What is wanted of a server.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted<'a> {
    /// The names of its services.
    Names,
    /// The first of these symbols that it knows, with all that it leads to.
    FirstOf(&'a [&'a str]),
    /// All services.
    Everything,
}

/// What a server told.
#[derive(Debug)]
pub(super) struct Told {
    /// The files.
    pub(super) library: Library,
    /// The services that it lists, if that was asked for.
    pub(super) listed: Vec<String>,
}

/// Asks `target`, whose security has been found out, with `metadata`. Blocks this thread, at most twice the connect
/// timeout: once to connect, and once for all questions.
pub(super) fn ask(target: &Target, metadata: &[(String, Vec<u8>)], wanted: Wanted<'_>) -> Result<Told, Problems> {
    let runtime = Builder::new_current_thread().enable_all().build().expect("the system gives a runtime");
    let host = target.address.to_string();
    let answered = catch_unwind(AssertUnwindSafe(|| runtime.block_on(exchange(target, metadata, wanted, &host))));
    // tonic panics on a status whose details are not in base64.
    answered.unwrap_or_else(|_| {
        let (code, message) = ("Internal".to_owned(), "its answer cannot be read".to_owned());
        Err(SchemaError::ReflectionRefused { host, code, denied: false, message }.into())
    })
}

async fn exchange(
    target: &Target,
    metadata: &[(String, Vec<u8>)],
    wanted: Wanted<'_>,
    host: &str,
) -> Result<Told, Problems> {
    let channel = channel::connect(target).await?;
    let mut talk = Talk {
        exchange: Exchange::new(channel, headers(metadata)),
        told: Told { library: Library::default(), listed: Vec::new() },
        asked: HashSet::new(),
        bytes: 0,
    };
    let within = target.connect_timeout;
    match timeout(within, talk.through(wanted)).await {
        Ok(Ok(())) => Ok(talk.told),
        Ok(Err(stop)) => Err(stop.explain(host.to_owned(), target, talk.exchange.settled()).await),
        Err(_) => Err(SchemaError::ReflectionTimedOut { host: host.to_owned(), within }.into()),
    }
}

fn headers(metadata: &[(String, Vec<u8>)]) -> MetadataMap {
    let mut headers = HeaderMap::new();
    for (name, value) in metadata {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value)) {
            headers.append(name, value);
        }
    }
    MetadataMap::from_headers(headers)
}

/// A conversation with a server.
struct Talk {
    exchange: Exchange,
    told: Told,
    /// Files that were asked for.
    asked: HashSet<String>,
    bytes: usize,
}

/// Why a conversation stopped.
enum Stop {
    Fault(Fault),
    Schema(Problems),
    TooLarge(&'static str),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl Talk {
    async fn through(&mut self, wanted: Wanted<'_>) -> Result<(), Stop> {
        match wanted {
            Wanted::Names => self.list().await?,
            Wanted::FirstOf(symbols) => {
                for symbol in symbols {
                    if self.symbols(&[(*symbol).to_owned()]).await? {
                        return self.whole().await;
                    }
                }
                // What there is instead.
                self.list().await?;
            }
            Wanted::Everything => {
                self.list().await?;
                let services = self.told.listed.clone();
                self.symbols(&services).await?;
                self.whole().await?;
            }
        }
        Ok(())
    }

    async fn list(&mut self) -> Result<(), Stop> {
        if let Answer::Services(mut names) = self.exchange.ask_one(MessageRequest::ListServices(String::new())).await? {
            names.sort_unstable();
            names.dedup();
            self.told.listed = names;
        }
        Ok(())
    }

    /// Asks for the files that have `symbols`; whether there are any.
    async fn symbols(&mut self, symbols: &[String]) -> Result<bool, Stop> {
        let questions: Vec<_> = symbols.iter().cloned().map(MessageRequest::FileContainingSymbol).collect();
        let answers = self.exchange.ask(&questions).await?;
        self.take(answers)
    }

    /// Asks for what is imported until nothing is missing, and for extensions of what there is.
    async fn whole(&mut self) -> Result<(), Stop> {
        self.imports().await?;
        // Not every server can tell of extensions, and some end the stream over it. What is there by now will do then.
        if self.extensions().await.is_ok() {
            self.imports().await?;
        }
        Ok(())
    }

    async fn imports(&mut self) -> Result<(), Stop> {
        loop {
            self.told.library.complete();
            let mut missing = self.told.library.missing();
            missing.retain(|name| self.asked.insert(name.clone()));
            if missing.is_empty() {
                return Ok(());
            }
            let questions: Vec<_> = missing.into_iter().map(MessageRequest::FileByFilename).collect();
            let answers = self.exchange.ask(&questions).await?;
            self.take(answers)?;
        }
    }

    async fn extensions(&mut self) -> Result<(), Stop> {
        let mut messages = self.told.library.extendable();
        messages.truncate(EXTENDED_MAX);
        let questions: Vec<_> = messages.iter().cloned().map(MessageRequest::AllExtensionNumbersOfType).collect();
        let mut files = Vec::new();
        for (message, answer) in messages.into_iter().zip(self.exchange.ask(&questions).await?) {
            let Answer::Numbers(numbers) = answer else { continue };
            files.extend(numbers.into_iter().map(|extension_number| {
                let containing_type = message.clone();
                MessageRequest::FileContainingExtension(ExtensionRequest { containing_type, extension_number })
            }));
        }
        files.truncate(EXTENSIONS_MAX);
        let answers = self.exchange.ask(&files).await?;
        self.take(answers)?;
        Ok(())
    }

    /// Keeps the files of some answers; whether there are any.
    fn take(&mut self, answers: Vec<Answer>) -> Result<bool, Stop> {
        let mut any = false;
        for answer in answers {
            let Answer::Files(files) = answer else { continue };
            for file in files {
                any = true;
                self.bytes += file.len();
                if self.bytes > BYTES_MAX {
                    return Err(Stop::TooLarge("256 MB"));
                }
                self.told.library.add(file, &Origin::Reflection).map_err(Stop::Schema)?;
                if self.told.library.len() > FILES_MAX {
                    return Err(Stop::TooLarge("50000 files"));
                }
            }
        }
        Ok(any)
    }
}

impl Stop {
    /// What to tell. A client of another make does not know how our connections fail, so a connection that never
    /// answered is tried again our way.
    async fn explain(self, host: String, target: &Target, settled: bool) -> Problems {
        let status = match self {
            Stop::Fault(Fault::Unimplemented) => return SchemaError::NoReflection { host }.into(),
            Stop::Fault(Fault::Ended(status)) => status,
            Stop::Schema(problems) => return problems,
            Stop::TooLarge(limit) => return SchemaError::ReflectionTooLarge { host, limit }.into(),
        };
        let of_the_connection = std::error::Error::source(&status).is_some();
        if of_the_connection
            && !settled
            && let Err(error) = explain(target).await
        {
            return error.into();
        }
        let code = status.code();
        let denied = matches!(code, Code::Unauthenticated | Code::PermissionDenied);
        let code = format!("{code:?}");
        SchemaError::ReflectionRefused { host, code, denied, message: status.message().to_owned() }.into()
    }
}
