//! `grpcbench serve`: the embedded server on its own, until it is interrupted.

use std::io::{self, Write as _};
use std::net::TcpListener;
use std::path::Path;

use super::Exit;
use super::args::ServeArgs;
use super::signals::Interrupts;
use super::values::{count, parsed, time};
use crate::error::{Problems, UsageError};
use crate::target::{Background, Options, Server, Tls};

const ADDRESS: &str = "127.0.0.1:50051";

/// Serves until the first interrupt; calls in flight may then finish, until the second one. Says at its end what it saw.
pub(super) fn serve(args: &ServeArgs) -> Result<Exit, Problems> {
    let options = options(args)?;
    let address = args.address.as_deref().unwrap_or(ADDRESS);
    let cannot_listen = |source| UsageError::CannotListen { address: address.to_owned(), source };

    let mut interrupts = Interrupts::catch().map_err(cannot_listen)?;
    let server = start(address, options).map_err(cannot_listen)?;
    say(&format!("listening on {}", server.address()));
    interrupts.wait();
    // Without it, a second interrupt changes nothing, and the server still ends.
    let _ = interrupts.end_the_process();
    let counts = server.stop();
    say(&format!("served {counts}"));
    Ok(Exit::Fine)
}

fn options(args: &ServeArgs) -> Result<Options, Problems> {
    let mut problems = Problems::new();
    let delay = problems.keep(args.delay.as_deref().map(|text| parsed("--delay", text)).transpose());
    let errors: Vec<_> = args.error.iter().filter_map(|text| problems.keep(parsed("--error", text))).collect();
    let stall = problems.keep(args.stall.as_deref().map(|text| parsed("--stall", text)).transpose());
    let max_concurrent_streams = args.max_concurrent_streams.as_deref();
    let max_concurrent_streams = problems.keep(
        max_concurrent_streams.map(|text| count("--max-concurrent-streams", Some(text), 0, 1..=u32::MAX)).transpose(),
    );
    let max_connection_age = problems.keep(time("--max-connection-age", args.max_connection_age.as_deref()));
    let seed = problems.keep(count("--seed", args.seed.as_deref(), 0, 0..=u64::MAX));
    let options = Options {
        delay: delay.flatten(),
        errors,
        stall: stall.flatten(),
        max_concurrent_streams: max_concurrent_streams.flatten(),
        max_connection_age: max_connection_age.flatten(),
        tls: args.tls_cert.clone().zip(args.tls_key.clone()).map(|(cert, key)| Tls { cert, key }),
        seed: seed.unwrap_or_default(),
    };
    // What the options say is checked even if some could not be read, so that all mistakes are told at once.
    problems.keep(Server::new(options.clone()));
    problems.into_result()?;
    Ok(options)
}

fn start(address: &str, options: Options) -> io::Result<Background> {
    #[cfg(unix)]
    if let Some(path) = address.strip_prefix("unix:") {
        return Background::start_unix(Path::new(path.strip_prefix("//").unwrap_or(path)), options);
    }
    Background::start_on(TcpListener::bind(address)?, options)
}

/// Says where the server listens, or what it has seen, for people and for scripts that wait for the line.
fn say(line: &str) {
    let mut stdout = io::stdout().lock();
    // It serves also when nobody reads this.
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}
