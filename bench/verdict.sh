#!/bin/sh
# Is the verdict right? Light runs must be valid, and runs whose client is held back must be client-limited.
#
#   bench/verdict.sh [RUNS]          (20 of each kind unless told otherwise)
#
# Needs two CPUs, taskset, jq, and both programs built:
#   cargo build --release --bin grpcbench --example responder
# The client is held back by a busy loop on its CPU, and, where this user may make control groups, by one that gives it a
# fifth of a CPU. PREFIX goes before the client and the responder of light runs, such as PREFIX="chrt -f 40" on a machine
# that has other work; on a virtual one run this by bench/awake.sh. What is to be shown there is a client that is not
# held back. ONLY=light leaves out the others.
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
group=
trap 'kill $server $holder 2> /dev/null || true; [ -z "$group" ] || rmdir "$group"; rm -rf "$scratch"' EXIT
sleep 1

run() { # the flags of a run; prints the verdict and its reasons
    rm -f "$scratch/run.json"
    # shellcheck disable=SC2086
    $before taskset -c 0 "$grpcbench" --insecure --proto protos/helloworld.proto --call helloworld.Greeter.SayHello \
        -d '{"name":"Ann"}' -O json -o "$scratch/run.json" "$@" "$address" 2> "$scratch/said" || cat "$scratch/said" >&2
    [ -e "$scratch/run.json" ] || { echo "no report"; return; }
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
[ "${ONLY:-}" != light ] || exit 0
before=
taskset -c 0 sh -c 'while :; do :; done' &
holder=$!
several "closed loop, a busy loop on the client's CPU" client-limited -c 50 -z 2s
several "20,000/s, a busy loop on the client's CPU" client-limited -r 20000 -z 2s
kill "$holder"
wait "$holder" 2> /dev/null || true
holder=

# A group that gets 20 ms of CPU time in each 100 ms, by version 2 or 1 of control groups.
make_group() {
    for root in /sys/fs/cgroup /sys/fs/cgroup/cpu; do
        new=$root/grpcbench-verdict-$$
        mkdir "$new" 2> /dev/null || continue
        group=$new
        if [ -e "$group/cpu.max" ] && echo '20000 100000' > "$group/cpu.max"; then return; fi
        if [ -e "$group/cpu.cfs_quota_us" ] && echo 100000 > "$group/cpu.cfs_period_us" &&
            echo 20000 > "$group/cpu.cfs_quota_us"; then return; fi
        rmdir "$group"
        group=
    done 2> /dev/null
    return 1
}

if make_group; then
    # A shell that joins the group and becomes the client.
    printf '#!/bin/sh\necho $$ > %s/cgroup.procs && exec "$@"\n' "$group" > "$scratch/join"
    chmod +x "$scratch/join"
    before=$scratch/join
    several "closed loop, a fifth of a CPU by control group" client-limited -c 50 -z 2s
    several "20,000/s, a fifth of a CPU by control group" client-limited -r 20000 -z 2s
else
    echo "held by a control group: not run, as this user cannot make one with a limit of CPU time here"
fi
