#!/usr/bin/env python3
"""From the start of the process to its first call, and to the end of a run of one call, by where the schema comes from.

    cargo build --release && bench/startup.py

The first call is seen by a relay between client and server, which looks for the first HEADERS frame. The set is made
here: thousands of files that import each other, each with a service, messages and comments, and the Greeter among them.
Fails if the first call starts later than it may: 15 ms with the .proto of the Greeter, a second with the set.
"""

import contextlib
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

FILES = int(os.environ.get("FILES", "5000"))
RUNS = int(os.environ.get("RUNS", "10"))
PROGRAM = os.environ.get("GRPCBENCH", "target/release/grpcbench")
STRING, MESSAGE = 9, 11


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def text(number, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def integer(number, value):
    return varint(number << 3) + varint(value)


def field(name, number, kind, type_name=None):
    body = text(1, name) + integer(3, number) + integer(4, 1) + integer(5, kind)
    return text(2, body + (text(6, type_name) if type_name else b"") + text(10, name))


def message(name, *fields):
    return text(4, text(1, name) + b"".join(fields))


def service(name, *methods):
    rpcs = (text(2, text(1, rpc) + text(2, takes) + text(3, gives)) for rpc, takes, gives in methods)
    return text(6, text(1, name) + b"".join(rpcs))


def comment(*path, words):
    location = text(1, b"".join(map(varint, path))) + text(2, bytes([1, 0, 10])) + text(3, words)
    return text(1, location)


def file(name, package, imports, body, comments=b""):
    head = text(1, name) + text(2, package) + b"".join(text(3, path) for path in imports)
    return text(1, head + body + (text(9, comments) if comments else b"") + text(12, "proto3"))


def large(number):
    """A file with eight messages of ten fields; two of them lead to other messages, here and in an older file."""
    package = f"corp.team{number % 97}.v1.f{number}"
    imports = [path(older) for older in sorted({number // 2, max(number - 20, 0)}) if older < number]
    messages = []
    for index in range(8):
        older = number // 2
        fields = [field(f"some_field_{n}", n, STRING) for n in range(1, 9)]
        fields.append(field("near", 9, MESSAGE, f".{package}.Message{(index + 1) % 8}"))
        fields.append(field("far", 10, MESSAGE, f".corp.team{older % 97}.v1.f{older}.Message{index}"))
        messages.append(message(f"Message{index}", *fields))
    methods = [(f"Do{n}", f".{package}.Message{n}", f".{package}.Message{n}") for n in range(5)]
    comments = b"".join(comment(4, n, words=f" What message {n} of file {number} is for.\n") for n in range(8))
    return file(path(number), package, imports, b"".join(messages) + service("Service", *methods), comments)


def path(number):
    return f"corp/team{number % 97}/v1/file{number}.proto"


def greeter():
    body = message("HelloRequest", field("name", 1, STRING)) + message("HelloReply", field("message", 1, STRING))
    rpc = ("SayHello", ".helloworld.HelloRequest", ".helloworld.HelloReply")
    return file("helloworld.proto", "helloworld", [], body + service("Greeter", rpc))


class Relay:
    """Passes bytes between a client and the server, and says when the client's first HEADERS frame came."""

    PREFACE, HEADERS = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 1

    def __init__(self, server):
        host, port = server.rsplit(":", 1)
        self.server = (host, int(port))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.first_call = None
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(self.server)
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.up, args=(client, server), daemon=True).start()
            threading.Thread(target=self.down, args=(client, server), daemon=True).start()

    def down(self, client, server):
        with contextlib.suppress(OSError):
            while part := server.recv(1 << 20):
                client.sendall(part)
            client.shutdown(socket.SHUT_WR)

    def up(self, client, server):
        seen = b""
        with contextlib.suppress(OSError):
            while part := client.recv(1 << 20):
                now = time.perf_counter()
                server.sendall(part)
                if self.first_call is None:
                    seen += part
                    if self.has_call(seen):
                        self.first_call = now
            server.shutdown(socket.SHUT_WR)

    def has_call(self, seen):
        at = len(self.PREFACE)
        while at + 9 <= len(seen):
            if seen[at + 3] == self.HEADERS:
                return True
            at += 9 + int.from_bytes(seen[at : at + 3], "big")
        return False


def medians_ms(relay, arguments):
    """The medians of some runs, in milliseconds: to the first call, and to the end."""
    times = []
    for _ in range(RUNS):
        relay.first_call = None
        start = time.perf_counter()
        command = [PROGRAM, "--insecure", *arguments, "-n", "1", "-c", "1", relay.address]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.perf_counter()
        # 1: the call failed, as the server has no such method.
        if ended.returncode not in (0, 1) or relay.first_call is None:
            sys.exit(ended.stderr.decode())
        times.append(((relay.first_call - start) * 1e3, (end - start) * 1e3))
    return [statistics.median(column) for column in zip(*times)]


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    with tempfile.TemporaryDirectory() as folder:
        large_set = os.path.join(folder, "large.pb")
        with open(large_set, "wb") as out:
            for number in range(FILES):
                out.write(large(number))
            out.write(greeter())
        megabytes = os.path.getsize(large_set) / 1e6
        server = subprocess.Popen([PROGRAM, "serve", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        try:
            relay = Relay(server.stdout.readline().rsplit(" ", 1)[1].strip())
            hello = ["--call", "helloworld.Greeter.SayHello"]
            last = f"corp.team{(FILES - 1) % 97}.v1.f{FILES - 1}.Service.Do1"
            slow = False
            print("first call        end")
            for name, limit, arguments in [
                (".proto of the Greeter", 15, ["--proto", "protos/helloworld.proto", *hello]),
                # The questions to the server are calls too: its end is what tells.
                ("server reflection", None, hello),
                (f"Greeter in a set of {FILES} files, {megabytes:.0f} MB", 1000, ["--protoset", large_set, *hello]),
                ("method that needs hundreds of them", 1000, ["--protoset", large_set, "--call", last]),
            ]:
                first, end = medians_ms(relay, arguments)
                slow |= limit is not None and first > limit
                print(f"{first:7.1f} ms {end:7.1f} ms  {name}" + (f" (may take {limit} ms)" if limit else ""), flush=True)
        finally:
            server.terminate()
            server.wait()
    sys.exit(slow)


main()
