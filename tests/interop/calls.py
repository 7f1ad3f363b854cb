"""Calls of the Greeter, and what is expected of them beside any server that offers it.

As greeter.py has the names and greeter.js has them again; neither can be imported here, outside their environments.
"""

import json

from bench import expect

PROTO = ["--proto", "protos/helloworld.proto"]
MISSING_MESSAGE = "niemand heißt „missing“: 100% sicher ☂"
MISSING_ERROR = f"rpc error: code = NotFound desc = {MISSING_MESSAGE}"
REPLIES = 5
# Messages sent and received by one call of each kind, `-d` being an array of three names.
KINDS = {"SayHello": (1, 1), "SayHellos": (1, REPLIES), "SayHelloCS": (3, 1), "SayHelloBidi": (3, 3)}


def call(method):
    return ["--call", f"helloworld.Greeter.{method}"]


def names(*them):
    """The data: a name for each call in turn, or for each message of a stream."""
    return ["-d", json.dumps([{"name": name} for name in them])]


def ten_thousand(bench, greeter, *flags):
    """Ten thousand unary calls, every fourth of which ends with NOT_FOUND."""
    data = names("Ann", "Ben", "Cleo", "missing")
    run = bench.run(greeter.address, 10_000, *PROTO, *call("SayHello"), *data, *flags)
    run.expect(OK=7_500, NotFound=2_500)
    expect("errors", run.errors, {MISSING_ERROR: 2_500})
    calls, statuses = greeter.seen()
    expect("calls that the server saw", calls, {"SayHello": 10_000})
    expect("statuses that the server gave", statuses, {"OK": 7_500, "NOT_FOUND": 2_500})


def all_kinds(bench, greeter, *flags, each=2_500):
    """All four kinds of call, each so often."""
    for method, (sent, received) in KINDS.items():
        run = bench.run(greeter.address, each, *call(method), *names("Ann", "Ben", "Cleo"), *flags)
        run.expect(OK=each)
        traffic = run.ours["traffic"]
        expect(f"messages that {method} sent", traffic["messages_sent"], sent * each)
        expect(f"messages that {method} received", traffic["messages_received"], received * each)
    calls, statuses = greeter.seen()
    expect("calls that the server saw", calls, dict.fromkeys(KINDS, each))
    expect("statuses that the server gave", statuses, {"OK": each * len(KINDS)})
