#!/usr/bin/env bash
# grpcbench and h2load in turn, A B A B, on the same core, against the same server on the other core: calls per second,
# client CPU per call, and the ratios grpcbench / h2load, as medians over the pairs.
#
#   cargo build --release && cargo build --release --example responder
#   apt-get install nghttp2-client
#   bench/versus.sh                       beside examples/responder
#   SERVER=tonic bench/versus.sh          against the embedded tonic server
#
# PAIRS (5), CALLS (per point; scaled down for one in flight) and POINTS ("connections x in flight on each") can be set.
set -euo pipefail
cd "$(dirname "$0")/.."

PAIRS=${PAIRS:-5}
CALLS=${CALLS:-1000000}
POINTS=${POINTS:-"1x1 1x10 1x50 1x200 10x10 100x10"}
SERVER=${SERVER:-responder}

log=$(mktemp)
body=$(mktemp)
# A HelloRequest with the name "world" behind the five bytes of its gRPC prefix.
printf '\0\0\0\0\7\n\5world' >"$body"
case $SERVER in
responder) taskset -c 1 target/release/examples/responder 127.0.0.1:0 >"$log" & ;;
tonic) taskset -c 1 target/release/grpcbench serve 127.0.0.1:0 >"$log" & ;;
*) echo "SERVER is responder or tonic" >&2 && exit 2 ;;
esac
server=$!
trap 'kill "$server" 2>/dev/null; rm -f "$log" "$body"' EXIT
address=
for _ in $(seq 50); do
    address=$(sed -n 's/^listening on //p' "$log")
    [ -n "$address" ] && break
    sleep 0.1
done
[ -n "$address" ] || { echo "the server does not start" >&2 && exit 1; }

python3 - "$address" "$body" "$PAIRS" "$CALLS" "$POINTS" <<'PYTHON'
import os, re, statistics, subprocess, sys, time

address, body, pairs, calls, points = sys.argv[1:]
pairs, calls = int(pairs), int(calls)


def run(command):
    """The output of a command on core 0, and its CPU time and wall time in seconds."""
    start = time.monotonic()
    child = subprocess.Popen(["taskset", "-c", "0", *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = child.stdout.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} ended with {status}:\n{text}")
    return text, usage.ru_utime + usage.ru_stime, time.monotonic() - start


def grpcbench(connections, each, total):
    text, cpu, _ = run([
        "target/release/grpcbench", "--insecure", "--proto", "protos/helloworld.proto",
        "--call", "helloworld.Greeter.SayHello", "-d", '{"name":"world"}', "--cpus", "1", "-t", "0",
        "-n", str(total), "-c", str(connections * each), "--connections", str(connections), address])
    assert f"[OK]   {total} responses" in text, text
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), cpu / total * 1e6


def h2load(connections, each, total):
    text, cpu, _ = run([
        "h2load", "-t", "1", "-n", str(total), "-c", str(connections), "-m", str(each), "-d", body,
        "-H", "content-type: application/grpc", "-H", "te: trailers",
        f"http://{address}/helloworld.Greeter/SayHello"])
    assert f"{total} succeeded" in text, text
    return float(re.search(r"finished in .*, ([\d.]+) req/s", text)[1]), cpu / total * 1e6


print("| connections x in flight | grpcbench calls/s | h2load calls/s | ratio | grpcbench CPU/call | h2load CPU/call | ratio |")
print("|---|---|---|---|---|---|---|")
for point in points.split():
    connections, each = map(int, point.split("x"))
    total = calls // 20 if connections * each == 1 else calls // 4 if connections * each <= 10 else calls
    ours, theirs = [], []
    for _ in range(pairs):
        ours.append(grpcbench(connections, each, total))
        theirs.append(h2load(connections, each, total))
    rate, cpu = (statistics.median(run[k] for run in ours) for k in (0, 1))
    rate_h2load, cpu_h2load = (statistics.median(run[k] for run in theirs) for k in (0, 1))
    ratio = statistics.median(a[0] / b[0] for a, b in zip(ours, theirs))
    cpu_ratio = statistics.median(a[1] / b[1] for a, b in zip(ours, theirs))
    print(f"| {point} | {rate:,.0f} | {rate_h2load:,.0f} | {ratio:.2f} | {cpu:.2f} µs | {cpu_h2load:.2f} µs | {cpu_ratio:.2f} |", flush=True)
PYTHON
