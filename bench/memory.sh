#!/usr/bin/env bash
# Resident memory of a run of ten thousand and of five million calls: the same, to within 2 MB.
#
#   cargo build --release && cargo build --release --example responder && bench/memory.sh
set -euo pipefail
cd "$(dirname "$0")/.."

SHORT=${SHORT:-10000}
LONG=${LONG:-5000000}
MARGIN_KB=2048
log=$(mktemp)

target/release/examples/responder 127.0.0.1:0 >"$log" &
responder=$!
trap 'kill "$responder" 2>/dev/null; rm -f "$log"' EXIT
for _ in $(seq 50); do
    address=$(sed -n 's/^listening on //p' "$log")
    [ -n "$address" ] && break
    sleep 0.1
done

# The peak of the resident set, in kB, of a run of $1 calls. Read while it runs: what the kernel says of a child that
# has ended includes the memory of the program that started it.
peak_kb() {
    python3 - "$1" "$address" <<'PYTHON'
import subprocess, sys, time
calls, address = sys.argv[1:]
run = subprocess.Popen(
    ["target/release/grpcbench", "--insecure", "--proto", "protos/helloworld.proto", "--call",
     "helloworld.Greeter.SayHello", "-d", '{"name":"world"}', "-n", calls, "-c", "50", "-O", "summary", address],
    stdout=subprocess.DEVNULL)
peak, deadline = 0, time.monotonic() + 300
while run.poll() is None and time.monotonic() < deadline:
    with open(f"/proc/{run.pid}/status") as status:
        peak = max([peak, *(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))])
    time.sleep(0.001)
run.kill()
assert run.wait() == 0, f"the run ended with {run.returncode}"
print(peak)
PYTHON
}

# A short run may end between two looks at it, before its report was seen: the highest of some.
short=$(for _ in 1 2 3 4 5; do peak_kb "$SHORT"; done | sort -n | tail -n 1)
long=$(peak_kb "$LONG")
printf 'peak resident memory: %s kB after %s calls, %s kB after %s calls\n' "$short" "$SHORT" "$long" "$LONG"
if [ $((long - short)) -gt $MARGIN_KB ]; then
    printf 'error: it grows with the run\n' >&2
    exit 1
fi
