#!/usr/bin/env bash
# 1,000 bidirectional streams in ping-pong for a minute. No message is lost and none comes twice: both sides have counted
# the same ones.
#
#   cargo build --release && bench/pingpong.sh
#
# STREAMS (1000), CONNECTIONS (10) and DURATION (60s) can be set. Needs jq.
set -euo pipefail
cd "$(dirname "$0")/.."

STREAMS=${STREAMS:-1000}
CONNECTIONS=${CONNECTIONS:-10}
DURATION=${DURATION:-60s}
grpcbench=${GRPCBENCH:-target/release/grpcbench}
scratch=$(mktemp -d)

"$grpcbench" serve 127.0.0.1:0 >"$scratch/server" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$scratch"' EXIT
for _ in $(seq 50); do
    address=$(sed -n 's/^listening on //p' "$scratch/server")
    [ -n "$address" ] && break
    sleep 0.1
done

# Each stream goes on until its time is over, which is long before it has sent as many messages as it may.
"$grpcbench" --insecure --proto protos/helloworld.proto --call helloworld.Greeter.SayHelloBidi -d '{"name":"Ann"}' \
    -n "$STREAMS" -c "$STREAMS" --connections "$CONNECTIONS" -t 0 \
    --stream-ping-pong --stream-call-count 4000000000 --stream-call-duration "$DURATION" \
    -O json -o "$scratch/run.json" "$address"
kill -INT "$server"
wait "$server"

client=$(jq -r '.grpcbench | "\(.counts.ok) calls on \(.connections.connected | length) connections, \(.traffic.messages_sent) messages in and \(.traffic.messages_received) out"' "$scratch/run.json")
served=$(sed -n 's/^served //p' "$scratch/server")
# The client's words are those of the server: what it sent went in there.
printf 'client: %s\nserver: %s\n' "$client" "$served"
jq -r '.grpcbench.streams | "round trip: \(.round_trip.percentiles_ns["50"] / 1e6) ms at the median, \(.round_trip.percentiles_ns["99"] / 1e6) ms at the 99th percentile, of \(.round_trip.count); unmatched: \(.unmatched)"' "$scratch/run.json"
if [ "$client" != "$served" ] || [ "$(jq '.grpcbench.streams.unmatched' "$scratch/run.json")" != 0 ]; then
    printf 'error: the two sides differ\n' >&2
    exit 1
fi
