#!/usr/bin/env python3
"""Messages a second in server streams, and bytes a second in long replies beside h2load.

    cargo build --release && cargo build --release --example responder && bench/streams.py

RUNS (5) can be set.
"""

import os
import tempfile

from harness import HELLO, grpcbench, medians, responder, run

RUNS = int(os.environ.get("RUNS", "5"))
STREAM = ["helloworld.Greeter.SayHellos" if word == "helloworld.Greeter.SayHello" else word for word in HELLO]


def messages(in_flight):
    """Streams of 10,000 messages of 100 bytes."""
    each, streams = 10_000, 1_000
    with responder("--messages", str(each), "--size", "100") as address:
        rows = []
        for _ in range(RUNS):
            ended = grpcbench(address, "-c", in_flight, "-n", streams, method=STREAM)
            assert f"[OK]   {streams} responses" in ended.text, ended.text
            took = streams / ended.number(r"Requests/sec:\s+([\d.]+)")
            rows.append((streams * each / took, ended.cpu / (streams * each) * 1e9))
        rate, cpu = medians(rows)
        print(f"{in_flight} streams of {each:,} messages of 100 bytes: {rate:,.0f} messages/s, {cpu:.0f} ns of CPU each", flush=True)


def bytes_per_second(size, calls, in_flight):
    with responder("--size", str(size)) as address, tempfile.NamedTemporaryFile() as body:
        body.write(b"\0\0\0\0\7\n\5world")
        body.flush()
        rows = []
        for _ in range(RUNS):
            ours = grpcbench(address, "-c", in_flight, "-n", calls)
            assert f"[OK]   {calls} responses" in ours.text, ours.text
            theirs = run("h2load", "-t", "1", "-n", str(calls), "-c", "1", "-m", str(in_flight), "-w", "30", "-W", "30",
                         "-d", body.name, "-H", "content-type: application/grpc", "-H", "te: trailers",
                         f"http://{address}/helloworld.Greeter/SayHello")
            assert f"{calls} succeeded" in theirs.text, theirs.text
            speed = ours.number(r"Requests/sec:\s+([\d.]+)") * size / 1e6
            speed_h2load = theirs.number(r"finished in .*, ([\d.]+) req/s") * size / 1e6
            rows.append((speed, speed_h2load, speed / speed_h2load, ours.cpu / theirs.cpu))
        ours, theirs, ratio, cpu = medians(rows)
        print(f"replies of {size:,} bytes, {in_flight} in flight: {ours:,.0f} MB/s, h2load {theirs:,.0f} MB/s, "
              f"ratio {ratio:.2f}, of the CPU {cpu:.2f}", flush=True)


for in_flight in (1, 4):
    messages(in_flight)
for in_flight in (1, 4):
    bytes_per_second(4 << 20, 1_000, in_flight)
