//! How long connections last: questions to silent servers, and goodbyes.

use std::io::Write;
use std::net::TcpListener;
use std::time::Duration;

use tonic::Code;

use super::frames::{fine, settings};
use super::harness::Run;
use super::run::{go, run};
use super::secure::{self, Authority, answer, to};
use super::server::{Event, Server};

/// Answers each request after a second.
fn slow() -> Server {
    Server::start(|peer, event| {
        if let Event::Whole(stream) = event {
            peer.send_later(Duration::from_secs(1), stream, &fine());
        }
    })
}

#[test]
fn a_server_that_says_nothing_is_asked_and_given_up() {
    let dead = Server::raw(TcpListener::bind("127.0.0.1:0").unwrap(), |mut connection| {
        let _ = connection.io.write_all(&settings(&[]).bytes(0));
        connection.stay_silent();
    });
    let outcome = run(dead.address(), "-n 4 -c 4 --keepalive 200ms -t 5s");
    outcome.all_failed(4, Code::Unavailable, "connection lost: the server did not answer a PING in time");
    let elapsed = outcome.elapsed;
    assert!(elapsed > Duration::from_millis(400) && elapsed < Duration::from_secs(3), "{elapsed:?}");
    run(dead.address(), "-n 4 -c 4 -t 700ms").all_failed(4, Code::DeadlineExceeded, "deadline exceeded");
}

#[test]
fn a_slow_server_is_asked_and_kept() {
    let server = slow();
    run(server.address(), "-n 2 -c 1 --keepalive 200ms").all_ok(2);
    let seen = server.seen();
    assert!((4..=10).contains(&seen.pings) && seen.connections == 1, "{} pings", seen.pings);
    let server = slow();
    for never in ["", "--keepalive 0", "--keepalive 5s"] {
        run(server.address(), &format!("-n 1 -c 1 {never}")).all_ok(1);
    }
    assert_eq!(server.seen().pings, 0);
}

#[test]
fn a_busy_server_is_not_asked() {
    let server = Server::start(answer);
    run(server.address(), "-z 1s -c 2 -r 200 --keepalive 250ms");
    assert_eq!(server.seen().pings, 0);
}

#[test]
fn connections_say_goodbye_at_the_end_of_a_run() {
    let server = Server::start(answer);
    run(server.address(), "-n 40 -c 4 --connections 4 --cpus 2").all_ok(40);
    assert_eq!((server.seen().go_aways, server.seen().resets), (vec![0; 4], Vec::new()));

    // Calls that are cut off are given up first.
    let silent = Server::start(|_, _| {});
    let outcome = go(Run::say_hello(silent.address()).args(["-z", "200ms", "-c", "3"]));
    assert_eq!(outcome.counts.abandoned, 3);
    assert_eq!((silent.seen().go_aways, silent.seen().resets), (vec![0], vec![8; 3]));

    let server = secure::serve(Authority::new("a test authority").issue(|_| {}).config());
    go(to(&server).args(["--skipTLS", "--connections", "2"])).all_ok(10);
    assert_eq!(server.seen().go_aways, [0, 0]);
}
