#!/usr/bin/env python3
"""How late a reader on this machine is: the error that any client has here.

    bench/wakes.py [MESSAGES]        (300 unless told otherwise)

One process on CPU 1 watches the clock and writes to a loopback socket; another on CPU 0 waits until it is there: one that
sleeps until it is woken, and then one that watches the socket, as a client with --idle spin does. The messages are 2 to
40 ms apart, as those of the scripted server in tests/peers/timing.rs are; what is told is the time from before the write
until after the read, the write itself included, and how many were later than the 200 µs that stream times are held to.
"""

import os
import random
import socket
import struct
import sys
import time

ALLOWED_NS = 200_000
FIRST = 20


def sleeping(reader):
    return reader.recv(8, socket.MSG_WAITALL)


def watching(reader):
    while True:
        try:
            return reader.recv(8, socket.MSG_DONTWAIT)
        except BlockingIOError:
            pass


def read(reader, wait):
    os.sched_setaffinity(0, {0})
    late = []
    while stamp := wait(reader):
        came = time.monotonic_ns()
        late.append(came - struct.unpack("q", stamp)[0])
    # Those at first wake more than the reader: its memory, and its CPU's clock.
    late = sorted(late[FIRST:])
    beyond = sum(one > ALLOWED_NS for one in late)
    print(f"a reader that is {wait.__name__}: {len(late) - beyond} of {len(late)} read within 200 µs of the begin of their write, the median after {late[len(late) // 2] / 1e3:.0f} µs, "
          f"the worst after {late[-1] / 1e3:.0f} µs")


def write(writer, messages):
    os.sched_setaffinity(0, {1})
    due = time.monotonic_ns()
    chance = random.Random(1)
    for _ in range(messages + FIRST):
        due += chance.choice([2, 15, 40]) * 1_000_000
        while (now := time.monotonic_ns()) < due:
            pass
        writer.send(struct.pack("q", now))


def measure(wait, messages):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        writer = socket.create_connection(listener.getsockname())
        reader, _ = listener.accept()
    writer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    child = os.fork()
    if child == 0:
        writer.close()
        read(reader, wait)
        os._exit(0)
    reader.close()
    write(writer, messages)
    writer.close()
    os.waitpid(child, 0)


def main():
    messages = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    for wait in (sleeping, watching):
        measure(wait, messages)


main()
