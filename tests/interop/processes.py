"""Servers for as long as a check needs them: started on free ports of the loopback interface, ended by their ids."""

import contextlib
import json
import random
import select
import socket
import subprocess
import tempfile
import time

from bench import Failure, tail

START_SECONDS = 30
END_SECONDS = 15


def free_port():
    """A port that nobody listens on, from below those that the system gives to clients, so that none takes it meanwhile."""
    for _ in range(1000):
        port = random.randrange(15000, 32000)
        with socket.socket() as probe:
            # Without it, connections of the last server that are not quite over would count.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port
    raise Failure("no free port on 127.0.0.1")


class Server:
    """A process that serves. What it writes to standard error is kept for the words of a failure."""

    def __init__(self, command, log, **options):
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, **options)
        self._log = log

    def wait_until(self, ready):
        """Waits until `ready` is true; errors of connecting mean that it is not yet."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise Failure(f"the server ended with {self._process.returncode}; {self._said()}")
            with contextlib.suppress(OSError):
                if ready():
                    return
            time.sleep(0.05)
        raise Failure(f"the server is not ready after {START_SECONDS} s; {self._said()}")

    def announced_address(self):
        """The address in its first line, `listening on HOST:PORT`."""
        ready, _, _ = select.select([self._process.stdout], [], [], START_SECONDS)
        line = self._process.stdout.readline().decode() if ready else ""
        prefix = "listening on "
        if not line.startswith(prefix):
            raise Failure(f"the server does not say where it listens; {self._said()}")
        return line[len(prefix) :].strip()

    def end(self):
        """Ends it as it wants to be ended, and gives what it wrote after its first line."""
        self._process.terminate()
        output, _ = self._process.communicate(timeout=END_SECONDS)
        if self._process.returncode != 0:
            raise Failure(f"the server ended with {self._process.returncode}; {self._said()}")
        return output

    def kill(self):
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()

    def _said(self):
        self._log.seek(0)
        return f"stderr: {tail(self._log.read().decode(errors='replace'))}"


@contextlib.contextmanager
def serving(command, **options):
    """A server while the block runs."""
    # A file and not a pipe: nobody reads it while the server runs, and a full pipe would stop the server.
    with tempfile.TemporaryFile() as log:
        server = Server(command, log, **options)
        try:
            yield server
        finally:
            server.kill()


class Greeter:
    """A greeter of ours on a foreign library: where it listens, and what it saw."""

    def __init__(self, server):
        self._server = server
        self.address = server.announced_address()
        self.port = int(self.address.rpartition(":")[2])

    def seen(self):
        """Ends it; the calls by method that came in, and how many it ended itself with each status."""
        seen = json.loads(self._server.end())
        return seen["calls"], seen["statuses"]


@contextlib.contextmanager
def greeting(command):
    """A greeter while the block runs."""
    with serving(command) as server:
        yield Greeter(server)


def accepts(port):
    """Whether somebody listens on a port."""
    with socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
