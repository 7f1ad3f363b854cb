#!/usr/bin/env python3
"""What data costs: an array of a thousand messages and a template beside one constant message, in turn.

    cargo build --release && cargo build --release --example responder && bench/data.py

PAIRS (5) and CALLS (1,000,000) can be set.
"""

import json
import os
import tempfile

from harness import HELLO, grpcbench, medians, responder

PAIRS = int(os.environ.get("PAIRS", "5"))
CALLS = int(os.environ.get("CALLS", "1000000"))
MIB = 1 << 20


def with_data(*flags):
    """The Greeter's method with other data."""
    return HELLO[: HELLO.index("-d")] + list(flags)


def cpu_per_call(address, method, calls, in_flight):
    ended = grpcbench(address, "-n", calls, "-c", in_flight, method=method)
    assert f"[OK]   {calls} responses" in ended.text, ended.text
    return ended.cpu / calls * 1e6


def main():
    with responder() as address, tempfile.TemporaryDirectory() as folder:
        array = os.path.join(folder, "array.json")
        with open(array, "w") as file:
            json.dump([{"name": f"w{number:04}"} for number in range(1_000)], file)
        large = os.path.join(folder, "large.json")
        with open(large, "w") as file:
            json.dump({"name": "x" * MIB}, file)
        others = {
            "an array of 1,000 messages": with_data("-D", array),
            "a template with one variable": with_data("-d", '{"name":"{{.RequestNumber}}"}'),
        }
        for name, method in others.items():
            rows = [(cpu_per_call(address, HELLO, CALLS, 50), cpu_per_call(address, method, CALLS, 50)) for _ in range(PAIRS)]
            one, other = medians(rows)
            print(f"{name}: {other:.2f} µs of CPU a call, one constant message {one:.2f} µs", flush=True)
        cpu, = medians([(cpu_per_call(address, with_data("-D", large), 2_000, 4),) for _ in range(PAIRS)])
        print(f"messages of 1 MiB: {cpu:.0f} µs of CPU a call, {cpu * 1e3 / MIB:.2f} ns a byte", flush=True)


main()
