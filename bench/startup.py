#!/usr/bin/env python3
"""From the start of the process to its first call, and to the end of a run of one call, by where the schema comes from.

    cargo build --release && bench/startup.py

The first call is seen by a relay between client and server, which looks for the first HEADERS frame. The set is made
here: thousands of files that import each other, each with a service, messages and comments, and the Greeter among them.
Fails if the first call starts later than it may: 15 ms with the .proto of the Greeter, a second with the set.
"""

import os
import statistics
import subprocess
import sys
import tempfile
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


def median_ms(arguments):
    """The median time of some runs, in milliseconds."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        ended = subprocess.run([PROGRAM, "--insecure", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        times.append((time.perf_counter() - start) * 1e3)
        # 1: the call failed, as the server has no such method.
        if ended.returncode not in (0, 1):
            sys.exit(ended.stderr.decode())
    return statistics.median(times)


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
            address = server.stdout.readline().rsplit(" ", 1)[1].strip()
            once = ["-n", "1", "-c", "1", address]
            hello = ["--call", "helloworld.Greeter.SayHello", *once]
            last = f"corp.team{(FILES - 1) % 97}.v1.f{FILES - 1}.Service.Do1"
            slow = False
            for name, limit, arguments in [
                (".proto of the Greeter", 20, ["--proto", "protos/helloworld.proto", *hello]),
                ("server reflection", None, hello),
                (f"Greeter in a set of {FILES} files, {megabytes:.0f} MB", 1000, ["--protoset", large_set, *hello]),
                ("method that needs hundreds of them", 1000, ["--protoset", large_set, "--call", last, *once]),
            ]:
                took = median_ms(arguments)
                slow |= limit is not None and took > limit
                print(f"{took:8.1f} ms  {name}" + (f" (may take {limit} ms)" if limit else ""), flush=True)
        finally:
            server.terminate()
            server.wait()
    sys.exit(slow)


main()
