//! A MongoDB server as far as a driver needs one to write a document: it agrees to talk, and answers what it was told to.
//!
//! The wire protocol: a header of four little-endian numbers (length, request, response to, kind of message), and behind
//! it documents. Drivers greet with the old kind of message (`OP_QUERY`) and go on with the new one (`OP_MSG`).

use std::io::Cursor;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mongodb::bson::{Document, doc};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const OP_REPLY: i32 = 1;
const OP_QUERY: i32 = 2004;
const OP_MSG: i32 = 2013;
/// The newest protocol that is told; drivers refuse what is too old.
const WIRE_VERSION: i32 = 25;

/// What becomes of an insert.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// It is answered with this.
    Reply(Document),
    /// It is answered after a while.
    Late(Duration),
    /// The connection ends.
    Gone,
}

/// A running server.
pub(crate) struct Peer {
    port: u16,
    inserted: Arc<Mutex<Vec<(String, Document)>>>,
}

impl Peer {
    /// One that answers every insert alike.
    pub(crate) async fn start(answer: Answer) -> Peer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let peer = Peer { port: listener.local_addr().unwrap().port(), inserted: Arc::default() };
        let inserted = Arc::clone(&peer.inserted);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(talk(socket, answer.clone(), Arc::clone(&inserted)));
            }
        });
        peer
    }

    pub(crate) fn uri(&self) -> String {
        format!("mongodb://127.0.0.1:{}", self.port)
    }

    /// Documents that it was asked to write, with the collection of each.
    pub(crate) fn inserted(&self) -> Vec<(String, Document)> {
        self.inserted.lock().unwrap().clone()
    }
}

/// A connection to its end, however it comes.
async fn talk(mut socket: TcpStream, answer: Answer, inserted: Arc<Mutex<Vec<(String, Document)>>>) -> Option<()> {
    loop {
        let mut head = [0; 16];
        socket.read_exact(&mut head).await.ok()?;
        let number = |at: usize| i32::from_le_bytes(head[at..at + 4].try_into().unwrap());
        let (length, request, kind) = (number(0), number(4), number(12));
        let mut body = vec![0; usize::try_from(length).unwrap() - head.len()];
        socket.read_exact(&mut body).await.ok()?;

        let documents = match kind {
            OP_QUERY => query(&body),
            OP_MSG => message(&body),
            other => panic!("a message of kind {other}"),
        };
        let command = &documents[0];
        let reply = if let Ok(collection) = command.get_str("insert") {
            let named = format!("{}.{collection}", command.get_str("$db").unwrap());
            inserted.lock().unwrap().extend(documents[1..].iter().map(|document| (named.clone(), document.clone())));
            match &answer {
                Answer::Reply(reply) => reply.clone(),
                Answer::Late(after) => {
                    tokio::time::sleep(*after).await;
                    doc! { "ok": 1.0, "n": 1 }
                }
                Answer::Gone => return None,
            }
        } else if ["hello", "ismaster", "isMaster"].iter().any(|name| command.contains_key(name)) {
            hello()
        } else {
            doc! { "ok": 1.0 }
        };
        let reply = match kind {
            OP_QUERY => {
                // Flags, a cursor, where it starts, and one document.
                let mut head = vec![0; 16];
                head.extend(1_i32.to_le_bytes());
                framed(OP_REPLY, request, &head, &reply)
            }
            // Flags, and a section that is one document.
            _ => framed(OP_MSG, request, &[0; 5], &reply),
        };
        socket.write_all(&reply).await.ok()?;
    }
}

fn hello() -> Document {
    doc! {
        "ok": 1.0, "helloOk": true, "ismaster": true, "isWritablePrimary": true, "readOnly": false,
        "minWireVersion": 0, "maxWireVersion": WIRE_VERSION,
        "maxBsonObjectSize": 16 << 20, "maxMessageSizeBytes": 48_000_000, "maxWriteBatchSize": 100_000,
    }
}

fn framed(kind: i32, response_to: i32, head: &[u8], document: &Document) -> Vec<u8> {
    let document = document.to_vec().unwrap();
    let length = i32::try_from(16 + head.len() + document.len()).unwrap();
    let mut message: Vec<u8> = [length, 0, response_to, kind].into_iter().flat_map(i32::to_le_bytes).collect();
    message.extend_from_slice(head);
    message.extend(document);
    message
}

/// The document of an `OP_QUERY`: behind flags, a name that ends with zero, and two numbers.
fn query(body: &[u8]) -> Vec<Document> {
    let name = body[4..].iter().position(|byte| *byte == 0).unwrap();
    vec![Document::from_reader(&body[4 + name + 1 + 8..]).unwrap()]
}

/// The documents of an `OP_MSG`: the command, and those that it is about, which are in it or in a section of their own.
fn message(body: &[u8]) -> Vec<Document> {
    let (mut commands, mut about) = (Vec::new(), Vec::new());
    let mut sections = Cursor::new(&body[4..]);
    while let Some(kind) = take(&mut sections) {
        let document = |sections: &mut Cursor<&[u8]>| Document::from_reader(sections).unwrap();
        if kind == 0 {
            commands.push(document(&mut sections));
            continue;
        }
        let start = sections.position();
        let rest = &sections.get_ref()[usize::try_from(start).unwrap()..];
        let size = u64::try_from(i32::from_le_bytes(rest[..4].try_into().unwrap())).unwrap();
        sections.set_position(start + 4);
        while take(&mut sections) != Some(0) {}
        while sections.position() < start + size {
            about.push(document(&mut sections));
        }
    }
    if let Some(Ok(inner)) = commands.first().map(|command| command.get_array("documents")) {
        about.extend(inner.iter().filter_map(|document| document.as_document().cloned()));
    }
    commands.extend(about);
    commands
}

fn take(sections: &mut Cursor<&[u8]>) -> Option<u8> {
    let position = sections.position();
    let byte = sections.get_ref().get(usize::try_from(position).ok()?).copied();
    sections.set_position(position + 1);
    byte
}
