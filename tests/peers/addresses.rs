//! Ways to a server: unix sockets, IPv6, names with several addresses.

use std::net::{TcpListener, ToSocketAddrs};
use std::time::Duration;

use super::frames::greeting;
use super::harness::Run;
use super::run::run;
use super::server::{Event, Listen, Peer, Server};

fn answer(peer: &mut Peer, event: Event) {
    if let Event::Whole(stream) = event {
        peer.answer(stream);
    }
}

/// Ten calls arrive at a server on this listener when `target` is called, with this `:authority`.
#[track_caller]
fn reaches(listener: impl Listen, target: impl Fn(&Server) -> String, authority: impl Fn(&Server) -> String) {
    let server = Server::on(listener, greeting(&[]), answer);
    let outcome = run(&target(&server), "-n 10 -c 2");
    outcome.all_ok(10);
    assert_eq!(server.seen().requests, 10);
    assert_eq!(server.seen().field(":authority"), Some(&*authority(&server)));
    assert_eq!(server.seen().field(":path"), Some("/helloworld.Greeter/SayHello"));
}

/// Says it loudly: a test that is left out must not look like one that passed.
fn left_out(why: &str) {
    use std::io::Write;
    // Straight to the terminal, because the test harness keeps what passing tests print.
    let _ = writeln!(std::io::stderr(), "\nLEFT OUT on this machine: {why}\n");
}

#[cfg(unix)]
#[test]
fn c24_unix_sockets() {
    use std::os::unix::net::UnixListener;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| UnixListener::bind(folder.path().join(name)).unwrap();
    reaches(at("a"), |server| server.address().to_owned(), |_| "localhost".to_owned());
    reaches(at("b"), |server| server.address().replace("unix:", "unix://"), |_| "localhost".to_owned());
}

#[cfg(target_os = "linux")]
#[test]
fn c24_abstract_sockets() {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixListener};
    let name = format!("grpcbench-peers-{}", std::process::id());
    let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    reaches(super::server::Abstract(listener, name), |server| server.address().to_owned(), |_| "localhost".to_owned());
}

/// A listener takes a connection more than its queue has places for, and lets all others wait.
#[cfg(target_os = "linux")]
#[test]
fn a_full_queue_is_waited_for_as_long_as_connecting_may_take() {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
    /// More than the queue of any listener of the standard library.
    const MORE: usize = 5_000;
    let name = format!("grpcbench-full-{}", std::process::id());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("full");
    for (address, target) in [
        (SocketAddr::from_pathname(&path).unwrap(), format!("unix:{}", path.display())),
        (SocketAddr::from_abstract_name(&name).unwrap(), format!("unix-abstract:{name}")),
    ] {
        let listener = UnixListener::bind_addr(&address).unwrap();
        let (connected, connections) = std::sync::mpsc::channel();
        // Where there is no place left this waits, until the listener is gone.
        std::thread::spawn(move || {
            for _ in 0..MORE {
                let Ok(stream) = UnixStream::connect_addr(&address) else { return };
                let _ = connected.send(stream);
            }
        });
        let mut held = Vec::new();
        while let Ok(stream) = connections.recv_timeout(Duration::from_millis(500)) {
            held.push(stream);
        }
        let run =
            Run::new().args(["--insecure", "--proto", "helloworld.proto", "--call", "helloworld.Greeter.SayHello"]);
        let done = run.args(["--connect-timeout", "300ms", &target]).status(3).go();
        assert!(done.stderr.contains("the address did not answer"), "{} held: {}", held.len(), done.stderr);
        drop(listener);
    }
}

#[test]
fn c24_names_and_numbers() {
    let here = || TcpListener::bind("127.0.0.1:0").unwrap();
    let localhost = |server: &Server| format!("localhost:{}", server.port());
    reaches(here(), |server| server.address().to_owned(), |server| server.address().to_owned());
    for scheme in ["", "dns:", "dns:///", "http://"] {
        reaches(here(), |server| format!("{scheme}{}", localhost(server)), localhost);
    }
}

#[test]
fn c24_ipv6() {
    let Ok(listener) = TcpListener::bind("[::1]:0") else {
        return left_out("IPv6, of which it has no loopback address");
    };
    reaches(listener, |server| server.address().to_owned(), |server| server.address().to_owned());
    let listener = TcpListener::bind("[::1]:0").unwrap();
    reaches(listener, |server| format!("ipv6:{}", server.address()), |server| server.address().to_owned());
}

#[test]
fn c24_localhost_with_two_addresses_and_a_server_on_one() {
    let mut found = ("localhost", 1).to_socket_addrs().unwrap();
    let Ok(listener) = TcpListener::bind("127.0.0.1:0") else { unreachable!("every machine has one") };
    if !found.any(|address| address.is_ipv6()) {
        left_out("`localhost` as an IPv6 address; the order of addresses is tested beside the code as well");
    }
    let localhost = |server: &Server| format!("localhost:{}", server.port());
    reaches(listener, localhost, localhost);
}

#[test]
fn c24_connections_are_spread_over_the_addresses_of_a_name() {
    let answering = |listener| Server::on(listener, greeting(&[]), answer);
    let mut found = ("localhost", 1).to_socket_addrs().unwrap();
    let first = answering(TcpListener::bind("127.0.0.1:0").unwrap());
    let (target, port) = (format!("dns:///localhost:{}", first.port()), first.port().parse().unwrap());
    if !found.any(|address| address.is_ipv6()) {
        run(&target, "-n 40 -c 4 --connections 4 --lb-strategy round_robin").all_ok(40);
        return left_out("`localhost` with two addresses; the spreading is tested beside the code as well");
    }
    let second = answering(TcpListener::bind(("::1", port)).unwrap());
    run(&target, "-n 40 -c 4 --connections 4 --cpus 2 --lb-strategy round_robin").all_ok(40);
    assert_eq!((first.seen().connections, second.seen().connections), (2, 2));
    run(&target, "-n 40 -c 4 --connections 4 --lb-strategy pick_first").all_ok(40);
    let counts = [first.seen().connections, second.seen().connections];
    assert!(counts == [6, 2] || counts == [2, 6], "{counts:?}");
}
