#!/usr/bin/env bash
# grpcbench and h2load in turn, A B A B, on the same core, against the same server on the other core: calls per second,
# client CPU per call, and the ratios grpcbench / h2load, as medians over the pairs. CPU is that of the calls: what a
# process with one call takes is left out for both.
#
#   cargo build --release && cargo build --release --example responder
#   apt-get install nghttp2-client
#   bench/versus.sh                              beside examples/responder
#   SERVER=responder-tls bench/versus.sh         the same over TLS
#   SERVER=tonic bench/versus.sh                 against the embedded tonic server
#   SERVER=127.0.0.1:50051 bench/versus.sh       against a Greeter that is running already
#
# PAIRS (5), CALLS (per point; scaled down for few in flight) and POINTS ("connections x in flight on each") can be set.
set -euo pipefail
cd "$(dirname "$0")/.."

PAIRS=${PAIRS:-5}
CALLS=${CALLS:-1000000}
POINTS=${POINTS:-"1x1 1x10 1x50 1x200 10x10 100x10"}
SERVER=${SERVER:-responder}

body=$(mktemp)
trap 'rm -f "$body"' EXIT
# A HelloRequest with the name "world" behind the five bytes of its gRPC prefix.
printf '\0\0\0\0\7\n\5world' >"$body"

PYTHONPATH=bench python3 - "$SERVER" "$body" "$PAIRS" "$CALLS" "$POINTS" <<'PYTHON'
import contextlib, sys

from harness import PROGRAM, grpcbench, medians, responder, run, serving, start_cpu

server, body, pairs, calls, points = sys.argv[1:]
pairs, calls = int(pairs), int(calls)
tls = server == "responder-tls"
servers = {
    "responder": lambda: responder(),
    "responder-tls": lambda: responder("--tls"),
    "tonic": lambda: serving(PROGRAM, "serve", "127.0.0.1:0"),
}


def ours(address, connections, each, total):
    ended = grpcbench(address, "-n", total, "-c", connections * each, "--connections", connections, *(["--skipTLS"] * tls))
    assert f"[OK]   {total} responses" in ended.text, ended.text
    return ended


def theirs(address, connections, each, total):
    ended = run("h2load", "-t", "1", "-n", str(total), "-c", str(connections), "-m", str(each), "-d", body,
                "-H", "content-type: application/grpc", "-H", "te: trailers",
                f"http{'s' * tls}://{address}/helloworld.Greeter/SayHello")
    assert f"{total} succeeded" in ended.text, ended.text
    return ended


with servers.get(server, lambda: contextlib.nullcontext(server))() as address:
    print("| connections x in flight | grpcbench calls/s | h2load calls/s | ratio | grpcbench CPU/call | h2load CPU/call | ratio |")
    print("|---|---|---|---|---|---|---|")
    start = start_cpu(lambda: ours(address, 1, 1, 1))
    start_h2load = start_cpu(lambda: theirs(address, 1, 1, 1))
    for point in points.split():
        connections, each = map(int, point.split("x"))
        total = calls // 20 if connections * each == 1 else calls // 4 if connections * each <= 10 else calls
        rows = []
        for _ in range(pairs):
            one, other = ours(address, connections, each, total), theirs(address, connections, each, total)
            rows.append((one.number(r"Requests/sec:\s+([\d.]+)"), (one.cpu - start) / total * 1e6,
                         other.number(r"finished in .*, ([\d.]+) req/s"), (other.cpu - start_h2load) / total * 1e6))
        rate, cpu, rate_h2load, cpu_h2load = medians(rows)
        ratio, cpu_ratio = medians([(row[0] / row[2], row[1] / row[3]) for row in rows])
        print(f"| {point} | {rate:,.0f} | {rate_h2load:,.0f} | {ratio:.2f} | {cpu:.2f} µs | {cpu_h2load:.2f} µs | {cpu_ratio:.2f} |", flush=True)
PYTHON
