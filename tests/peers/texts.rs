//! Texts of servers and users that would act on what shows them.

use grpcbench::export::Format;

use super::frames::{in_pieces, trailers_only};
use super::harness::Run;
use super::server::{Event, Server};

/// Quotes, markup, what separates fields in one format or another, a line break, and characters that act on a terminal.
const SAID: &str = "no, \"really\" <script>alert(1)</script> a=b\\c\n2nd \u{1b}[31m\u{202e}";
const NAME: &str = "Ünï, x=1 \"q\" <b>";
const TAGS: &str = r#"{"created by":"J, D=1","env":"a\"b"}"#;

/// `grpc-message` as it goes over the wire.
fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b' '..=b'~' if byte != b'%' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

#[test]
fn c38_hostile_text_is_only_text_in_every_format() {
    let message = percent_encoded(SAID);
    let server = Server::start(move |peer, event| {
        if let Event::Whole(stream) = event {
            let failed = trailers_only(&[("grpc-status", "14"), ("grpc-message", &message)]);
            peer.send(stream, &in_pieces(&failed, 16_384));
        }
    });
    for format in Format::ALL {
        let done = Run::say_hello(server.address())
            .args(["-n", "3", "-c", "1", "--name", NAME, "--tags", TAGS, "-O", format.name()])
            .status(1)
            .go();
        let acting = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        assert!(!done.stdout.contains(acting), "{format}: {:?}", done.stdout);
        match format.name() {
            "json" | "pretty" => {
                let report = done.json();
                assert_eq!(report["name"], NAME);
                assert_eq!(report["tags"]["created by"], "J, D=1");
                assert_eq!(report["grpcbench"]["errors"][0]["said"], SAID);
                let [(text, count)] = &report["errorDistribution"].as_object().unwrap().iter().collect::<Vec<_>>()[..]
                else {
                    panic!("one error in {report}")
                };
                assert_eq!((text.ends_with(&format!("desc = {SAID}")), count.as_u64()), (true, Some(3)));
            }
            "html" => assert!(!done.stdout.contains("<script>alert"), "{}", done.stdout),
            _ => {}
        }
    }
}
