//! Questions to a server about its schema, and the answers: grpc/doc/server-reflection.md.
//!
//! Both versions of the protocol have the same messages and differ in the name of the service, so that one set of types
//! serves for both. The first version is asked first; the older one if the server does not implement that.

use prost::bytes::Bytes;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::MetadataMap;
use tonic::transport::Channel;
use tonic::{Code, Request, Status, Streaming};
use tonic_prost::ProstCodec;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};

/// The ways to the service in the order in which they are tried.
const PATHS: [&str; 2] = [
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];
/// The most that one answer may have: a file and all that it imports, if the server sends them together.
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// How many questions are asked before the first answer is waited for. Servers may hold all of them in memory.
const AHEAD: usize = 64;

/// An exchange of questions and answers with a server.
pub(super) struct Exchange {
    grpc: Grpc<Channel>,
    metadata: MetadataMap,
    /// Which of [`PATHS`] is used.
    version: usize,
    /// Something was answered, so that the version is right.
    settled: bool,
    stream: Option<Stream>,
}

/// An open stream.
struct Stream {
    questions: UnboundedSender<ServerReflectionRequest>,
    answers: Streaming<ServerReflectionResponse>,
    answered: usize,
}

/// What a server answers.
#[derive(Debug)]
pub(super) enum Answer {
    /// Files.
    Files(Vec<Bytes>),
    /// Names of services.
    Services(Vec<String>),
    /// Numbers of extensions.
    Numbers(Vec<i32>),
    /// It has no answer to that.
    Nothing,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// The server implements neither version.
    Unimplemented,
    /// The stream ended so.
    Ended(Status),
}

impl Exchange {
    /// With `metadata` on each stream.
    pub(super) fn new(channel: Channel, metadata: MetadataMap) -> Exchange {
        let grpc = Grpc::new(channel).max_decoding_message_size(ANSWER_BYTES_MAX);
        Exchange { grpc, metadata, version: 0, settled: false, stream: None }
    }

    /// Whether the server has answered anything.
    pub(super) fn settled(&self) -> bool {
        self.settled
    }

    /// Asks one question.
    pub(super) async fn ask_one(&mut self, question: MessageRequest) -> Result<Answer, Fault> {
        let answers = self.ask(&[question]).await?;
        Ok(answers.into_iter().next().unwrap_or(Answer::Nothing))
    }

    /// Asks questions; there are as many answers, in the same order.
    pub(super) async fn ask(&mut self, questions: &[MessageRequest]) -> Result<Vec<Answer>, Fault> {
        let mut answers = Vec::with_capacity(questions.len());
        while answers.len() < questions.len() {
            let ahead = questions[answers.len()..].iter().take(AHEAD);
            let Err(status) = self.round(ahead.cloned().collect(), &mut answers).await else { continue };
            // All that was asked on this stream and not answered is lost with it.
            self.stream = None;
            match status.code() {
                Code::Unimplemented if !self.settled => {
                    self.version += 1;
                    if self.version == PATHS.len() {
                        return Err(Fault::Unimplemented);
                    }
                }
                // Some servers end the stream where others say in an answer that they know no such thing.
                Code::NotFound | Code::InvalidArgument | Code::Unimplemented => {
                    self.settled = true;
                    answers.push(Answer::Nothing);
                }
                _ => return Err(Fault::Ended(status)),
            }
        }
        Ok(answers)
    }

    /// Asks some questions on one stream and waits for their answers, until the stream ends.
    async fn round(&mut self, questions: Vec<MessageRequest>, answers: &mut Vec<Answer>) -> Result<(), Status> {
        let wanted = answers.len() + questions.len();
        let mut messages = questions
            .into_iter()
            .map(|question| ServerReflectionRequest { host: String::new(), message_request: Some(question) });
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => none.insert(open(&mut self.grpc, PATHS[self.version], &self.metadata, &mut messages).await?),
        };
        for message in messages {
            // If the stream has ended, that shows below.
            let _ = stream.questions.send(message);
        }
        while answers.len() < wanted {
            match stream.answers.message().await? {
                Some(answer) => {
                    answers.push(read(answer)?);
                    stream.answered += 1;
                    self.settled = true;
                }
                // A server may end the stream after some answers; another one has room for the rest.
                None if stream.answered > 0 => {
                    self.stream = None;
                    return Ok(());
                }
                None => return Err(Status::unknown("the server ended the stream without an answer")),
            }
        }
        Ok(())
    }
}

/// Opens a stream with the first questions on it: servers may say nothing at all before they have one.
async fn open(
    grpc: &mut Grpc<Channel>,
    path: &'static str,
    metadata: &MetadataMap,
    messages: &mut impl Iterator<Item = ServerReflectionRequest>,
) -> Result<Stream, Status> {
    let (questions, asked) = unbounded_channel();
    for message in messages {
        let _ = questions.send(message);
    }
    let mut request = Request::new(UnboundedReceiverStream::new(asked));
    request.metadata_mut().clone_from(metadata);
    grpc.ready().await.map_err(|error| Status::from_error(Box::new(error)))?;
    let codec = ProstCodec::<ServerReflectionRequest, ServerReflectionResponse>::default();
    let response = grpc.streaming(request, PathAndQuery::from_static(path), codec).await?;
    Ok(Stream { questions, answers: response.into_inner(), answered: 0 })
}

/// What an answer says. An error in it that is about the asker, and not about what was asked, ends the exchange.
fn read(answer: ServerReflectionResponse) -> Result<Answer, Status> {
    Ok(match answer.message_response {
        Some(MessageResponse::FileDescriptorResponse(files)) => {
            Answer::Files(files.file_descriptor_proto.into_iter().map(Bytes::from).collect())
        }
        Some(MessageResponse::ListServicesResponse(list)) => {
            Answer::Services(list.service.into_iter().map(|service| service.name).collect())
        }
        Some(MessageResponse::AllExtensionNumbersResponse(extensions)) => Answer::Numbers(extensions.extension_number),
        Some(MessageResponse::ErrorResponse(error)) => match Code::from_i32(error.error_code) {
            code @ (Code::Unauthenticated | Code::PermissionDenied) => {
                return Err(Status::new(code, error.error_message));
            }
            _ => Answer::Nothing,
        },
        None => Answer::Nothing,
    })
}
