"""A server that is far away: what its distance says of a plan before the first call."""

import contextlib
import shutil
import subprocess
import sys

import calls
from bench import PROJECT, Failure
from supplies import Missing

WAY = PROJECT / "tests" / "interop" / "way.py"
SECONDS = 60
# Of each way; there and back it is twice as much.
MILLISECONDS = 5


@contextlib.contextmanager
def world():
    unshare = ["unshare", "--net"]
    if not all(map(shutil.which, ("unshare", "ip"))):
        raise Missing("networks of one's own: unshare (util-linux) and ip (iproute2)")
    tried = subprocess.run([*unshare, "sh", "-c", "exec 3<>/dev/net/tun"], capture_output=True, text=True, timeout=SECONDS)
    if tried.returncode != 0:
        raise Missing(f"networks of one's own, with devices: {tried.stderr.strip()}")

    def run(bench, *flags):
        """The report and what is said beside it, of a run against the far server."""
        (program,) = bench.command()
        run = bench.command("--insecure", *calls.PROTO, *calls.call("SayHello"), *flags, "{there}")
        command = [*unshare, sys.executable, str(WAY), str(MILLISECONDS), program, *run]
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=PROJECT)

    yield run


def foretold(bench, run):
    """a rate that needs more calls in flight than there may be: told before the run, by the round trip of the connect"""
    ended = run(bench, "-r", "1000", "-c", "5", "-n", "100")
    note = "note: a round trip to the target takes "
    told = next((line for line in ended.stderr.splitlines() if line.startswith(note)), None)
    if ended.returncode != 0 or told is None:
        raise Failure(f"exit {ended.returncode}, and no such note: {ended.stderr}")
    milliseconds = float(told.removeprefix(note).split(" ms", 1)[0])
    if not 2 * MILLISECONDS <= milliseconds < 40 * MILLISECONDS:
        raise Failure(f"the way takes {2 * MILLISECONDS} ms there and back: {told}")
    ended = run(bench, "-r", "100", "-c", "50", "-n", "100")
    if ended.returncode != 0 or note in ended.stderr:
        raise Failure(f"exit {ended.returncode}, and nothing was to be said: {ended.stderr}")


CHECKS = (foretold,)
