#!/usr/bin/env python3
"""Servers with known faults, for as long as the promises are about: is what was promised what happens?

    cargo build --release && bench/truth.py

The same in small is in tests/it/truth.rs, with bounds for a busy machine. Linux only: CPU time is read from /proc.
"""

import datetime
import glob
import json
import os
import signal
import subprocess
import sys
import time

PROGRAM = os.environ.get("GRPCBENCH", "target/release/grpcbench")
CALL = ["--insecure", "--proto", "protos/helloworld.proto", "--call", "helloworld.Greeter.SayHello", "-d", '{"name":"Ann"}']
failures = []


def serve(address, *flags):
    """A server, and where it listens."""
    server = subprocess.Popen([PROGRAM, "serve", *flags, address], stdout=subprocess.PIPE, text=True)
    return server, server.stdout.readline().removeprefix("listening on ").strip()


def start(address, *flags):
    return subprocess.Popen([PROGRAM, *CALL, *flags, "-O", "json", address], stdout=subprocess.PIPE)


def report_of(run):
    """What it reports, whose counts must add up."""
    report = json.loads(run.communicate(timeout=120)[0])
    counts = report["grpcbench"]["counts"]
    assert counts["arrivals"] == counts["sent"] + counts["unsent"], counts
    assert counts["sent"] == counts["done"] + counts["abandoned"], counts
    assert counts["done"] == counts["ok"] + counts["failed"] == sum(report["statusCodeDistribution"].values()), counts
    return report


def kill(server):
    server.kill()
    server.wait()


def judge(what, good):
    print(f"{what}: {'as promised' if good else 'NOT AS PROMISED'}", flush=True)
    if not good:
        failures.append(what)


def stall():
    """2,000 calls, one every 5 ms. Of the 280 that are due in the stall the first takes 1.4 s, each next one 5 ms less, and
    twenty take longer than the 99th percentile."""
    server, address = serve("127.0.0.1:0", "--stall", "1.4s@2s")
    report = report_of(start(address, "-r", "200", "-c", "500", "-z", "10s"))
    kill(server)
    p99 = report["grpcbench"]["times"]["ok"]["response"]["percentiles_ns"]["99"] / 1e6
    judge(f"stall of 1.4 s under 200/s: response p99 {p99:.1f} ms, by arithmetic 1300 ms", abs(p99 - 1300) <= 0.02 * 1300)


def short_lived():
    for flags in [["-r", "500"], ["-c", "20", "--connections", "4", "--duration-stop", "wait"]]:
        server, address = serve("127.0.0.1:0", "--max-connection-age", "1s")
        report = report_of(start(address, *flags, "-z", "20s"))
        kill(server)
        counts, connections = report["grpcbench"]["counts"], report["grpcbench"]["connections"]
        lost = counts["arrivals"] - counts["ok"]
        judge(
            f"connections of 1 s over 20 s, {' '.join(flags)}: {counts['ok']} calls, {connections['lost']} connections sent away, "
            f"{counts['retried']} calls sent again, {lost} lost",
            lost == 0 and connections["lost"] >= 15,
        )


def cpu_s(pid):
    """CPU time of all threads of a process."""
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path) as file:
            total += int(file.read().split()[0])
    return total / 1e9


def killed():
    """Twice killed and started again within 20 s of calls at their times."""
    server, address = serve("127.0.0.1:0")
    run = start(address, "-r", "200", "-z", "20s")
    time.sleep(3)
    restarts, down = [], []
    for _ in range(2):
        kill(server)
        before, since = cpu_s(run.pid), time.monotonic()
        time.sleep(3)
        down.append((cpu_s(run.pid) - before) / (time.monotonic() - since))
        server, _ = serve(address)
        restarts.append(time.time())
        time.sleep(4)
    report = report_of(run)
    kill(server)
    # Ends of calls that ended OK, as far as Python reads them: to the microsecond.
    ends = [
        datetime.datetime.fromisoformat(call["timestamp"].replace("Z", "+00:00")[:26] + call["timestamp"].replace("Z", "+00:00")[-6:]).timestamp()
        for call in report["details"]
        if call["status"] == "OK"
    ]
    resumed = [min((end for end in ends if end > restart), default=restart + 99) - restart for restart in restarts]
    counts = report["grpcbench"]["counts"]
    judge(
        f"killed twice in 20 s at 200/s: {counts['ok']} OK, {counts['failed']} failed, {counts['abandoned']} abandoned, "
        f"{counts['unsent']} unsent; first answers {' and '.join(f'{s * 1e3:.0f} ms' for s in resumed)} after the restarts",
        all(s < 1 for s in resumed) and counts["arrivals"] == 4000,
    )
    judge(
        f"client while the server is down: {' and '.join(f'{100 * cpu:.2f} %' for cpu in down)} of a core",
        all(cpu < 0.05 for cpu in down),
    )


os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
signal.alarm(300)
for part in [stall, short_lived, killed]:
    if len(sys.argv) < 2 or part.__name__ in sys.argv[1:]:
        part()
sys.exit(1 if failures else 0)
