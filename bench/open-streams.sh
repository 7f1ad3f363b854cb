#!/usr/bin/env bash
# 10,000 server streams, open at once on 100 connections for ten seconds, in less than 400 MB.
#
#   cargo build --release && bench/open-streams.sh
#
# STREAMS (10000), CONNECTIONS (100) and DURATION (10s) can be set. Needs jq.
set -euo pipefail
cd "$(dirname "$0")/.."

STREAMS=${STREAMS:-10000}
CONNECTIONS=${CONNECTIONS:-100}
DURATION=${DURATION:-10s}
LIMIT_KB=400000
grpcbench=${GRPCBENCH:-target/release/grpcbench}
scratch=$(mktemp -d)

# It answers long after the client has ended the calls.
"$grpcbench" serve --delay 1h 127.0.0.1:0 >"$scratch/server" &
server=$!
trap 'kill -KILL "$server" 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 50); do
    address=$(sed -n 's/^listening on //p' "$scratch/server")
    [ -n "$address" ] && break
    sleep 0.1
done

"$grpcbench" --insecure --proto protos/helloworld.proto --call helloworld.Greeter.SayHellos -d '{"name":"Ann"}' \
    -n "$STREAMS" -c "$STREAMS" --connections "$CONNECTIONS" -t 0 --stream-call-duration "$DURATION" \
    -O json -o "$scratch/run.json" "$address" &
run=$!
peak=0
while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$run/status" 2>/dev/null) && [ -n "$now" ]; do
    peak=$now
    sleep 0.02
done
wait "$run"

held=$(jq '[.details[] | select(.status == "OK") | .latency] | [length, min / 1e9] | map(tostring) | join(" streams, each for at least ")' "$scratch/run.json" -r)
printf '%s s; peak resident memory %s kB\n' "$held" "$peak"
if [ "$(jq '.grpcbench.counts.ok' "$scratch/run.json")" != "$STREAMS" ] || [ "$peak" -gt "$LIMIT_KB" ]; then
    printf 'error: not all were held, or they took more than %s kB\n' "$LIMIT_KB" >&2
    exit 1
fi
