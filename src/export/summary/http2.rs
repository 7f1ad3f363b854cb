//! What was noteworthy about HTTP/2; of most runs nothing is.

use std::fmt::Write as _;

use super::size;
use crate::report::{CodeCounts, Distribution, Report, Windows};
use crate::units::Nanos;

pub(super) fn block(report: &Report) -> String {
    let http2 = &report.connections.http2;
    let mut lines = Vec::new();
    if !http2.stream_waits.is_empty() {
        let limit = http2.peers.stream_limit().map_or_else(String::new, |limit| format!("{limit} on a connection; "));
        lines.push(format!("Streams: {limit}{} for one", waited(&http2.stream_waits)));
    }
    for (window, waits) in
        [("their stream", &http2.stream_window_waits), ("the connection", &http2.connection_window_waits)]
    {
        if !waits.is_empty() {
            lines.push(format!("Flow control: {} for the window of {window}", waited(waits)));
        }
    }
    for (what, codes) in [("GOAWAY", &http2.goaways_received), ("Resets", &http2.resets_received)] {
        if !codes.is_empty() {
            lines.push(format!("{what} received: {}", by_code(codes)));
        }
    }
    if http2.frames.pings_sent > 0 {
        lines.push(format!("Pings sent: {}", http2.frames.pings_sent));
    }
    if report.setup.windows != Windows::Wide {
        let (stream, connection) = report.setup.windows.bytes();
        lines.push(format!(
            "Windows: the server may send {} ahead on a stream, {} in all",
            size(stream.into()),
            size(connection.into()),
        ));
    }
    let mut block = String::new();
    if !lines.is_empty() {
        block.push_str("HTTP/2:\n");
        for text in lines {
            line!(block, "  {text}");
        }
    }
    block
}

fn waited(waits: &Distribution) -> String {
    let calls = if waits.count() == 1 { "call" } else { "calls" };
    let (mean, max) = (Nanos(waits.mean()), Nanos(waits.max()));
    format!("{} {calls} waited {mean} on average, {max} at most,", waits.count())
}

fn by_code(codes: &CodeCounts) -> String {
    codes.iter().map(|(code, count)| format!("{count} {code}")).collect::<Vec<_>>().join(", ")
}
