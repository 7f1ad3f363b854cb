#!/bin/sh
# A server whose every message has a known instant and size gives these numbers back: each first message, gap and round
# trip within 5 % or 200 µs, whichever is larger. The test is `tests/peers/timing.rs`, held strictly, with the server on
# CPU 1 and the client on CPU 0, which both watch their sockets (the client by --idle spin): to be woken may take longer
# than the times that are judged. RUNS (10) times; behind them, how late a reader that does nothing else is here.
#
#   cargo build --release && bench/stream-times.sh
#
# PREFIX goes before it, such as PREFIX="chrt -r 10" on a machine that has other work.
set -eu
cd "$(dirname "$0")/.."
binary=$(cargo test --test peers --no-run 2>&1 | sed -n 's/.*(\(target[^)]*\)).*/\1/p')
client=$(mktemp)
trap 'rm -f "$client"' EXIT
printf '#!/bin/sh\nexec taskset -c 0 %s/target/release/grpcbench "$@"\n' "$PWD" > "$client"
chmod +x "$client"
whole=0
for _ in $(seq "${RUNS:=10}"); do
    # shellcheck disable=SC2086
    if told=$(GRPCBENCH=$client GRPCBENCH_TRUTH=strict ${PREFIX:-} taskset -c 1 "$binary" timing:: --test-threads 1 --nocapture 2>&1); then
        whole=$((whole + 1))
    fi
    if ! printf '%s\n' "$told" | grep -o '[a-z ]*: [0-9]* of [0-9]* within.*'; then
        printf '%s\n' "$told" >&2
        exit 1
    fi
done
printf '%s of %s runs wholly within\n' "$whole" "$RUNS"
bench/wakes.py
