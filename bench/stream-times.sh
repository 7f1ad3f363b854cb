#!/bin/sh
# A server whose every message has a known instant and size gives these numbers back: each first message, gap and round
# trip within 5 % or 200 µs, whichever is larger. The test is `tests/peers/timing.rs`, held strictly.
#
#   cargo build --release && bench/stream-times.sh
#
# PREFIX goes before it, such as PREFIX="chrt -r 10" on a machine that has other work; on a virtual one run this by
# bench/awake.sh. Server and client must get a CPU when they want one.
set -eu
cd "$(dirname "$0")/.."
binary=$(cargo test --test peers --no-run 2>&1 | sed -n 's/.*(\(target[^)]*\)).*/\1/p')
# shellcheck disable=SC2086
GRPCBENCH=$PWD/target/release/grpcbench GRPCBENCH_TRUTH=strict ${PREFIX:-} "$binary" timing:: --test-threads 1 --nocapture
