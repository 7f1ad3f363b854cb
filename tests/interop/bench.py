"""The program under test: runs it, and checks what must add up in any of its reports."""

import json
import subprocess
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
RUN_SECONDS = 120


class Failure(Exception):
    """A check that did not hold, in words."""


def expect(what, actual, expected):
    if actual != expected:
        raise Failure(f"{what}: expected {expected!r}, and got {actual!r}")


def expect_at_least(what, actual, least):
    if actual < least:
        raise Failure(f"{what}: expected at least {least}, and got {actual}")


def tail(text):
    return text.strip()[-2000:] or "(nothing)"


class Run:
    """What came of a run that reported."""

    def __init__(self, exit_code, report):
        self.exit_code = exit_code
        self.report = report
        self.statuses = report["statusCodeDistribution"]
        self.errors = report["errorDistribution"]
        self.ours = report["grpcbench"]

    def expect(self, exit_code=0, **statuses):
        """Its exit code, and how many calls ended with each status."""
        expect("exit code", self.exit_code, exit_code)
        expect("statuses", self.statuses, statuses)


class Bench:
    """A built grpcbench."""

    def __init__(self, binary):
        self._binary = str(binary)

    def run(self, address, calls, *flags):
        """A run of so many calls; they must all be in the report, whose numbers must add up."""
        done = self.program(*flags, "-n", str(calls), "-O", "json", address)
        try:
            report = json.loads(done.stdout)
        except ValueError:
            raise Failure(f"no JSON report, exit code {done.returncode}; stderr: {tail(done.stderr)}") from None
        run = Run(done.returncode, report)
        _expect_sums(run, calls)
        return run

    def refused(self, address, *flags):
        """A run that never began, because the server could not be reached: what it said."""
        done = self.program(*flags, address)
        expect("exit code, where the server cannot be reached", done.returncode, 3)
        expect("report of a run that never began", done.stdout, "")
        return done.stderr

    def command(self, *arguments):
        return [self._binary, *arguments]

    def program(self, *arguments):
        return subprocess.run(
            self.command(*arguments),
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=RUN_SECONDS,
        )


def _expect_sums(run, calls):
    report, counts = run.report, run.ours["counts"]
    expect("end reason", report["endReason"], "normal")
    expect("count", report["count"], calls)
    expect("calls due, sent and done", [counts[key] for key in ("arrivals", "sent", "done")], [calls] * 3)
    answered = run.statuses.get("OK", 0)
    expect("sum of the statuses", sum(run.statuses.values()), calls)
    expect("sum of the errors", sum(run.errors.values()), calls - answered)
    expect("sum of the histogram", sum(bucket["count"] for bucket in report["histogram"] or []), answered)
    expect("details", len(report["details"]), calls)
