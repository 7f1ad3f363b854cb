//! The connections: how they came up, and where there are several, what the calls on each came to.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::super::escape::printable;
use crate::report::{ConnectTimes, Connected, Report};
use crate::units::Nanos;

/// So many connections have a row each. Of more, the slowest have one.
const ROWS_MAX: usize = 10;

pub(super) fn block(report: &Report) -> String {
    let connections = &report.connections;
    let mut block = String::new();
    if connections.connected.is_empty() {
        return block;
    }
    block.push_str("Connections:\n");
    let up = connections.connected.len();
    let each = Nanos(report.connect.total.mean());
    let addresses = addresses(&connections.connected);
    if up == 1 {
        line!(block, "  1 to {addresses}, up in {each}");
    } else {
        line!(block, "  {up} to {addresses}, up in {each} on average, {} at most", Nanos(report.connect.total.max()));
    }
    line!(block, "  {}", connect_steps(&report.connect));
    if connections.lost > 0 || connections.reconnected > 0 {
        line!(block, "  Lost {} during the run, made {} new", connections.lost, connections.reconnected);
    }
    if connections.retried > 0 {
        line!(block, "  Retried calls: {}, which a server said it had not processed", connections.retried);
    }
    if up > 1 && report.counts.done > 0 {
        block.push_str(&table(&connections.connected));
    }
    block
}

/// The peers' addresses without repetition, or how many there are if it is a crowd.
fn addresses(connected: &[Connected]) -> String {
    let mut different: Vec<&str> = connected.iter().map(|one| one.address.as_str()).collect();
    different.sort_unstable();
    different.dedup();
    if different.len() > 3 {
        return format!("{} addresses", different.len());
    }
    printable(&different.join(", "))
}

/// The mean of each step, over the connections that took it.
fn connect_steps(connect: &ConnectTimes) -> String {
    let steps =
        [("name", &connect.dns), ("TCP", &connect.tcp), ("TLS", &connect.tls), ("HTTP/2 settings", &connect.http2)];
    let taken = steps.into_iter().filter(|(_, times)| !times.is_empty());
    let texts: Vec<String> = taken.map(|(step, times)| format!("{step} {}", Nanos(times.mean()))).collect();
    texts.join(", ")
}

/// A row for each connection, by its number; of many, for those with the highest 99th percentile, and one for the others.
fn table(connected: &[Connected]) -> String {
    let mut block = String::new();
    let mut rows: Vec<(usize, &Connected)> = connected.iter().enumerate().collect();
    let mut others = Vec::new();
    if rows.len() > ROWS_MAX {
        rows.sort_by_key(|(number, one)| (Reverse(one.calls.p99_ns), *number));
        others = rows.split_off(ROWS_MAX - 1);
    }
    let mut row = |label: &str, done: &str, failed: &str, times: [String; 2], rest: &str| {
        let [p50, p99] = times;
        let line = format!("  {label:>10}  {done:>10}  {failed:>8}  {p50:>12}  {p99:>12}  {rest}");
        line!(block, "{}", line.trim_end());
    };
    row("connection", "calls", "failed", ["50 %", "99 %"].map(str::to_owned), "worker  address");
    for (number, one) in rows {
        let calls = &one.calls;
        let times = if calls.done > calls.failed {
            [calls.p50_ns, calls.p99_ns].map(|ns| Nanos(ns).to_string())
        } else {
            ["-", "-"].map(str::to_owned)
        };
        let rest = format!("{:>6}  {}", one.worker, printable(&one.address));
        row(&number.to_string(), &calls.done.to_string(), &calls.failed.to_string(), times, &rest);
    }
    if !others.is_empty() {
        let sum = |of: fn(&Connected) -> u64| others.iter().map(|(_, one)| of(one)).sum::<u64>().to_string();
        let most = |of: fn(&Connected) -> u64| {
            format!("<= {}", Nanos(others.iter().map(|(_, one)| of(one)).max().unwrap_or_default()))
        };
        let times = [most(|one| one.calls.p50_ns), most(|one| one.calls.p99_ns)];
        row(&format!("{} more", others.len()), &sum(|one| one.calls.done), &sum(|one| one.calls.failed), times, "");
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ConnectionCalls;

    fn connected(calls: ConnectionCalls) -> Connected {
        let address = "127.0.0.1:1".to_owned();
        Connected { address, dns_ns: 0, tcp_ns: 1, tls_ns: None, http2_ns: 1, worker: 0, calls }
    }

    #[test]
    fn of_many_connections_the_slowest_are_shown() {
        let row = |p99_ns| connected(ConnectionCalls { done: 3, failed: 1, p50_ns: 500_000, p99_ns });
        let many: Vec<Connected> = (1..=1_000).map(|ms| row(ms * 1_000_000)).collect();
        let table = table(&many);
        let lines: Vec<&str> = table.lines().map(str::trim).collect();
        assert_eq!(lines.len(), 1 + ROWS_MAX);
        assert!(lines[1].starts_with("999 ") && lines[1].contains("1.00 s"), "{table}");
        let others: Vec<&str> = lines[ROWS_MAX].split_whitespace().collect();
        assert_eq!(others, ["991", "more", "2973", "991", "<=", "0.50", "ms", "<=", "991.00", "ms"], "{table}");
    }

    #[test]
    fn a_connection_without_times_has_none() {
        let idle = connected(ConnectionCalls::default());
        let table = table(&[idle.clone(), idle]);
        assert!(table.lines().skip(1).all(|line| line.matches(" -").count() == 2), "{table}");
    }
}
