//! Answers that are whole and not what they should be: no gRPC, odd statuses, too many or too few messages.

use tonic::Code;

use super::frames::{Frame, data, data_in_pieces, fine, grpc, headers, message, trailers, trailers_only};
use super::run::{Outcome, run};
use super::server::Server;

/// Twenty calls, each answered by these frames.
#[track_caller]
fn answered(frames: impl IntoIterator<Item = Frame>) -> Outcome {
    run(Server::answering(frames).address(), "-n 20 -c 2")
}

#[test]
fn a_good_answer_is_ok() {
    let outcome = answered(fine());
    outcome.all_ok(20);
    assert_eq!(outcome.report["grpcbench"]["traffic"]["messages_received"], 20);
}

#[test]
fn c25_answers_that_are_not_grpc() {
    let html = |status| headers(&[(":status", status), ("content-type", "text/html")]);
    for (status, code) in [
        ("400", Code::Internal),
        ("401", Code::Unauthenticated),
        ("403", Code::PermissionDenied),
        ("404", Code::Unimplemented),
        ("429", Code::Unavailable),
        ("500", Code::Unknown),
        ("502", Code::Unavailable),
        ("503", Code::Unavailable),
        ("504", Code::Unavailable),
        ("302", Code::Unknown),
    ] {
        let text = format!("HTTP status {status} with content-type \"text/html\"");
        answered([html(status).end()]).all_failed(20, code, &text);
        answered([html(status), data(b"<html>sorry</html>").end()]).all_failed(20, code, &text);
    }
    answered([html("200"), data(b"<html>hello</html>").end()]).all_failed(20, Code::Unknown, "text/html");
    answered([headers(&[(":status", "503")]).end()]).all_failed(20, Code::Unavailable, "503 without a content-type");
    answered([grpc(), data(&message(b"")).end()]).all_failed(20, Code::Unknown, "without a status");
    // A body that goes on after its head has said enough is not waited for.
    let server = Server::answering([html("502"), data(b"<html>")]);
    run(server.address(), "-n 20 -c 2").all_failed(20, Code::Unavailable, "502");
    assert_eq!(server.seen().resets, [8; 20], "CANCEL");
}

#[test]
fn c25_a_grpc_status_wins_over_what_http_says() {
    let head = [(":status", "503"), ("content-type", "text/html"), ("grpc-status", "5"), ("grpc-message", "gone")];
    let outcome = answered([headers(&head).end()]);
    outcome.all_failed(20, Code::NotFound, "gone");
    assert_eq!(outcome.failures()[0].1, "gone", "and nothing else is said");
}

#[test]
fn a_status_belongs_into_trailers() {
    let head = headers(&[(":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "0")]);
    let answer = [head, data(&message(b"")), trailers(&[("x", "y")])];
    answered(answer).all_failed(20, Code::Unknown, "without a grpc-status");
    let answer = [grpc(), data(&message(b"")), trailers(&[("content-type", "text/html"), ("grpc-status", "0")])];
    answered(answer).all_ok(20);
}

#[test]
fn spellings_of_the_content_type() {
    for (content_type, good) in [
        ("application/grpc+proto", true),
        ("application/grpc;charset=utf-8", true),
        ("Application/GRPC", true),
        ("application/grpc-web", false),
        ("application/grpcish", false),
        ("application/json", false),
    ] {
        let head = headers(&[(":status", "200"), ("content-type", content_type)]);
        let outcome = answered([head, data(&message(b"")), trailers(&[("grpc-status", "0")])]);
        if good {
            outcome.all_ok(20);
        } else {
            outcome.all_failed(20, Code::Unknown, content_type);
        }
    }
}

#[test]
fn c26_status_text_and_codes_that_do_not_parse() {
    for (status, message, code, said) in [
        ("5", "caf%C3%28 x", Code::NotFound, "caf\u{fffd}( x"),
        ("5", "100% of %zz", Code::NotFound, "100% of %zz"),
        ("5", "%E2%98%83", Code::NotFound, "☃"),
        ("5", "", Code::NotFound, ""),
        ("abc", "x", Code::Unknown, "no number"),
        ("", "x", Code::Unknown, "no number"),
        ("-1", "x", Code::Unknown, "no number"),
        ("99999999999", "x", Code::Unknown, "no number"),
    ] {
        let answer = [trailers_only(&[("grpc-status", status), ("grpc-message", message)])];
        answered(answer).all_failed(20, code, said);
    }
    let details = [("grpc-status", "9"), ("grpc-status-details-bin", "!!not base64")];
    answered([trailers_only(&details)]).all_failed(20, Code::FailedPrecondition, "");
}

#[test]
fn c26_a_status_that_nobody_knows_keeps_its_number() {
    let outcome = answered([trailers_only(&[("grpc-status", "99"), ("grpc-message", "odd")])]);
    assert_eq!(outcome.failures(), [(Some(99), "odd".to_owned(), 20)]);
    let errors = outcome.report["errorDistribution"].as_object().unwrap();
    let text = errors.keys().next().unwrap();
    assert!(errors.len() == 1 && text.contains("odd") && text.contains("99"), "{errors:?}");
}

#[test]
fn a_unary_call_has_one_message() {
    let ok = || trailers(&[("grpc-status", "0")]);
    let twice = [message(b"a"), message(b"b")].concat();
    for frames in [vec![grpc(), data(&twice), ok()], vec![grpc(), data(&message(b"a")), data(&message(b"b")), ok()]] {
        answered(frames).all_failed(20, Code::Unimplemented, "2 messages");
    }
    for frames in [vec![grpc(), ok()], vec![grpc(), data(b""), ok()], vec![trailers_only(&[("grpc-status", "0")])]] {
        answered(frames).all_failed(20, Code::Unimplemented, "0 messages");
    }
    // What failed needs none, and may have some.
    let failed = || trailers(&[("grpc-status", "10"), ("grpc-message", "again")]);
    answered([grpc(), failed()]).all_failed(20, Code::Aborted, "again");
    answered([grpc(), data(&twice), failed()]).all_failed(20, Code::Aborted, "again");
}

#[test]
fn messages_that_cannot_be_read() {
    let ok = || trailers(&[("grpc-status", "0")]);
    let whole = message(b"hello");
    for cut in 1..whole.len() {
        answered([grpc(), data(&whole[..cut]), ok()]).all_failed(20, Code::Internal, "cut short");
    }
    for flag in [1, 2, 0xff] {
        let server = Server::answering([grpc(), data(&[flag, 0, 0, 0, 0]), ok()]);
        let compression = if flag == 1 { "compressed" } else { "compression flag" };
        run(server.address(), "-n 20 -c 2").all_failed(20, Code::Internal, compression);
    }
}

#[test]
fn messages_come_in_any_pieces() {
    let body = message(b"a message of some length");
    for piece in [1, 2, 4, 5, 6, body.len() - 1] {
        let mut frames = vec![grpc()];
        for data in data_in_pieces(&body, piece) {
            frames.extend([data, super::frames::data(b"")]);
        }
        frames.push(trailers(&[("grpc-status", "0")]));
        let outcome = answered(frames);
        outcome.all_ok(20);
        assert_eq!(outcome.report["grpcbench"]["traffic"]["message_bytes_received"], 20 * 24);
    }
}

#[test]
fn interim_responses_are_passed_over() {
    let interim = [headers(&[(":status", "100")]), headers(&[(":status", "103"), ("content-type", "text/html")])];
    answered([interim.to_vec(), fine()].concat()).all_ok(20);
}

#[test]
fn answers_that_break_http2_end_their_call_only() {
    let broken = [
        (vec![data(&message(b""))], "before the response headers"),
        (vec![trailers(&[("grpc-status", "0")])], ":status"),
        (vec![headers(&[(":status", "200"), ("Bad-Name", "x")])], "header name"),
        (vec![grpc(), grpc()], ":status"),
    ];
    for (frames, said) in broken {
        let server = Server::answering(frames);
        run(server.address(), "-n 20 -c 2").all_failed(20, Code::Internal, said);
        assert_eq!(server.seen().connections, 1, "the connection goes on");
        assert_eq!(server.seen().resets, [1; 20], "PROTOCOL_ERROR");
    }
}
