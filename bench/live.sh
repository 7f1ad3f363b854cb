#!/usr/bin/env bash
# What the live view costs: runs without it and with it in turn, A B A B, on core 0, against examples/responder on core 1.
# Calls per second, client CPU per call, and the ratios with / without, as medians over the pairs.
#
#   cargo build --release && cargo build --release --example responder
#   bench/live.sh
#
# PAIRS (7), CALLS (2000000) and POINTS (callers on one connection) can be set.
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
taskset -c 1 target/release/examples/responder 127.0.0.1:0 >"$log" &
server=$!
trap 'kill "$server" 2>/dev/null; rm -f "$log"' EXIT
address=
for _ in $(seq 50); do
    address=$(sed -n 's/^listening on //p' "$log")
    [ -n "$address" ] && break
    sleep 0.1
done
[ -n "$address" ] || { echo "the server does not start" >&2 && exit 1; }

python3 - "$address" "${PAIRS:-7}" "${CALLS:-2000000}" "${POINTS:-50 200}" <<'PYTHON'
import os, pty, statistics, subprocess, sys, threading

address, pairs, calls, points = sys.argv[1:]
pairs, calls = int(pairs), int(calls)


def run(callers, live):
    """Calls per second and CPU time per call of a run whose standard error is a terminal."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        ["taskset", "-c", "0", "target/release/grpcbench", "--insecure", "--proto", "protos/helloworld.proto",
         "--call", "helloworld.Greeter.SayHello", "-d", '{"name":"world"}', "--cpus", "1", "-t", "0",
         "-n", str(calls), "-c", str(callers), *([] if live else ["--no-live"]), address],
        stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    shown = []

    def look():
        try:
            while piece := os.read(ours, 65536):
                shown.append(piece)
        except OSError:
            pass

    reader = threading.Thread(target=look)
    reader.start()
    text = child.stdout.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    reader.join()
    os.close(ours)
    if status != 0 or (b"in flight" in b"".join(shown)) != bool(live):
        sys.exit(f"ended with {status}, shown {shown}:\n{text}")
    rate = float(text.split("Requests/sec:")[1].split()[0])
    return rate, (usage.ru_utime + usage.ru_stime) / calls * 1e6


print("| callers | calls/s without | with | ratio | CPU/call without | with | ratio |")
print("|---|---|---|---|---|---|---|")
for callers in map(int, points.split()):
    without, shown = [], []
    for _ in range(pairs):
        without.append(run(callers, False))
        shown.append(run(callers, True))
    (a, b), (c, d) = [[statistics.median(run[k] for run in runs) for runs in (without, shown)] for k in (0, 1)]
    rates, cpus = [statistics.median(y[k] / x[k] for x, y in zip(without, shown)) for k in (0, 1)]
    print(f"| {callers} | {a:,.0f} | {b:,.0f} | {rates:.3f} | {c:.3f} µs | {d:.3f} µs | {cpus:.3f} |", flush=True)
PYTHON
