"""What the scripts here share: a server on core 1, a client on core 0, and what the client took.

Needs two cores, taskset, and both programs: cargo build --release && cargo build --release --example responder
"""

import contextlib
import os
import re
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PROGRAM = os.environ.get("GRPCBENCH", "target/release/grpcbench")
RESPONDER = os.environ.get("RESPONDER", "target/release/examples/responder")
HELLO = ["--proto", "protos/helloworld.proto", "--call", "helloworld.Greeter.SayHello", "-d", '{"name":"world"}']


@contextlib.contextmanager
def serving(*command):
    """Runs a server that says `listening on ADDRESS`, and gives the address."""
    child = subprocess.Popen(["taskset", "-c", "1", *command], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        said = child.stdout.readline()
        if not said.startswith("listening on "):
            sys.exit(f"{command[0]} does not start")
        yield said.removeprefix("listening on ").split()[0]
    finally:
        child.terminate()
        child.wait()
        child.stdout.close()


def responder(*flags):
    return serving(RESPONDER, "127.0.0.1:0", *flags)


@dataclass
class Ended:
    """A client that ended well: what it said, its CPU time (user and system), how much of that the kernel took, and
    its wall time, in seconds, and its peak of resident memory in kB."""

    text: str
    cpu: float
    kernel: float
    wall: float
    peak_kb: int

    def number(self, pattern):
        return float(re.search(pattern, self.text)[1].replace(",", ""))


def run(*command, good=(0,)):
    """Runs a client on core 0 to its end."""
    start = time.monotonic()
    child = subprocess.Popen(["taskset", "-c", "0", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    # The peak is read while it runs: the usage of a child that has ended includes the program that started it.
    peak = [0]
    watch = threading.Thread(target=_watch, args=(child.pid, peak), daemon=True)
    watch.start()
    errors = []
    drain = threading.Thread(target=lambda: errors.append(child.stderr.read()), daemon=True)
    drain.start()
    text = child.stdout.read().decode()
    drain.join()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in good:
        sys.exit(f"{command[0]} ended with {child.returncode}:\n{text}{errors[0].decode()}")
    return Ended(text, usage.ru_utime + usage.ru_stime, usage.ru_stime, wall, peak[0])


def _watch(pid, peak):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        while True:
            with open(f"/proc/{pid}/status") as status:
                found = [int(line.split()[1]) for line in status if line.startswith("VmHWM:")]
            if not found:
                return
            peak[0] = max(peak[0], *found)
            time.sleep(0.05)


def grpcbench(address, *flags, method=HELLO):
    """A run of ours with its report as text."""
    secure = () if "--skipTLS" in flags else ("--insecure",)
    return run(PROGRAM, *secure, *method, "--cpus", "1", "-t", "0", *map(str, flags), address)


def start_cpu(one_call):
    """The CPU time of a process that makes one call, and so of all that a long one does beside its calls."""
    return statistics.median(one_call().cpu for _ in range(5))


def medians(rows):
    """The median of each column."""
    return [statistics.median(column) for column in zip(*rows)]
