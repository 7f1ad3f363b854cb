"""haproxy in front of a greeter, over HTTP/2 without TLS on both sides and with few places; it counts what passes."""

import contextlib
import csv
import socket
import tempfile

import calls
import supplies
from bench import Failure, expect, expect_at_least
from processes import accepts, free_port, greeting, serving

# Calls that haproxy hands on at a time, and connections that it takes at a time.
CALLS, CONNECTIONS = 4, 3
CONFIG = """
global
    stats socket {folder}/stats.sock mode 600
    maxconn 64
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
    timeout queue {queue}
frontend calls
    bind 127.0.0.1:{port} proto h2
    maxconn {connections}
    default_backend greeters
backend greeters
    server one 127.0.0.1:{greeter} proto h2 maxconn {calls}
"""


class Haproxy:
    """A running haproxy."""

    def __init__(self, port, stats):
        self.address = f"127.0.0.1:{port}"
        self._stats = stats

    def counts(self, proxy, server):
        """What it has counted for a line of its statistics."""
        with socket.socket(socket.AF_UNIX) as stats:
            stats.settimeout(5)
            stats.connect(self._stats)
            stats.sendall(b"show stat\n")
            with stats.makefile(encoding="utf-8") as answer:
                rows = csv.DictReader(answer.read().lstrip("# ").splitlines())
                return next(row for row in rows if (row["pxname"], row["svname"]) == (proxy, server))


@contextlib.contextmanager
def world():
    program = supplies.debian("haproxy", "haproxy", "liblua5.3-0", "libopentracing-c-wrapper0", "libopentracing1")
    command = supplies.python_script("greeter_asyncio.py")

    @contextlib.contextmanager
    def haproxy(queue):
        with greeting(command) as greeter, tempfile.TemporaryDirectory() as folder:
            port = free_port()
            config = f"{folder}/haproxy.cfg"
            with open(config, "w", encoding="utf-8") as file:
                file.write(CONFIG.format(
                    folder=folder, queue=queue, port=port, connections=CONNECTIONS, greeter=greeter.port, calls=CALLS,
                ))
            with serving([*program, "-f", config, "-db"]) as server:
                server.wait_until(lambda: accepts(port))
                yield Haproxy(port, f"{folder}/stats.sock"), greeter

    yield haproxy


def queued(bench, haproxy):
    """ten thousand calls, fifty in flight, of which haproxy hands on four at a time: they wait and all are answered"""
    with haproxy(queue="30s") as (proxy, greeter):
        data = calls.names("Ann", "Ben", "Cleo", "missing")
        flags = [*calls.PROTO, *calls.call("SayHello"), *data, "--insecure", "--connections", str(CONNECTIONS)]
        run = bench.run(proxy.address, 10_000, *flags)
        run.expect(OK=7_500, NotFound=2_500)
        counts = proxy.counts("greeters", "one")
        expect("answers that haproxy counted", int(counts["hrsp_2xx"]), 10_000)
        expect("most calls that it handed on at a time", int(counts["smax"]), CALLS)
        waited = proxy.counts("greeters", "BACKEND")
        expect_at_least("most calls that waited in it", int(waited["qmax"]), 1)
        seen, statuses = greeter.seen()
        expect("calls that the greeter saw", seen, {"SayHello": 10_000})
        expect("statuses that the greeter gave", statuses, {"OK": 7_500, "NOT_FOUND": 2_500})


def turned_away(bench, haproxy):
    """ten thousand calls that may wait for no more than a millisecond: 503 with HTML, which is UNAVAILABLE"""
    with haproxy(queue="1ms") as (proxy, greeter):
        flags = [*calls.PROTO, *calls.call("SayHello"), *calls.names("Ann"), "--insecure"]
        run = bench.run(proxy.address, 10_000, *flags)
        counts = proxy.counts("calls", "FRONTEND")
        answered, away = int(counts["hrsp_2xx"]), int(counts["hrsp_5xx"])
        expect_at_least("calls that were turned away", away, 1)
        run.expect(**{status: count for status, count in (("OK", answered), ("Unavailable", away)) if count})
        expect("calls that the greeter saw", greeter.seen()[0], {"SayHello": answered})


def full(bench, haproxy):
    """a connection more than haproxy takes: it comes up for nobody, and the run says so and never begins"""
    with haproxy(queue="30s") as (proxy, greeter):
        flags = [*calls.PROTO, *calls.call("SayHello"), "--insecure", "--connections", str(CONNECTIONS + 1)]
        said = bench.refused(proxy.address, *flags, "--connect-timeout", "1s")
        if proxy.address not in said:
            raise Failure(f"the error does not name the server: {said}")
        expect("calls that the greeter saw", greeter.seen()[0], {})


CHECKS = (queued, turned_away, full)
