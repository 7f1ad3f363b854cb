//! Making messages: of a template for each call, and of JSON before the run.

use std::path::Path;

use grpcbench::payload::{Call, CallSource, Reading, Room};
use grpcbench::schema::{Method, Schema};

use super::Work;

/// Renders `{"name":"{{.RequestNumber}}"}` and encodes it.
pub(crate) fn template() -> Work {
    let source = source(r#"{"name":"{{.RequestNumber}}"}"#);
    let mut room = Room::new();
    let mut index = 0;
    Box::new(move || {
        source.render(&Call::new(index, 0, 0), &mut room).expect("the template does not fail");
        index += 1;
    })
}

/// Reads an array of a hundred objects and encodes them.
pub(crate) fn json() -> Work {
    let names: Vec<String> = (0..100).map(|number| format!(r#"{{"name":"customer number {number}"}}"#)).collect();
    let text = format!("[{}]", names.join(","));
    let method = method();
    Box::new(move || {
        CallSource::from_json(Some(&text), "--data", &method, &Reading::default()).expect("the data is good");
    })
}

fn source(text: &str) -> CallSource {
    CallSource::from_json(Some(text), "--data", &method(), &Reading::default()).expect("the data is good")
}

fn method() -> Method {
    let protos = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/protos"));
    let schema = Schema::compile(&[protos.join("helloworld.proto")], &[protos.to_owned()]).expect("it compiles");
    schema.method("helloworld.Greeter/SayHello").expect("it is there")
}
