#!/usr/bin/env python3
"""Writes the seeds that are not text: what a server says, and descriptor sets.

Usage: make_seeds.py GRPCBENCH, with a built program, which makes the descriptor sets.
"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SEEDS = HERE / "seeds"

DATA, HEADERS, RST, SETTINGS, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def short(kind, flags, stream, payload=b""):
    return bytes([kind, flags]) + stream.to_bytes(2, "big") + bytes([len(payload)]) + payload


def block(*fields):
    return b"".join(b"\0" + bytes([len(n)]) + n + bytes([len(v)]) + v for n, v in fields)


HEAD = block((b":status", b"200"), (b"content-type", b"application/grpc"))
OK = block((b"grpc-status", b"0"))
TABLED = b"\x88\x40\x01x\x01y"
MESSAGE = b"\0\0\0\0\x02hi"

SCRIPTS = {
    "fine": [(HEADERS, 4, 1, HEAD), (DATA, 0, 1, MESSAGE), (HEADERS, 5, 1, OK)],
    "trailers-only": [(HEADERS, 5, 1, block((b":status", b"200"), (b"grpc-status", b"5")))],
    "reset": [(HEADERS, 4, 1, HEAD), (RST, 0, 1, b"\0\0\0\x07"), (RST, 0, 3, b"\0\0\0\x08")],
    "go-away": [(GOAWAY, 0, 0, b"\x7f\xff\xff\xff\0\0\0\0"), (PING, 0, 0, b"are you?"), (GOAWAY, 0, 0, b"\0\0\0\x01\0\0\0\x0bcalm")],
    "settings": [(SETTINGS, 0, 0, b"\0\x03\0\0\0\x01\0\x04\0\0\0\0"), (SETTINGS, 0, 0, b"\0\x01\0\0\0\0\0\x05\0\0\x40\0\0\x06\0\0\x10\0"), (SETTINGS, 1, 0, b"")],
    "windows": [(WINDOW, 0, 0, b"\0\0\xff\xff"), (WINDOW, 0, 1, b"\0\0\xff\xff"), (WINDOW, 0, 3, b"\0\0\0\0")],
    "continued": [(HEADERS, 0, 1, HEAD[:7]), (CONTINUATION, 0, 1, HEAD[7:9]), (CONTINUATION, 4, 1, HEAD[9:])],
    "tables": [(HEADERS, 4, 1, b"\x3f\xe1\x1f" + TABLED), (HEADERS, 5, 3, b"\x20\x88\xbe"), (HEADERS, 5, 5, b"\x88\xbe")],
    "huffman": [(HEADERS, 5, 1, b"\x88\x5f\x8b\x1d\x75\xd0\x62\x0d\x26\x3d\x4c\x4d\x65\x64")],
    "padded": [(HEADERS, 0x2C, 1, b"\x02\0\0\0\0\x10" + HEAD + b"\0\0"), (DATA, 9, 1, b"\x01" + MESSAGE + b"\0")],
    "interim": [(HEADERS, 4, 1, block((b":status", b"100"))), (HEADERS, 4, 1, HEAD), (DATA, 1, 1, b"")],
}


def wire():
    folder = SEEDS / "wire"
    folder.mkdir(parents=True, exist_ok=True)
    greeting = frame(SETTINGS, 0, 0)
    for name, script in SCRIPTS.items():
        (folder / name).write_bytes(b"\0\x07" + greeting + b"".join(frame(*f) for f in script))
        (folder / f"{name}-short").write_bytes(b"\x03\x07" + b"".join(short(*f) for f in script))
    (folder / "http1").write_bytes(b"\0\x07HTTP/1.1 400 Bad Request\r\n\r\n")


def protosets(program):
    folder = SEEDS / "protoset"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for proto in sorted((SEEDS / "proto").iterdir()):
            out = pathlib.Path(scratch) / "set.binpb"
            run = [program, "describe", "--proto", str(proto), "--protoset-out", str(out)]
            if subprocess.run(run, capture_output=True).returncode == 0:
                (folder / proto.stem).write_bytes(out.read_bytes())


if __name__ == "__main__":
    wire()
    protosets(sys.argv[1])
