#!/bin/sh
# A server whose every message has a known instant and size gives these numbers back: each first message, gap and round
# trip within 5 % or 200 µs, whichever is larger. The test is `tests/peers/timing.rs`, held strictly, with the server on
# CPU 1 and the client on CPU 0.
#
#   cargo build --release && bench/stream-times.sh
#
# PREFIX goes before it, such as PREFIX="chrt -r 10" on a machine that has other work; on a virtual one run this by
# bench/awake.sh. Server and client must get a CPU when they want one.
set -eu
cd "$(dirname "$0")/.."
binary=$(cargo test --test peers --no-run 2>&1 | sed -n 's/.*(\(target[^)]*\)).*/\1/p')
client=$(mktemp)
trap 'rm -f "$client"' EXIT
printf '#!/bin/sh\nexec taskset -c 0 %s/target/release/grpcbench "$@"\n' "$PWD" > "$client"
chmod +x "$client"
# shellcheck disable=SC2086
GRPCBENCH=$client GRPCBENCH_TRUTH=strict ${PREFIX:-} taskset -c 1 "$binary" timing:: --test-threads 1 --nocapture && ended=0 || ended=$?
# What a reader that does nothing else is late by here: nobody can be held to less.
bench/wakes.py
exit "$ended"
