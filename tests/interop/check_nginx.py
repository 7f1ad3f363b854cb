"""nginx in front of a greeter: it sends connections away every hundred calls, and its access log has every call."""

import collections
import contextlib
import os
import re
import tempfile
from pathlib import Path

import calls
import supplies
from bench import expect, expect_at_least
from processes import accepts, free_port, greeting, serving

# Calls on a connection before nginx sends it away.
KEPT_FOR = 100
PROTO = ["--proto", "tests/interop/protos/places.proto", "--insecure"]
# A status stands in the trailers, or in the head of an answer that has nothing else; a dash is none.
LINE = re.compile(r"(\S+) (\d+) grpc=-*(\d*)-*$", re.MULTILINE)
CONFIG = """
{user}
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    log_format calls '$uri $status grpc=$upstream_trailer_grpc_status$upstream_http_grpc_status';
    access_log {folder}/access.log calls;
    keepalive_requests {kept_for};
    upstream greeter {{ server 127.0.0.1:{greeter}; keepalive 8; keepalive_requests 1000000; }}
    server {{
        listen 127.0.0.1:{port} http2;
        location /helloworld.Greeter/ {{ grpc_pass grpc://greeter; }}
        location /places.Dead/ {{ grpc_pass grpc://127.0.0.1:{dead}; }}
        location / {{ return 404; }}
    }}
}}
"""


class Nginx:
    """One nginx, in front of whichever greeter was started for it."""

    def __init__(self, program, greeter):
        self._folder = tempfile.TemporaryDirectory()
        self._path = Path(self._folder.name)
        self._port, dead = free_port(), free_port()
        self.address = f"127.0.0.1:{self._port}"
        config = self._path / "nginx.conf"
        # As root it would want a user of its own, who could not write here.
        user = "user root;" if os.geteuid() == 0 else ""
        config.write_text(CONFIG.format(
            user=user, folder=self._path, kept_for=KEPT_FOR, greeter=greeter.port, port=self._port, dead=dead,
        ))
        error_log = str(self._path / "error.log")
        self._command = [*program, "-p", str(self._path), "-e", error_log, "-c", str(config)]

    @contextlib.contextmanager
    def running(self):
        with self._folder, serving(self._command) as server:
            server.wait_until(lambda: accepts(self._port))
            self._server = server
            yield self

    def logged(self):
        """Ends it; how often its access log has each place, HTTP status and gRPC status."""
        self._server.end()
        return collections.Counter(LINE.findall((self._path / "access.log").read_text()))


@contextlib.contextmanager
def world():
    program = supplies.debian("nginx", "nginx")
    command = supplies.python_script("greeter_asyncio.py")

    @contextlib.contextmanager
    def nginx():
        with greeting(command) as greeter, Nginx(program, greeter).running() as running:
            yield running, greeter

    yield nginx


def through(bench, nginx):
    """ten thousand calls, 50 in flight, every fourth NOT_FOUND, while each connection is sent away after a hundred"""
    with nginx() as (proxy, greeter):
        data = calls.names("Ann", "Ben", "Cleo", "missing")
        flags = [*calls.PROTO, *calls.call("SayHello"), *data, "--insecure", "-c", "50"]
        run = bench.run(proxy.address, 10_000, *flags)
        run.expect(OK=7_500, NotFound=2_500)
        expect("errors", run.errors, {calls.MISSING_ERROR: 2_500})
        path = "/helloworld.Greeter/SayHello"
        expect("lines of the access log", proxy.logged(), {(path, "200", "0"): 7_500, (path, "200", "5"): 2_500})
        calls_seen, statuses = greeter.seen()
        expect("calls that the greeter saw", calls_seen, {"SayHello": 10_000})
        expect("statuses that the greeter gave", statuses, {"OK": 7_500, "NOT_FOUND": 2_500})
        # The last connection may not have been sent away.
        expect_at_least("connections made anew", run.ours["connections"]["reconnected"], 10_000 // KEPT_FOR - 1)
        expect_at_least("calls that nginx left for the next connection", run.ours["counts"]["retried"], 1)


def streams(bench, nginx):
    """a thousand bidirectional streams, while each connection is sent away after a hundred of them"""
    with nginx() as (proxy, greeter):
        data = calls.names("Ann", "Ben", "Cleo")
        flags = [*calls.PROTO, *calls.call("SayHelloBidi"), *data, "--insecure", "-c", "20", "--stream-ping-pong"]
        run = bench.run(proxy.address, 1_000, *flags)
        run.expect(OK=1_000)
        expect("round trips", run.ours["streams"]["round_trip"]["count"], 3_000)
        expect("lines of the access log", proxy.logged(), {("/helloworld.Greeter/SayHelloBidi", "200", "0"): 1_000})
        expect("calls that the greeter saw", greeter.seen()[0], {"SayHelloBidi": 1_000})


def dead(bench, nginx):
    """a thousand calls to a place whose server is gone: 502 with HTML, which is UNAVAILABLE"""
    with nginx() as (proxy, _greeter):
        run = bench.run(proxy.address, 1_000, *PROTO, "--call", "places.Dead.Call")
        run.expect(exit_code=1, Unavailable=1_000)
        expect("lines of the access log", proxy.logged(), {("/places.Dead/Call", "502", ""): 1_000})


def lost(bench, nginx):
    """a thousand calls to a place that nginx does not know: 404 with HTML, which is UNIMPLEMENTED"""
    with nginx() as (proxy, _greeter):
        run = bench.run(proxy.address, 1_000, *PROTO, "--call", "places.Lost.Call")
        run.expect(exit_code=1, Unimplemented=1_000)
        expect("lines of the access log", proxy.logged(), {("/places.Lost/Call", "404", ""): 1_000})


CHECKS = (through, streams, dead, lost)
