//! A report as tables, for the formats that people read in a browser.

use crate::report::table::{Cell, Table};
use crate::report::{Connected, Distribution, EndReason, Latencies, Percentile, Report};

/// All of them that have rows, the most asked for first.
pub(super) fn all(report: &Report) -> Vec<Table> {
    let tables = [
        summary(report),
        latency(report),
        histogram(report),
        statuses(report),
        errors(report),
        unsent(report),
        streams(report),
        connections(report),
        traffic(report),
        client(report),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

/// ghz's figures, and how the calls came out.
pub(super) fn summary(report: &Report) -> Table {
    let times = report.times.headline();
    let counts = &report.counts;
    let mut table = Table::new("Summary", ["value"]);
    let mut row = |label: &str, cell: Cell| table.push(label, [cell]);
    row("Count", Cell::Count(counts.done));
    row("OK", Cell::Count(counts.ok));
    row("Failed", Cell::Count(counts.failed));
    row("Total", Cell::Nanos(report.elapsed.as_nanos()));
    row("Slowest", Cell::Nanos(times.max()));
    row("Fastest", Cell::Nanos(times.min()));
    row("Average", Cell::Nanos(times.mean()));
    row("Requests/sec", Cell::PerSecond(report.throughput));
    if let Some(offered) = report.offered_rate {
        row("Offered/sec", Cell::PerSecond(offered));
        row("Sent/sec", Cell::PerSecond(report.send_rate));
    }
    for (label, count) in [("Abandoned", counts.abandoned), ("Unsent", counts.unsent), ("Retried", counts.retried)] {
        if count > 0 {
            row(label, Cell::Count(count));
        }
    }
    row("Load", Cell::Text(format!("{}, {}", report.setup.load, report.setup.limits)));
    row("Ended", Cell::Text(ended(report.end_reason).to_owned()));
    table
}

fn ended(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Count => "all calls made",
        EndReason::Duration => "time over",
        EndReason::Failures => "too many calls failed, before its plan",
        EndReason::Interrupt => "interrupted, before its plan",
    }
}

/// Percentiles: under a rate of response, service and lag side by side.
pub(super) fn latency(report: &Report) -> Table {
    let columns: Vec<(&str, &Distribution)> = match (&report.times.response, &report.lag) {
        (Some(response), Some(lag)) => vec![("response", response), ("service", &report.times.service), ("lag", lag)],
        _ => vec![("latency", report.times.headline())],
    };
    let mut table = Table::new("Latency", columns.iter().map(|(name, _)| *name));
    if report.percentiles.is_empty() {
        return table;
    }
    let mut row = |label: String, value: &dyn Fn(&Distribution) -> u64| {
        let cell = |times: &Distribution| if times.is_empty() { Cell::None } else { Cell::Nanos(value(times)) };
        table.push(label, columns.iter().map(|(_, times)| cell(times)));
    };
    row("fastest".to_owned(), &Distribution::min);
    for percentile in &report.percentiles {
        row(format!("{} %", percentile.label()), &|times| times.quantile(percentile.quantile()));
    }
    row("slowest".to_owned(), &Distribution::max);
    row("average".to_owned(), &Distribution::mean);
    table
}

/// How many calls took up to each mark.
pub(super) fn histogram(report: &Report) -> Table {
    let mut table = Table::new("Histogram", ["calls", "share"]);
    for bar in &report.histogram {
        table.push(format!("up to {:.3} ms", bar.mark_ns / 1e6), [Cell::Count(bar.count), Cell::Share(bar.share)]);
    }
    table
}

/// Calls by status, with the times of those that failed.
pub(super) fn statuses(report: &Report) -> Table {
    let mut table = Table::new("Statuses", ["calls", "share", "50 %", "99 %"]);
    for row in &report.statuses {
        let times = match row.code {
            Some(0) => Some(&report.ok),
            code => report.failed_by_status.iter().find(|of| of.status == code).map(|of| &of.times),
        };
        let quantile = |permille| {
            let times = times.map(Latencies::headline).filter(|times| !times.is_empty());
            times.map_or(Cell::None, |times| Cell::Nanos(Percentile::of(times, permille).ns))
        };
        let share = row.count as f64 / report.counts.done.max(1) as f64;
        table.push(row.name.clone(), [Cell::Count(row.count), Cell::Share(share), quantile(500), quantile(990)]);
    }
    table
}

/// What failed calls said.
pub(super) fn errors(report: &Report) -> Table {
    let mut table = Table::new("Errors", ["calls"]);
    for row in &report.errors {
        table.push(row.text(), [Cell::Count(row.count)]);
    }
    table
}

pub(super) fn unsent(report: &Report) -> Table {
    let mut table = Table::new("Calls that could not be sent", ["calls"]);
    for row in &report.unsent_reasons {
        table.push(row.reason.clone(), [Cell::Count(row.count)]);
    }
    table
}

pub(super) fn streams(report: &Report) -> Table {
    let mut table = Table::new("Inside the streams", ["50 %", "90 %", "99 %", "slowest"]);
    let Some(streams) = &report.streams else { return table };
    let mut row = |label: &str, times: &Distribution| {
        if !times.is_empty() {
            let [p50, p90, p99] = [500, 900, 990].map(|permille| Cell::Nanos(Percentile::of(times, permille).ns));
            table.push(label, [p50, p90, p99, Cell::Nanos(times.max())]);
        }
    };
    row("first message", &streams.first_message);
    row("gap", &streams.gap);
    if let Some(round_trip) = report.round_trip() {
        row("round trip", round_trip);
    }
    row("message lag", &streams.message_lag);
    row("blocked by flow control", &streams.blocked);
    table
}

/// How the first connects went, up to so many of them.
const CONNECTED_MAX: usize = 16;

/// The first connects.
pub(super) fn connections(report: &Report) -> Table {
    let connections = &report.connections;
    let mut table = Table::new("Connections", ["name", "TCP", "TLS", "HTTP/2 settings", "up in"]);
    for connected in connections.connected.iter().take(CONNECTED_MAX) {
        let Connected { address, dns_ns, tcp_ns, tls_ns, http2_ns, .. } = connected;
        let steps = [Some(*dns_ns).filter(|ns| *ns > 0), Some(*tcp_ns), *tls_ns, Some(*http2_ns)];
        let cells = steps.into_iter().chain([Some(connected.total_ns())]);
        table.push(address.clone(), cells.map(|step| step.map_or(Cell::None, Cell::Nanos)));
    }
    let more = connections.connected.len().saturating_sub(CONNECTED_MAX);
    if more > 0 {
        table.notes.push(format!("And {more} more."));
    }
    if connections.lost > 0 || connections.reconnected > 0 {
        let (lost, made) = (connections.lost, connections.reconnected);
        table.notes.push(format!("Lost {lost} during the run, made {made} new."));
    }
    table
}

pub(super) fn traffic(report: &Report) -> Table {
    let (traffic, connections) = (&report.traffic, &report.connections);
    let mut table = Table::new("Traffic", ["messages", "bytes in them", "bytes on the wire"]);
    if report.counts.sent > 0 {
        let sent = [traffic.messages_sent, traffic.message_bytes_sent, connections.wire_bytes_sent];
        let received = [traffic.messages_received, traffic.message_bytes_received, connections.wire_bytes_received];
        table.push("sent", sent.map(Cell::Count));
        table.push("received", received.map(Cell::Count));
    }
    table
}

pub(super) fn client(report: &Report) -> Table {
    let mut table = Table::new("Client", ["busy", "watching the clock", "waiting for a CPU"]);
    for (number, worker) in report.workers.iter().enumerate() {
        let part = |nanos: u64| Cell::Share(nanos as f64 / worker.wall_ns.max(1) as f64);
        let waited = worker.run_delay_ns.map_or(Cell::None, part);
        table.push(format!("worker {}", number + 1), [Cell::Share(worker.busy()), part(worker.spin_ns), waited]);
    }
    let machine = &report.machine;
    let facts = [&machine.cpu_model, &machine.kernel].into_iter().flatten().cloned();
    let facts: Vec<String> = std::iter::once(format!("{} CPUs", machine.cpus)).chain(facts).collect();
    if machine.cpus > 0 {
        table.notes.push(format!("On {}.", facts.join(", ")));
    }
    table
}
