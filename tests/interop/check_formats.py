"""Formats of reports, read by programs that nobody here wrote: no server is needed, the reports are of `grpcbench demo`."""

import contextlib
import csv
import io
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import supplies
from bench import Failure, expect, expect_at_least


class Reports:
    """A report of a run of one second in JSON, and others made from it."""

    def __init__(self, folder):
        self._stored = Path(folder) / "run.json"

    def made(self, bench, *flags):
        """A report made from the stored one, which is there after the first time."""
        if not self._stored.exists():
            done = bench.program("demo", "-z", "1s", "-r", "500", "-O", "json")
            expect("exit code of the demo", done.returncode, 0)
            self._stored.write_text(done.stdout, encoding="utf-8")
        done = bench.program("report", str(self._stored), *flags)
        expect("exit code of report", (done.returncode, done.stderr), (0, ""))
        return done.stdout

    def document(self, bench):
        return json.loads(self.made(bench, "-O", "json"))


@contextlib.contextmanager
def world():
    # The readers are installed beside the servers, for the very Python that runs this.
    sys.path.extend(str(path) for path in Path(supplies.python()).parent.parent.glob("lib/*/site-packages"))
    with tempfile.TemporaryDirectory() as folder:
        yield Reports(folder)


def python_json(bench, reports):
    """JSON comes back the same, by Python's json"""
    document = reports.document(bench)
    expect("the same report", json.loads(reports.made(bench, "-O", "pretty")), document)
    expect("number of single calls", len(document["details"]), document["count"])


def python_csv(bench, reports):
    """CSV has three columns, by Python's csv"""
    rows = list(csv.reader(io.StringIO(reports.made(bench, "-O", "csv"), newline=""), strict=True))
    expect("header", rows[0], ["duration (ms)", "status", "error"])
    expect("columns", {len(row) for row in rows}, {3})
    expect("calls", len(rows) - 1, reports.document(bench)["count"])


def prometheus(bench, reports):
    """buckets, sums and counts are those of Prometheus, by prometheus_client"""
    from prometheus_client.parser import text_string_to_metric_families

    text = reports.made(bench, "-O", "prometheus")
    families = {family.name: family for family in text_string_to_metric_families(text)}
    if any(family.type == "unknown" or not family.documentation for family in families.values()):
        raise Failure("a family has no TYPE or no HELP")
    samples = families["ghz_run_latency_seconds"].samples
    buckets = [sample for sample in samples if sample.name.endswith("_bucket")]
    marks = [float(sample.labels["le"]) for sample in buckets]
    counts = [sample.value for sample in buckets]
    expect("marks that rise", marks, sorted(set(marks)))
    expect("counts that rise", counts, sorted(counts))
    expect("the last mark", marks[-1], math.inf)
    (count,) = [sample.value for sample in samples if sample.name.endswith("_count")]
    expect("the last bucket", counts[-1], count)
    expect_at_least("families", len(families), 10)


def promtool(bench, reports):
    """names and types of Prometheus are those that promtool, which is Prometheus' own, lets pass"""
    lint = [*supplies.debian("promtool", "prometheus"), "check", "metrics"]
    text = reports.made(bench, "-O", "prometheus")

    def judged(exposition):
        done = subprocess.run(lint, input=exposition, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    expect("promtool", judged(text), (0, ""))
    # It tells of what is wrong.
    expect("exit code for a gauge that is called as a count", judged(text.replace("run_calls", "run_count"))[0], 3)


def influx(bench, reports):
    """lines of Influx, by line-protocol-parser"""
    from line_protocol_parser import parse_line

    count = reports.document(bench)["count"]
    (line,) = reports.made(bench, "-O", "influx-summary").splitlines()
    summary = parse_line(line)
    expect("measurement", summary["measurement"], "ghz_run")
    expect("count", summary["fields"]["count"], float(count))
    lines = reports.made(bench, "-O", "influx-details").splitlines()
    expect("lines", len(lines), count)
    expect("measurements", {parse_line(line)["measurement"] for line in lines[:100]}, {"ghz_detail"})


def hdrhistogram(bench, reports):
    """the interval log and the histograms of the JSON, by hdrhistogram"""
    from hdrh.histogram import HdrHistogram
    from hdrh.log import HistogramLogReader

    document = reports.document(bench)
    packed = document["grpcbench"]["times"]["ok"]["response"]
    times = HdrHistogram.decode(packed["hdr"].encode())
    expect("values", times.get_total_count(), packed["count"])
    for percentile, nanos in packed["percentiles_ns"].items():
        found = times.get_value_at_percentile(float(percentile))
        if abs(found - nanos) > nanos / 500:
            raise Failure(f"percentile {percentile}: {found} and {nanos}")
    with tempfile.NamedTemporaryFile("w", suffix=".hlog") as log:
        log.write(reports.made(bench, "-O", "hlog"))
        log.flush()
        reader = HistogramLogReader(log.name, HdrHistogram(1, 3_600_000_000_000, 3))
        first = reader.get_next_interval_histogram()
        expect("values in the log", first.get_total_count(), document["grpcbench"]["headline"]["count"])
        reader.close()


CHECKS = (python_json, python_csv, prometheus, promtool, influx, hdrhistogram)
