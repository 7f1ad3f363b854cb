"""What both Python greeters have in common: messages, names with a meaning, counting, and the way they start and end.

A greeter listens on a free port of the loopback interface, prints `listening on HOST:PORT`, and runs until SIGTERM, SIGINT
or the end of its standard input (so that it cannot outlive the program that started it). Then it prints what it saw as
one line of JSON: `{"calls": {"SayHello": 1000}, "statuses": {"OK": 990, "NOT_FOUND": 10}}`. Calls are counted as they
come in, however they end; statuses as it gives them, so that calls given up by their callers are in `calls` alone.

    python3 greeter_asyncio.py [--tls FOLDER | --mutual-tls FOLDER]

With a folder that certificates.py has filled it speaks TLS, and with `--mutual-tls` to those alone who show a certificate.

The messages are built from descriptors at run time: no generated code, no protoc.
"""

import argparse
import json
import os
import sys
import threading
from collections import Counter
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import grpc

SERVICE = "helloworld.Greeter"
# How many replies SayHellos gives.
REPLIES = 5
# Who is called this gets no answer for as long as the caller waits, or for a minute.
SLEEPER = "sleep"
SLEEP_SECONDS = 60
# Who is called this is not found. The message needs percent-encoding: letters, quotes and a percent sign.
MISSING = "missing"
MISSING_MESSAGE = "niemand heißt „missing“: 100% sicher ☂"


def _messages():
    file = descriptor_pb2.FileDescriptorProto(name="helloworld.proto", package="helloworld", syntax="proto3")
    for message, field in (("HelloRequest", "name"), ("HelloReply", "message")):
        file.message_type.add(name=message).field.add(
            name=field,
            number=1,
            type=descriptor_pb2.FieldDescriptorProto.TYPE_STRING,
            label=descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL,
        )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    names = ("helloworld.HelloRequest", "helloworld.HelloReply")
    return [message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in names]


HelloRequest, HelloReply = _messages()


class Seen:
    """Counts calls by method and statuses by name, from any thread."""

    def __init__(self):
        self._calls = Counter()
        self._statuses = Counter()
        self._lock = threading.Lock()

    def call(self, method):
        with self._lock:
            self._calls[method] += 1

    def status(self, name):
        with self._lock:
            self._statuses[name] += 1

    def print(self):
        with self._lock:
            print(json.dumps({"calls": dict(self._calls), "statuses": dict(self._statuses)}), flush=True)


def greet(name):
    return HelloReply(message=f"Hello {name}")


def greet_nth(name, number):
    return HelloReply(message=f"Hello {name}, {number} of {REPLIES}")


def generic_handler(servicer):
    """The four methods of `servicer`, as gRPC wants them when there is no generated code."""
    kinds = {
        "SayHello": grpc.unary_unary_rpc_method_handler,
        "SayHellos": grpc.unary_stream_rpc_method_handler,
        "SayHelloCS": grpc.stream_unary_rpc_method_handler,
        "SayHelloBidi": grpc.stream_stream_rpc_method_handler,
    }
    handlers = {
        method: kind(
            getattr(servicer, method),
            request_deserializer=HelloRequest.FromString,
            response_serializer=HelloReply.SerializeToString,
        )
        for method, kind in kinds.items()
    }
    return grpc.method_handlers_generic_handler(SERVICE, handlers)


def bind(server):
    """Gives a server its port, as the command line asks for; what must be printed when it is open."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tls", type=Path)
    parser.add_argument("--mutual-tls", type=Path)
    arguments = parser.parse_args()
    folder = arguments.mutual_tls or arguments.tls
    if folder is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        key, chain, authority = ((folder / name).read_bytes() for name in ("server-key.pem", "server.pem", "ca.pem"))
        mutual = arguments.mutual_tls is not None
        credentials = grpc.ssl_server_credentials([(key, chain)], authority if mutual else None, mutual)
        port = server.add_secure_port("127.0.0.1:0", credentials)
    return f"listening on 127.0.0.1:{port}"


def when_input_ends(act):
    """Calls `act`, on a thread of its own, when standard input has ended."""

    def wait():
        # The descriptor itself: a buffered reader would hold a lock that the interpreter wants when it ends.
        while os.read(sys.stdin.fileno(), 4096):
            pass
        act()

    threading.Thread(target=wait, daemon=True).start()
