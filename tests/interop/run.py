#!/usr/bin/env python3
"""Runs a built grpcbench against servers that nobody here wrote: Python's grpcio, on asyncio and on threads.

    python3 tests/interop/run.py target/release/grpcbench

Needs CPython 3.9 or later with `venv`, and PyPI the first time: grpcio is installed into `target/interop-venv`, which is
used again for as long as requirements.txt and the interpreter are the same. Every check has a server of its own, so that
the server's count of calls can be compared with the report. The last line is `N passed, M failed`; the exit code is 0
only if nothing failed. Everything has a timeout, and only what was started here is ended.
"""

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
SERVERS = {"asyncio": HERE / "greeter_asyncio.py", "threads": HERE / "greeter_threads.py"}
# As greeter.py has it, which cannot be imported here: this program runs outside the virtual environment.
MISSING_MESSAGE = "niemand heißt „missing“: 100% sicher ☂"

INSTALL_SECONDS = 600
START_SECONDS = 30
RUN_SECONDS = 60
END_SECONDS = 15


class Failure(Exception):
    """A check that did not hold, in words."""


def main():
    if len(sys.argv) != 2:
        print("usage: run.py PATH_OF_GRPCBENCH", file=sys.stderr)
        return finish(0, 1)
    binary = Path(sys.argv[1]).resolve()
    if not os.access(binary, os.X_OK):
        print(f"`{binary}` is no program: build it first", file=sys.stderr)
        return finish(0, 1)
    try:
        python = environment()
    except (Failure, OSError, subprocess.SubprocessError) as error:
        print(f"no Python environment with grpcio: {error}", file=sys.stderr)
        return finish(0, 1)

    # Without -B, Python would leave its compiled files beside the scripts.
    passed = failed = 0
    for kind, script in SERVERS.items():
        for check in (closed_loop, rate, deadline, errors):
            name = f"{kind}: {check.__doc__}"
            start = time.monotonic()
            try:
                check(binary, [python, "-B", str(script)])
            except (Failure, OSError, subprocess.SubprocessError, KeyError, TypeError, ValueError) as error:
                failed += 1
                print(f"FAILED  {name}\n        {type(error).__name__}: {error}", flush=True)
            else:
                passed += 1
                print(f"ok      {name} ({time.monotonic() - start:.1f} s)", flush=True)
    return finish(passed, failed)


def finish(passed, failed):
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


# The checks.


def closed_loop(binary, server):
    """a thousand calls by ten callers"""
    exit_code, report, seen = measure(binary, server, "Ann", "-n", "1000", "-c", "10")
    expect("exit code", exit_code, 0)
    expect("statuses", report["statusCodeDistribution"], {"OK": 1000})
    expect("errors", report["errorDistribution"], {})
    expect("calls that the server saw", seen, {"SayHello": 1000})


def rate(binary, server):
    """fifty calls at a hundred a second"""
    exit_code, report, seen = measure(binary, server, "Ann", "-n", "50", "-r", "100")
    expect("exit code", exit_code, 0)
    expect("statuses", report["statusCodeDistribution"], {"OK": 50})
    expect("calls that the server saw", seen, {"SayHello": 50})
    # The last call is due 490 ms after the first.
    expect_at_least("nanoseconds from first call to last answer", report["total"], 490_000_000)


def deadline(binary, server):
    """twenty calls that no answer comes to, with a deadline of one second"""
    exit_code, report, seen = measure(binary, server, "sleep", "-n", "20", "-c", "20", "-t", "1s")
    expect("exit code, when no call succeeded", exit_code, 1)
    expect("statuses", report["statusCodeDistribution"], {"DeadlineExceeded": 20})
    expect("calls in the errors", sum(report["errorDistribution"].values()), 20)
    expect("calls that the server saw", seen, {"SayHello": 20})
    # A server may be the first to notice, and rounds.
    expect_at_least("nanoseconds from first call to last answer", report["total"], 900_000_000)


def errors(binary, server):
    """thirty calls that end with NOT_FOUND and a message that needs percent-encoding"""
    exit_code, report, seen = measure(binary, server, "missing", "-n", "30", "-c", "3")
    expect("exit code, when no call succeeded", exit_code, 1)
    expect("statuses", report["statusCodeDistribution"], {"NotFound": 30})
    expect("errors", report["errorDistribution"], {f"rpc error: code = NotFound desc = {MISSING_MESSAGE}": 30})
    expect("calls that the server saw", seen, {"SayHello": 30})


def measure(binary, server, name, *flags):
    """Runs the binary against a new server. Gives its exit code, its report and the server's counts."""
    with serving(server) as (address, end):
        command = [str(binary), "--proto", "protos/helloworld.proto", "--call", "helloworld.Greeter.SayHello"]
        command += ["-d", json.dumps({"name": name}), *flags, "--insecure", "-O", "json", address]
        run = subprocess.run(
            command, cwd=PROJECT, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8",
            timeout=RUN_SECONDS,
        )
        seen = end()
    try:
        report = json.loads(run.stdout)
    except ValueError:
        raise Failure(f"no JSON report, exit code {run.returncode}; stderr: {tail(run.stderr)}") from None
    calls = int(flags[flags.index("-n") + 1])
    expect("count", report["count"], calls)
    expect("end reason", report["endReason"], "normal")
    # What must add up in any report.
    statuses = report["statusCodeDistribution"]
    answered = statuses.get("OK", 0)
    expect("sum of the statuses", sum(statuses.values()), report["count"])
    expect("sum of the errors", sum(report["errorDistribution"].values()), report["count"] - answered)
    expect("sum of the histogram", sum(bucket["count"] for bucket in report["histogram"] or []), answered)
    expect("details", len(report["details"]), report["count"])
    return run.returncode, report, seen


def expect(what, actual, expected):
    if actual != expected:
        raise Failure(f"{what}: expected {expected!r}, and got {actual!r}")


def expect_at_least(what, actual, least):
    if actual < least:
        raise Failure(f"{what}: expected at least {least}, and got {actual}")


# Servers and their environment.


@contextlib.contextmanager
def serving(command):
    """A server while the block runs: its address, and a function that ends it and gives its counts."""
    # A file and not a pipe: nobody reads it while the server runs, and a full pipe would stop the server.
    with tempfile.TemporaryFile() as stderr:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
        try:
            yield address_of(server, stderr), lambda: counts_of(server, stderr)
        finally:
            if server.poll() is None:
                server.kill()
            server.communicate()


def address_of(server, stderr):
    ready, _, _ = select.select([server.stdout], [], [], START_SECONDS)
    line = server.stdout.readline().decode() if ready else ""
    prefix = "listening on "
    if not line.startswith(prefix):
        raise Failure(f"the server does not say where it listens; stderr: {log_of(stderr)}")
    return line[len(prefix) :].strip()


def counts_of(server, stderr):
    server.terminate()
    output, _ = server.communicate(timeout=END_SECONDS)
    if server.returncode != 0:
        raise Failure(f"the server ended with {server.returncode}; stderr: {log_of(stderr)}")
    return json.loads(output)["calls"]


def log_of(stderr):
    stderr.seek(0)
    return tail(stderr.read().decode(errors="replace"))


def tail(text):
    return text.strip()[-2000:] or "(nothing)"


def environment():
    """The interpreter of a virtual environment in which the requirements are installed."""
    requirements = HERE / "requirements.txt"
    folder = PROJECT / "target" / "interop-venv"
    python = folder / "bin" / "python"
    stamp = folder / "installed.txt"
    wanted = f"{sys.version}\n{requirements.read_text()}"
    if stamp.is_file() and stamp.read_text() == wanted and python.exists():
        return str(python)
    shutil.rmtree(folder, ignore_errors=True)
    install([sys.executable, "-m", "venv", str(folder)])
    install(
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
        + ["--requirement", str(requirements)]
    )
    # Last, so that an environment that is half made is made anew.
    stamp.write_text(wanted)
    return str(python)


def install(command):
    run = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=INSTALL_SECONDS,
    )
    if run.returncode != 0:
        raise Failure(f"`{' '.join(command)}` ended with {run.returncode}: {tail(run.stdout)}")


if __name__ == "__main__":
    sys.exit(main())
