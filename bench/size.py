#!/usr/bin/env python3
"""What a run takes beside its calls: memory by connections and by length, and time from the last call to the end.

    cargo build --release && cargo build --release --example responder && bench/size.py

Many connections need as many open files, here and in the server: `ulimit -n 65536`. CALLS (10,000,000) can be set.
"""

import os
import resource

from harness import PROGRAM, grpcbench, responder, serving

CALLS = int(os.environ.get("CALLS", "10000000"))
KB_MAX = {1_000: 60_000, 10_000: 500_000}


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    print(f"program: {os.path.getsize(os.path.join(os.path.dirname(__file__), '..', PROGRAM)):,} bytes", flush=True)
    with responder() as address:
        once = sorted(grpcbench(address, "-n", 1, "-c", 1).wall for _ in range(5))[2]
        ended = grpcbench(address, "-n", CALLS, "-c", 50)
        took = CALLS / ended.number(r"Requests/sec:\s+([\d.]+)")
        print(f"{CALLS:,} calls, 50 in flight: {ended.peak_kb:,} kB at the peak; {took:.2f} s of calls, "
              f"{(ended.wall - took) * 1e3:.0f} ms before and after them (a run of one call takes {once * 1e3:.0f} ms)", flush=True)
    with serving(PROGRAM, "serve", "127.0.0.1:0") as address:
        for connections, allowed in KB_MAX.items():
            ended = grpcbench(address, "-n", connections * 20, "-c", connections, "--connections", connections)
            print(f"{connections:,} connections, one call in flight on each: {ended.peak_kb:,} kB (may take {allowed:,})", flush=True)
            assert ended.peak_kb < allowed


main()
