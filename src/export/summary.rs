//! The report as text for people: ghz's blocks in ghz's order, so that they are recognised, and ours between and below.
//!
//! Texts that came from outside are escaped: nothing a server says can move the cursor or colour the terminal.

/// Adds a line to a block. Writing to a string cannot fail.
macro_rules! line {
    ($block:ident, $($format:tt)*) => {{
        let _ = writeln!($block, $($format)*);
    }};
}

mod connections;
mod http2;
mod phases;

use std::fmt::Write as _;

use super::escape::printable;
use crate::report::{Bar, Distribution, EndReason, ErrorCount, Percentile, Report, WorkerUse};
use crate::units::Nanos;

/// The longest bar of the histogram, in characters.
const BAR_MAX: u64 = 40;
/// What bars are made of.
const BAR: &str = "∎";

/// The whole text, with a newline at its end.
pub(super) fn text(report: &Report) -> String {
    let blocks = [
        summary(report),
        histogram(&report.histogram),
        latency(report),
        side_by_side(report),
        phases::block(report),
        streams(report),
        statuses(report),
        errors(report),
        unsent(report),
        connections::block(report),
        http2::block(report),
        traffic(report),
        client(report),
        expectations(report),
        verdict(report),
    ];
    let mut text = String::new();
    for block in blocks.into_iter().filter(|block| !block.is_empty()) {
        text.push('\n');
        text.push_str(&block);
    }
    text
}

fn summary(report: &Report) -> String {
    let times = report.times.headline();
    let counts = &report.counts;
    let mut block = String::from("Summary:\n");
    if let Some(name) = &report.setup.about.name {
        line!(block, "  Name:\t\t{}", printable(name));
    }
    line!(block, "  Count:\t{}", counts.done);
    line!(block, "  Total:\t{}", Nanos(report.elapsed.as_nanos()));
    line!(block, "  Slowest:\t{}", Nanos(times.max()));
    line!(block, "  Fastest:\t{}", Nanos(times.min()));
    line!(block, "  Average:\t{}", Nanos(times.mean()));
    line!(block, "  Requests/sec:\t{:.2}", report.throughput);
    line!(block, "  Load:\t\t{}, {}", report.setup.load, report.setup.limits);
    if let Some(offered) = report.offered_rate {
        line!(block, "  Offered:\t{offered:.2}/s, achieved {:.2}/s", report.send_rate);
    }
    if counts.failed > 0 && report.setup.about.count_errors {
        line!(block, "  Times of:\tall {} calls, failed ones too", counts.done);
    } else if counts.failed > 0 && counts.ok > 0 {
        line!(block, "  Times of:\tthe {} OK calls only", counts.ok);
    }
    if counts.abandoned > 0 {
        line!(block, "  Abandoned:\t{} in flight when the run was cut off", counts.abandoned);
    }
    if counts.unsent > 0 {
        line!(block, "  Unsent:\t{} due but never started", counts.unsent);
    }
    match report.end_reason {
        EndReason::Interrupt => line!(block, "  Ended:\tby an interrupt, before its plan"),
        EndReason::Failures => line!(block, "  Ended:\tbecause too many calls failed, before its plan"),
        EndReason::Count | EndReason::Duration => {}
    }
    if let Some(warmup) = &report.warmup {
        let calls = &warmup.calls;
        let (sent, failed) = (calls.sent(), calls.done() - calls.statuses.count(0));
        let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        let times = calls.ok.headline();
        let median = Nanos(Percentile::of(times, 500).ns);
        let took = Nanos(warmup.elapsed.as_nanos());
        line!(
            block,
            "  Warm-up:\t{sent} calls begun in {took}{failed}, half of them done within {median}: not counted here"
        );
    }
    block
}

fn histogram(bars: &[Bar]) -> String {
    let mut block = String::new();
    if bars.is_empty() {
        return block;
    }
    block.push_str("Response time histogram:\n");
    let marks: Vec<String> = bars.iter().map(|bar| format!("{:.3}", bar.mark_ns / 1e6)).collect();
    let counts: Vec<String> = bars.iter().map(|bar| format!("[{}]", bar.count)).collect();
    let (marks_width, counts_width) = (widest(&marks), widest(&counts));
    let max = bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
    for ((bar, mark), count) in bars.iter().zip(&marks).zip(&counts) {
        // In 128 bits: forty times a count must not overflow either.
        let len = (u128::from(bar.count) * u128::from(BAR_MAX) + u128::from(max / 2)) / u128::from(max);
        line!(
            block,
            "  {mark:>marks_width$} {count:<counts_width$} |{}",
            BAR.repeat(usize::try_from(len).unwrap_or(0))
        );
    }
    block
}

fn latency(report: &Report) -> String {
    let mut block = String::new();
    if report.percentiles.is_empty() {
        return block;
    }
    block.push_str("Latency distribution:\n");
    for percentile in &report.percentiles {
        line!(block, "  {} % in {}", percentile.label(), Nanos(percentile.ns));
    }
    block
}

/// Response time, service time and lag in one table; only under a rate, where they differ.
fn side_by_side(report: &Report) -> String {
    let mut block = String::new();
    let (Some(response), Some(lag)) = (&report.times.response, &report.lag) else {
        return block;
    };
    if lag.is_empty() {
        return block;
    }
    let columns = [response, &report.times.service, lag];
    block
        .push_str("Times from the planned start (response), from the real one (service), and between the two (lag):\n");
    line!(block, "  {:>9}  {:>12}  {:>12}  {:>12}", "", "response", "service", "lag");
    let mut row = |label: &str, value: &dyn Fn(&Distribution) -> u64| {
        let cells =
            columns.map(|times| if times.is_empty() { "-".to_owned() } else { Nanos(value(times)).to_string() });
        line!(block, "  {label:>9}  {:>12}  {:>12}  {:>12}", cells[0], cells[1], cells[2]);
    };
    row("fastest", &Distribution::min);
    row("average", &Distribution::mean);
    for permille in [500, 900, 950, 990, 999] {
        let percentile = |times: &Distribution| Percentile::of(times, permille);
        let label = percentile(response).label() + " %";
        row(&label, &|times| percentile(times).ns);
    }
    row("slowest", &Distribution::max);
    block
}

/// What happened inside streaming calls.
fn streams(report: &Report) -> String {
    let mut block = String::new();
    let Some(streams) = &report.streams else {
        return block;
    };
    block.push_str("Inside the streams:\n");
    line!(block, "  {:>13}  {:>12}  {:>12}  {:>12}  {:>12}", "", "50 %", "90 %", "99 %", "slowest");
    let mut row = |label: &str, times: &Distribution| {
        if !times.is_empty() {
            let [p50, p90, p99] = [500, 900, 990].map(|permille| Nanos(Percentile::of(times, permille).ns).to_string());
            let slowest = Nanos(times.max()).to_string();
            line!(block, "  {label:>13}  {p50:>12}  {p90:>12}  {p99:>12}  {slowest:>12}");
        }
    };
    row("first message", &streams.first_message);
    row("gap", &streams.gap);
    if let Some(round_trip) = report.round_trip() {
        row("round trip", round_trip);
    }
    row("message lag", &streams.message_lag);
    row("blocked", &streams.blocked);
    for (way, per_call, count) in [
        ("Sent", &streams.messages_sent, report.traffic.messages_sent),
        ("Received", &streams.messages_received, report.traffic.messages_received),
    ] {
        let mean = if per_call.is_empty() { 0.0 } else { per_call.sum() as f64 / per_call.count() as f64 };
        line!(block, "  {way}: {:.2} messages/s, {mean:.2} a call", report.per_second(count));
    }
    if streams.blocked.count() > 0 {
        line!(block, "  Blocked by windows or the network: {} calls", streams.blocked.count());
    }
    if streams.ended_by_client > 0 {
        line!(block, "  Ended by client: {} calls, as planned", streams.ended_by_client);
    }
    if streams.unmatched > 0 {
        line!(block, "  No round trips: in {} calls replies did not match messages", streams.unmatched);
    }
    block
}

fn statuses(report: &Report) -> String {
    let mut block = String::new();
    if report.statuses.is_empty() {
        return block;
    }
    block.push_str("Status code distribution:\n");
    let labels: Vec<String> = report.statuses.iter().map(|row| format!("[{}]", row.name)).collect();
    let width = widest(&labels);
    for (label, row) in labels.iter().zip(&report.statuses) {
        line!(block, "  {label:<width$}   {} responses", row.count);
    }
    block
}

fn errors(report: &Report) -> String {
    let mut block = String::new();
    if report.errors.is_empty() {
        return block;
    }
    block.push_str("Error distribution:\n");
    let mut rows: Vec<&ErrorCount> = report.errors.iter().collect();
    rows.sort_by_key(|row| (row.code.is_none(), std::cmp::Reverse(row.count)));
    let labels: Vec<String> = rows.iter().map(|row| format!("[{}]", row.count)).collect();
    let width = widest(&labels);
    for (label, row) in labels.iter().zip(rows) {
        line!(block, "  {label:<width$}   {}", printable(&row.text()));
    }
    block
}

/// Why calls could not be sent.
fn unsent(report: &Report) -> String {
    let mut block = String::new();
    if report.unsent_reasons.is_empty() {
        return block;
    }
    block.push_str("Calls that could not be sent:\n");
    let labels: Vec<String> = report.unsent_reasons.iter().map(|row| format!("[{}]", row.count)).collect();
    let width = widest(&labels);
    for (label, row) in labels.iter().zip(&report.unsent_reasons) {
        line!(block, "  {label:<width$}   {}", printable(&row.reason));
    }
    block
}

fn traffic(report: &Report) -> String {
    let (traffic, connections) = (&report.traffic, &report.connections);
    let mut block = String::new();
    if report.counts.sent == 0 {
        return block;
    }
    block.push_str("Traffic:\n");
    let mut row = |label: &str, messages: u64, in_them: &str, wire: u64| {
        let noun = if messages == 1 { "message" } else { "messages" };
        line!(block, "  {label}\t{messages} {noun}, {in_them} in them, {} on the wire", size(wire));
    };
    let (received, unpacked) = (traffic.message_bytes_received, traffic.message_bytes_unpacked);
    let in_received =
        if received == unpacked { size(received) } else { format!("{} (unpacked {})", size(received), size(unpacked)) };
    row("Sent:\t", traffic.messages_sent, &size(traffic.message_bytes_sent), connections.wire_bytes_sent);
    row("Received:", traffic.messages_received, &in_received, connections.wire_bytes_received);
    block
}

/// What this program cost, and where it ran.
fn client(report: &Report) -> String {
    let mut block = String::new();
    let workers = &report.workers;
    if workers.is_empty() {
        return block;
    }
    block.push_str("Client:\n");
    let percent = |part: u64, whole: u64| format!("{:.1} %", part as f64 * 100.0 / whole.max(1) as f64);
    let sum = |of: fn(&WorkerUse) -> u64| workers.iter().map(of).sum::<u64>();
    let wall = sum(|worker| worker.wall_ns);
    let mut cpu = format!("{} of the time busy", percent(sum(WorkerUse::busy_ns), wall));
    if workers.len() > 1 {
        let busiest = workers.iter().map(WorkerUse::busy).fold(0.0, f64::max);
        let _ = write!(cpu, " on average, the busiest {:.1} %", busiest * 100.0);
    }
    let spun = sum(|worker| worker.spin_ns);
    if spun > 0 {
        let _ = write!(cpu, ", {} watching the clock", percent(spun, wall));
    }
    let threads = if workers.len() == 1 { "1 worker".to_owned() } else { format!("{} workers", workers.len()) };
    line!(block, "  {threads}, {cpu}");
    if workers.iter().any(|worker| worker.run_delay_ns.is_some()) {
        let delay = sum(|worker| worker.run_delay_ns.unwrap_or(0));
        let preempted = sum(|worker| worker.preempted.unwrap_or(0));
        line!(block, "  Waited for a CPU {} of the time, taken off it {preempted} times", percent(delay, wall));
    }
    let machine = &report.machine;
    let mut facts = vec![if machine.cpus == 1 { "1 CPU".to_owned() } else { format!("{} CPUs", machine.cpus) }];
    facts.extend(machine.cpu_model.as_deref().map(printable));
    facts.extend(machine.kernel.as_deref().map(printable));
    facts.extend(machine.governor.as_deref().map(|governor| format!("governor {}", printable(governor))));
    facts.extend(machine.turbo.map(|on| format!("turbo {}", if on { "on" } else { "off" })));
    facts.extend(machine.virtual_machine.filter(|is| *is).map(|_| "virtual".to_owned()));
    facts.extend(machine.cpus_quota.map(|quota| format!("limited to {quota:.2} CPUs")));
    if machine.cpus > 0 {
        line!(block, "  On {}", facts.join(", "));
    }
    block
}

/// What was expected, and what was found.
fn expectations(report: &Report) -> String {
    let mut block = String::new();
    if report.expectations.is_empty() {
        return block;
    }
    block.push_str("Expectations:\n");
    let texts: Vec<String> = report.expectations.iter().map(|outcome| outcome.expectation.to_string()).collect();
    let width = widest(&texts);
    for (text, outcome) in texts.iter().zip(&report.expectations) {
        line!(block, "  {}  {text:<width$}  {}", if outcome.held { "held  " } else { "failed" }, outcome.found());
    }
    block
}

fn verdict(report: &Report) -> String {
    let mut block = String::new();
    line!(block, "Verdict: {}", report.verdict);
    let mut hints: Vec<String> = Vec::new();
    for warning in report.reasons() {
        line!(block, "  - {}", warning.text());
        // The same action often helps against several things.
        if let Some(hint) = warning.advice(&report.setup).filter(|hint| !hints.contains(hint)) {
            line!(block, "    hint: {hint}");
            hints.push(hint);
        }
    }
    let mut notes = report.notes().peekable();
    if notes.peek().is_some() {
        block.push_str("Notes:\n");
        for warning in notes {
            line!(
                block,
                "  - {}{}",
                warning.text(),
                warning.advice(&report.setup).map_or_else(String::new, |hint| format!(" ({hint})"))
            );
        }
    }
    block
}

/// A number of bytes in decimal units: `812 B`, `12.3 kB`, `4.5 MB`.
fn size(bytes: u64) -> String {
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let mut size = bytes as f64;
    let mut unit = "";
    for next in ["kB", "MB", "GB", "TB"] {
        // 999.95 would print as 1000.0.
        if size < 999.95 {
            break;
        }
        size /= 1_000.0;
        unit = next;
    }
    format!("{size:.1} {unit}")
}

/// The width of the widest, in characters; they are all of ASCII.
fn widest(texts: &[String]) -> usize {
    texts.iter().map(String::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (12_345, "12.3 kB"),
            (999_949, "999.9 kB"),
            (999_950, "1.0 MB"),
            (4_500_000_000, "4.5 GB"),
            (u64::MAX, "18446744.1 TB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn bars_of_huge_counts_fit() {
        let bars = [u64::MAX, u64::MAX / 2, 0].map(|count| Bar { mark_ns: 1e6, count, share: 0.0 });
        let block = histogram(&bars);
        let lens: Vec<usize> = block.lines().skip(1).map(|line| line.matches(BAR).count()).collect();
        assert_eq!(lens, [40, 20, 0]);
    }
}
