"""Python's grpcio, on asyncio and on a pool of threads: plaintext, TLS, and TLS that wants a certificate of the client."""

import contextlib
import tempfile
from pathlib import Path

import calls
import supplies
from bench import expect, expect_at_least
from processes import greeting

SCRIPTS = {"asyncio": "greeter_asyncio.py", "threads": "greeter_threads.py"}


class World:
    """A kind of server, and the certificates for it."""

    def __init__(self, script, folder):
        self._script = script
        self.folder = folder

    def greeter(self, *arguments):
        return greeting(supplies.python_script(self._script, *arguments))

    def trust(self):
        return ["--cacert", str(self.folder / "ca.pem")]

    def identity(self):
        return ["--cert", str(self.folder / "client.pem"), "--key", str(self.folder / "client-key.pem")]


@contextlib.contextmanager
def world(kind):
    with tempfile.TemporaryDirectory() as folder:
        supplies.certificates(folder)
        yield World(SCRIPTS[kind], Path(folder))


def rate(bench, world):
    """fifty calls at a hundred a second"""
    with world.greeter() as greeter:
        flags = [*calls.PROTO, *calls.call("SayHello"), *calls.names("Ann"), "--insecure", "-r", "100"]
        run = bench.run(greeter.address, 50, *flags)
        run.expect(OK=50)
        expect("calls that the server saw", greeter.seen()[0], {"SayHello": 50})
    # The last call is due 490 ms after the first.
    expect_at_least("nanoseconds from first call to last answer", run.report["total"], 490_000_000)


def deadline(bench, world):
    """twenty calls that no answer comes to, with a deadline of one second"""
    with world.greeter() as greeter:
        flags = [*calls.PROTO, *calls.call("SayHello"), *calls.names("sleep"), "--insecure", "-c", "20", "-t", "1s"]
        run = bench.run(greeter.address, 20, *flags)
        run.expect(exit_code=1, DeadlineExceeded=20)
        expect("calls that the server saw", greeter.seen()[0], {"SayHello": 20})
    # A server may be the first to notice, and rounds.
    expect_at_least("nanoseconds from first call to last answer", run.report["total"], 900_000_000)


def plaintext(bench, world):
    """ten thousand calls, every fourth NOT_FOUND with a message that needs percent-encoding"""
    with world.greeter() as greeter:
        calls.ten_thousand(bench, greeter, "--insecure", "-c", "10")


def tls(bench, world):
    """ten thousand calls over TLS on three connections, and none if its authority is not trusted"""
    with world.greeter("--tls", str(world.folder)) as greeter:
        stranger = ["--cacert", str(world.folder / "stranger.pem")]
        bench.refused(greeter.address, *calls.PROTO, *calls.call("SayHello"), *stranger)
        calls.ten_thousand(bench, greeter, *world.trust(), "--connections", "3")


def mutual_tls(bench, world):
    """all four kinds, 2,500 times each, over mutual TLS, and none without a certificate"""
    with world.greeter("--mutual-tls", str(world.folder)) as greeter:
        bench.refused(greeter.address, *calls.PROTO, *calls.call("SayHello"), *world.trust())
        calls.all_kinds(bench, greeter, *calls.PROTO, *world.trust(), *world.identity())


CHECKS = (rate, deadline, plaintext, tls, mutual_tls)
