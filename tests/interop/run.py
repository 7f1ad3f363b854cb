#!/usr/bin/env python3
"""Runs a built grpcbench against servers that nobody here wrote, and compares its reports with what they counted.

    python3 tests/interop/run.py target/release/grpcbench [NAME...]

Without names all of them are met. Needs CPython 3.9 or later with `venv`, and the registries the first time: what is
fetched stays in `target`. A server that cannot be had on this machine is passed over with a loud line. The last line is
`N passed, M failed, K skipped`; the exit code is 0 only if nothing failed. Everything has a timeout, and only what was
started here is ended.
"""

import functools
import os
import subprocess
import sys
import time
from pathlib import Path

import check_containerd
import check_etcd
import check_far
import check_formats
import check_grpcio
import check_grpcjs
import check_haproxy
import check_nginx
import check_pages
from bench import Bench, Failure
from supplies import Missing

# Each is a world to be in, and checks that take grpcbench and the world; the first line of their texts is shown.
MEETINGS = {
    "formats": (check_formats.world, check_formats.CHECKS),
    "pages": (check_pages.world, check_pages.CHECKS),
    "grpcio asyncio": (functools.partial(check_grpcio.world, "asyncio"), check_grpcio.CHECKS),
    "grpcio threads": (functools.partial(check_grpcio.world, "threads"), check_grpcio.CHECKS),
    "grpc-js": (check_grpcjs.world, check_grpcjs.CHECKS),
    "etcd": (check_etcd.world, check_etcd.CHECKS),
    "nginx": (check_nginx.world, check_nginx.CHECKS),
    "haproxy": (check_haproxy.world, check_haproxy.CHECKS),
    "far": (check_far.world, check_far.CHECKS),
    "containerd": (check_containerd.world, check_containerd.CHECKS),
}
WRONG = (Failure, OSError, subprocess.SubprocessError, LookupError, TypeError, ValueError)


class Tally:
    """What came of the checks."""

    def __init__(self):
        self._passed = self._failed = self._skipped = 0

    def passed(self, name, seconds):
        self._passed += 1
        print(f"ok      {name} ({seconds:.1f} s)", flush=True)

    def failed(self, name, error):
        self._failed += 1
        print(f"FAILED  {name}\n        {type(error).__name__}: {error}", flush=True)

    def skipped(self, name, checks, reason):
        self._skipped += checks
        print(f"!!!!!!  SKIPPED {name}, {checks} check{'s' * (checks > 1)}: {reason}", flush=True)

    def finish(self):
        print(f"{self._passed} passed, {self._failed} failed, {self._skipped} skipped", flush=True)
        return 1 if self._failed else 0


def main():
    tally = Tally()
    if len(sys.argv) < 2 or not os.access(sys.argv[1], os.X_OK):
        print("usage: run.py PATH_OF_GRPCBENCH [NAME...]; build it first", file=sys.stderr)
        return 2
    bench = Bench(Path(sys.argv[1]).resolve())
    wanted = sys.argv[2:] or list(MEETINGS)
    unknown = set(wanted) - set(MEETINGS)
    if unknown:
        print(f"no such server: {', '.join(sorted(unknown))}; there are {', '.join(MEETINGS)}", file=sys.stderr)
        return 2
    for name in wanted:
        meet(tally, bench, name)
    return tally.finish()


def meet(tally, bench, name):
    make_world, checks = MEETINGS[name]
    try:
        with make_world() as world:
            for check in checks:
                judge(tally, bench, world, check, f"{name}: {check.__doc__.splitlines()[0]}")
    except Missing as missing:
        tally.skipped(name, len(checks), missing)
    except WRONG as error:
        tally.failed(f"{name}, before or after its checks", error)


def judge(tally, bench, world, check, name):
    start = time.monotonic()
    try:
        check(bench, world)
    except Missing as missing:
        tally.skipped(name, 1, missing)
    except WRONG as error:
        tally.failed(name, error)
    else:
        tally.passed(name, time.monotonic() - start)


if __name__ == "__main__":
    sys.exit(main())
