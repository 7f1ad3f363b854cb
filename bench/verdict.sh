#!/bin/sh
# Is the verdict right? Light runs must be valid, and runs whose client is held back must be client-limited.
#
#   bench/verdict.sh [RUNS]          (20 of each kind unless told otherwise)
#
# Needs two CPUs, taskset, jq, and both programs built:
#   cargo build --release --bin grpcbench --example responder
# PREFIX goes before the client and the responder of light runs, such as PREFIX="chrt -f 40" on a machine that has other
# work: what is to be shown there is a client that is not held back.
set -eu
cd "$(dirname "$0")/.."
runs=${1:-20}
prefix=${PREFIX:-}
grpcbench=${GRPCBENCH:-target/release/grpcbench}
responder=${RESPONDER:-target/release/examples/responder}
address=127.0.0.1:${PORT:-50963}
scratch=$(mktemp -d)

# shellcheck disable=SC2086
$prefix taskset -c 1 "$responder" "$address" > /dev/null &
server=$!
holder=
trap 'kill $server $holder 2> /dev/null || true; rm -rf "$scratch"' EXIT
sleep 1

run() { # the flags of a run; prints the verdict and its reasons
    # shellcheck disable=SC2086
    $before taskset -c 0 "$grpcbench" --insecure --proto protos/helloworld.proto --call helloworld.Greeter.SayHello \
        -d '{"name":"Ann"}' -O json -o "$scratch/run.json" "$@" "$address" 2> "$scratch/said" || cat "$scratch/said" >&2
    jq -r '[.grpcbench.verdict.value, (.grpcbench.verdict.reasons | map(.kind) | join("+"))] | join(" ")' "$scratch/run.json"
}

several() { # name, the verdict it should be, flags
    name=$1 wanted=$2
    shift 2
    : > "$scratch/verdicts"
    for _ in $(seq "$runs"); do run "$@" >> "$scratch/verdicts"; done
    right=$(grep -c "^$wanted" "$scratch/verdicts" || true)
    echo "$name: $right of $runs are $wanted"
    sort "$scratch/verdicts" | uniq -c | sed 's/^/    /'
}

before=$prefix
several "1,000/s, client alone on its CPU" valid -r 1000 -z 2s --interval 200ms
several "5,000/s, client alone on its CPU" valid -r 5000 -z 2s --interval 200ms
before=
taskset -c 0 sh -c 'while :; do :; done' &
holder=$!
several "closed loop, a busy loop on the client's CPU" client-limited -c 50 -z 2s
several "20,000/s, a busy loop on the client's CPU" client-limited -r 20000 -z 2s
