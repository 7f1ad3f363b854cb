//! A server that has nothing but reflection, of files that it is given, in a version and a manner of choice.

use std::collections::{HashMap, HashSet};
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use prost::Message as _;
use prost_reflect::DescriptorPool;
use prost_reflect::prost_types::{FileDescriptorProto, FileDescriptorSet};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::{TcpListenerStream, UnboundedReceiverStream};
use tokio_stream::{Stream, StreamExt as _};
use tonic::service::Routes;
use tonic::{Request, Response, Status, Streaming};
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::server_reflection_server as v1;
use tonic_reflection::pb::v1::{
    ErrorResponse, ExtensionNumberResponse, FileDescriptorResponse, ListServiceResponse, ServerReflectionRequest,
    ServerReflectionResponse, ServiceResponse,
};
use tonic_reflection::pb::{v1alpha as alpha, v1alpha::server_reflection_server as v1alpha};

/// Which versions of reflection a server has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Version {
    V1,
    V1Alpha,
    Neither,
}

/// How a server answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Manner {
    /// With the file that was asked for.
    OneFile,
    /// With that and all that it imports.
    WithImports,
    /// With one file, and then it ends the stream.
    OneAnswer,
    /// It says that it knows no such thing by ending the stream, and does not know extensions at all.
    Abrupt,
    /// Only to those who send `token: secret`, and not at all to others.
    Guarded,
    /// Never.
    Silent,
    /// Each file that it is asked for imports two that it has not sent yet.
    Endless,
}

/// A running server; it ends when this goes.
pub(crate) struct ReflectionServer {
    port: u16,
    /// What it was asked, in order.
    asked: Arc<Mutex<Vec<String>>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ReflectionServer {
    pub(crate) fn start(set: &FileDescriptorSet, version: Version, manner: Manner) -> ReflectionServer {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let knows = Arc::new(Knows::new(set, manner, Arc::clone(&asked)));
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let incoming = TcpListenerStream::new(tokio::net::TcpListener::from_std(listener).unwrap());
                let routes = match version {
                    Version::V1 => Routes::new(v1::ServerReflectionServer::new(Answering(knows))),
                    Version::V1Alpha => Routes::new(v1alpha::ServerReflectionServer::new(Answering(knows))),
                    Version::Neither => Routes::default(),
                };
                let serving = tonic::transport::Server::builder().add_routes(routes).serve_with_incoming(incoming);
                tokio::select! {
                    served = serving => served.unwrap(),
                    _ = stopped => {}
                }
            });
        });
        ReflectionServer { port, asked, stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for ReflectionServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

struct Knows {
    files: HashMap<String, FileDescriptorProto>,
    symbols: HashMap<String, String>,
    /// By extended message and number, the file.
    extensions: HashMap<(String, i32), String>,
    services: Vec<String>,
    manner: Manner,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Knows {
    fn new(set: &FileDescriptorSet, manner: Manner, asked: Arc<Mutex<Vec<String>>>) -> Knows {
        let files: HashMap<_, _> = set.file.iter().map(|file| (file.name().to_owned(), file.clone())).collect();
        let mut knows =
            Knows { files, symbols: HashMap::new(), extensions: HashMap::new(), services: Vec::new(), manner, asked };
        // Sets that cannot be linked are served by their first symbols.
        for file in &set.file {
            for found in &file.service {
                let name = full(file.package(), found.name());
                knows.services.push(name.clone());
                knows.symbols.insert(name, file.name().to_owned());
            }
            for found in &file.message_type {
                knows.symbols.insert(full(file.package(), found.name()), file.name().to_owned());
            }
        }
        if let Ok(pool) = DescriptorPool::from_file_descriptor_set(set.clone()) {
            let messages = pool.all_messages();
            knows.symbols.extend(messages.map(|found| (found.full_name().into(), found.parent_file().name().into())));
            let enums = pool.all_enums();
            knows.symbols.extend(enums.map(|found| (found.full_name().into(), found.parent_file().name().into())));
            for found in pool.all_extensions() {
                let number = i32::try_from(found.number()).unwrap();
                let extended = found.containing_message().full_name().to_owned();
                knows.extensions.insert((extended, number), found.parent_file().name().to_owned());
            }
        }
        knows
    }

    /// The answer to a question; `Err` ends the stream.
    fn answer(&self, question: &MessageRequest) -> Result<MessageResponse, Status> {
        let unknown = |what: &str| {
            let error_message = format!("{what} is not known");
            if self.manner == Manner::Abrupt {
                return Err(Status::not_found(error_message));
            }
            Ok(MessageResponse::ErrorResponse(ErrorResponse { error_code: 5, error_message }))
        };
        match question {
            MessageRequest::FileByFilename(name) if self.manner == Manner::Endless => {
                Ok(MessageResponse::FileDescriptorResponse(FileDescriptorResponse {
                    file_descriptor_proto: vec![
                        FileDescriptorProto {
                            name: Some(name.clone()),
                            dependency: vec![format!("{name}0"), format!("{name}1")],
                            ..FileDescriptorProto::default()
                        }
                        .encode_to_vec(),
                    ],
                }))
            }
            MessageRequest::FileByFilename(name) => {
                if self.files.contains_key(name) {
                    Ok(self.files(name))
                } else {
                    unknown(name)
                }
            }
            MessageRequest::FileContainingSymbol(symbol) => match self.symbols.get(symbol) {
                Some(file) => Ok(self.files(file)),
                None => unknown(symbol),
            },
            MessageRequest::ListServices(_) => Ok(MessageResponse::ListServicesResponse(ListServiceResponse {
                service: self.services.iter().map(|name| ServiceResponse { name: name.clone() }).collect(),
            })),
            _ if self.manner == Manner::Abrupt => Err(Status::unimplemented("no extensions")),
            MessageRequest::AllExtensionNumbersOfType(name) => {
                let numbers = self.extensions.keys().filter(|(extended, _)| extended == name);
                Ok(MessageResponse::AllExtensionNumbersResponse(ExtensionNumberResponse {
                    base_type_name: name.clone(),
                    extension_number: numbers.map(|(_, number)| *number).collect(),
                }))
            }
            MessageRequest::FileContainingExtension(which) => {
                let key = (which.containing_type.clone(), which.extension_number);
                match self.extensions.get(&key) {
                    Some(file) => Ok(self.files(file)),
                    None => unknown("the extension"),
                }
            }
        }
    }

    fn files(&self, name: &str) -> MessageResponse {
        let mut sent = HashSet::new();
        let mut next = vec![name.to_owned()];
        let mut files = Vec::new();
        while let Some(name) = next.pop() {
            let Some(file) = self.files.get(&name).filter(|_| sent.insert(name.clone())) else { continue };
            files.push(file.encode_to_vec());
            if self.manner == Manner::WithImports {
                next.extend(file.dependency.iter().cloned());
            }
        }
        MessageResponse::FileDescriptorResponse(FileDescriptorResponse { file_descriptor_proto: files })
    }
}

fn full(package: &str, name: &str) -> String {
    if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") }
}

struct Answering(Arc<Knows>);

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

impl Answering {
    /// Both versions have the same messages on the wire, so one is answered by way of the other.
    fn talk<Q, A>(&self, request: Request<Streaming<Q>>) -> Result<Response<Answers<A>>, Status>
    where
        Q: prost::Message + 'static,
        A: prost::Message + Default + 'static,
    {
        let knows = Arc::clone(&self.0);
        if knows.manner == Manner::Guarded && request.metadata().get("token").is_none_or(|token| token != "secret") {
            return Err(Status::unauthenticated("no token, no schema"));
        }
        let mut questions = request.into_inner();
        let (answers, out) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(Ok(question)) = questions.next().await {
                let question = ServerReflectionRequest::decode(question.encode_to_vec().as_slice()).unwrap();
                let what = question.message_request.clone().unwrap();
                knows.asked.lock().unwrap().push(format!("{what:?}"));
                if knows.manner == Manner::Silent {
                    continue;
                }
                let answer = knows.answer(&what).map(|answer| {
                    let answer = ServerReflectionResponse {
                        valid_host: String::new(),
                        original_request: Some(question),
                        message_response: Some(answer),
                    };
                    A::decode(answer.encode_to_vec().as_slice()).unwrap()
                });
                let ended = answer.is_err() || knows.manner == Manner::OneAnswer;
                if answers.send(answer).is_err() || ended {
                    return;
                }
            }
        });
        Ok(Response::new(Box::pin(UnboundedReceiverStream::new(out))))
    }
}

#[tonic::async_trait]
impl v1::ServerReflection for Answering {
    type ServerReflectionInfoStream = Answers<ServerReflectionResponse>;

    async fn server_reflection_info(
        &self,
        request: Request<Streaming<ServerReflectionRequest>>,
    ) -> Result<Response<Self::ServerReflectionInfoStream>, Status> {
        self.talk(request)
    }
}

#[tonic::async_trait]
impl v1alpha::ServerReflection for Answering {
    type ServerReflectionInfoStream = Answers<alpha::ServerReflectionResponse>;

    async fn server_reflection_info(
        &self,
        request: Request<Streaming<alpha::ServerReflectionRequest>>,
    ) -> Result<Response<Self::ServerReflectionInfoStream>, Status> {
        self.talk(request)
    }
}
