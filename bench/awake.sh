#!/bin/sh
# Runs a command while no CPU of this machine goes to sleep.
#
#   bench/awake.sh COMMAND [ARGUMENT..]
#
# An idle CPU of a virtual machine is given back to its host, and may take milliseconds to return: a client and a server
# that are nearly idle are then late through no fault of theirs. A loop of the lowest class on each CPU (SCHED_IDLE: it
# runs only while nobody else wants to) keeps them. What is left is what a machine of one's own would show. Needs chrt
# and taskset (util-linux).
set -eu
loops=
trap 'kill $loops 2> /dev/null || true' EXIT
for cpu in $(seq 0 $(($(nproc) - 1))); do
    chrt --idle 0 taskset -c "$cpu" sh -c 'while :; do :; done' &
    loops="$loops $!"
done
"$@"
