#!/usr/bin/env python3
"""CPU per call under a rate, and in a closed loop with as many in flight, in turn.

    cargo build --release && cargo build --release --example responder && bench/open_loop.py

Little's law says how many that are: throughput times mean service time, at least one. CPU is that of the calls: what a
process with one call takes is left out. PAIRS (5) and SECONDS (5) can be set.
"""

import json
import os

from harness import grpcbench, medians, responder, start_cpu

PAIRS = int(os.environ.get("PAIRS", "5"))
SECONDS = int(os.environ.get("SECONDS", "5"))


def open_loop(address, start, rate, *flags):
    ended = grpcbench(address, "-r", rate, "-z", f"{SECONDS}s", "-c", 1000, "-O", "json", *flags)
    report = json.loads(ended.text)
    ours, count = report["grpcbench"], report["count"]
    in_flight = report["rps"] * ours["times"]["ok"]["service"]["mean_ns"] / 1e9
    lag = ours["times"]["lag"]["percentiles_ns"]
    return (ended.cpu - start) / count * 1e6, ended.kernel / count * 1e6, in_flight, report["rps"], lag["50"] / 1e3, lag["99"] / 1e3


def closed_loop(address, start, in_flight, calls):
    ended = grpcbench(address, "-c", in_flight, "-n", calls)
    return (ended.cpu - start) / calls * 1e6, ended.kernel / calls * 1e6


def main():
    print("| rate | idle | achieved | in flight | lag p50 | lag p99 | CPU/call (kernel) | closed loop's | ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    with responder() as address:
        start = start_cpu(lambda: grpcbench(address, "-n", 1, "-c", 1))
        for rate in (1_000, 10_000, 100_000):
            for idle in ("sleep", "hybrid"):
                rows = []
                for _ in range(PAIRS):
                    opened = open_loop(address, start, rate, "--idle", idle)
                    in_flight = max(1, round(opened[2]))
                    closed = closed_loop(address, start, in_flight, max(20_000, min(rate, 50_000) * SECONDS // 2))
                    rows.append((*opened, *closed, opened[0] / closed[0]))
                cpu, kernel, in_flight, achieved, lag_p50, lag_p99, closed, closed_kernel, ratio = medians(rows)
                print(f"| {rate:,}/s | {idle} | {achieved:,.1f}/s | {in_flight:.2f} | {lag_p50:.1f} µs | {lag_p99:.1f} µs "
                      f"| {cpu:.2f} ({kernel:.2f}) µs | {closed:.2f} ({closed_kernel:.2f}) µs | {ratio:.2f} |", flush=True)


main()
