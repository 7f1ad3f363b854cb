#!/usr/bin/env bash
# Four ways to serve helloworld.Greeter in Python, side by side: over rates of 10 to 200 calls a second, 200 calls each, and
# over 2 to 50 callers in a closed loop, 2000 calls each.
#
#   cargo build --release
#   examples/python_servers/run.sh
#
# It needs Python 3.10 or later; the packages of requirements.txt go into a virtual environment under target/. Reports and tables are
# in target/python_servers; what it writes to standard output is the tables in Markdown. REPEAT (1), REST (1s) and
# GRPCBENCH (target/release/grpcbench) can be set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
work=$project/target/python_servers
grpcbench=${GRPCBENCH:-$project/target/release/grpcbench}
repeat=${REPEAT:-1}
rest=${REST:-1s}

[ -x "$grpcbench" ] || { echo "build it first: cargo build --release" >&2 && exit 2; }
mkdir -p "$work"

# The packages, once.
python=$work/venv/bin/python
if ! cmp -s "$here/requirements.txt" "$work/venv/requirements.txt"; then
    rm -rf "$work/venv"
    python3 -m venv "$work/venv"
    "$python" -m pip install --quiet --disable-pip-version-check --only-binary :all: -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$work/venv/"
fi
mkdir -p "$work/stubs"
"$python" -m grpc_tools.protoc -I "$project/protos" --python_out "$work/stubs" --grpc_python_out "$work/stubs" \
    "$project/protos/helloworld.proto"

servers=()
targets=()
stop() { for pid in "${servers[@]}"; do kill "$pid" 2>/dev/null || true; done; }
trap stop EXIT

# Starts a server under a name.
start() {
    local name=$1 kind=$2 log=$work/$1.log address=
    # -B: no compiled files beside the source.
    PYTHONPATH=$work/stubs "$python" -B "$here/server.py" "$kind" >"$log" 2>&1 &
    servers+=($!)
    for _ in $(seq 100); do
        address=$(sed -n 's/^listening on //p' "$log")
        [ -n "$address" ] && break
        sleep 0.1
    done
    [ -n "$address" ] || { echo "$name does not start:" >&2 && cat "$log" >&2 && exit 1; }
    targets+=(--target "$name=$address")
}

start sync1 threads:1
start sync50 threads:50
start asyncio asyncio
start uvloop uvloop

# Sweeps all servers, into a folder of that name.
sweep() {
    local name=$1
    shift
    rm -rf "${work:?}/$name"
    for format in markdown html; do
        "$grpcbench" sweep --insecure --proto "$project/protos/helloworld.proto" --call helloworld.Greeter.SayHello \
            -d '{"name":"Ann"}' "${targets[@]}" "$@" --repeat "$repeat" --rest "$rest" --dir "$work/$name" \
            -O "$format" -o "$work/$name.$format"
    done
    cat "$work/$name.markdown"
}

sweep rates -r 10,25,50,100,200 -n 200
sweep concurrency -c 2,10,25,50 -n 2000
