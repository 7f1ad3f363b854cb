"""Node.js's grpc-js, with its server reflection."""

import contextlib

import calls
import supplies
from bench import PROJECT, Failure, expect
from processes import greeting


@contextlib.contextmanager
def world():
    command = supplies.node_script("greeter.js", str(PROJECT / "protos" / "helloworld.proto"))
    yield lambda: greeting(command)


def unary(bench, greeter_world):
    """ten thousand calls, every fourth NOT_FOUND with a message that needs percent-encoding"""
    with greeter_world() as greeter:
        calls.ten_thousand(bench, greeter, "--insecure", "-c", "20", "--connections", "2")


def kinds_by_reflection(bench, greeter_world):
    """all four kinds, 2,500 times each, by what the server tells of itself"""
    with greeter_world() as greeter:
        calls.all_kinds(bench, greeter, "--insecure")


def describe(bench, greeter_world):
    """its services and a method, as reflection has them"""
    with greeter_world() as greeter:
        listed = bench.program("describe", "--insecure", greeter.address)
        expect("exit code of describe", listed.returncode, 0)
        # The reflection of this library does not name itself.
        expect("services", listed.stdout.split(), ["helloworld.Greeter"])
        method = bench.program("describe", "--insecure", greeter.address, "helloworld.Greeter.SayHelloBidi")
        if "rpc helloworld.Greeter.SayHelloBidi(stream" not in method.stdout:
            raise Failure(f"describe does not show the method: {method.stdout} {method.stderr}")


def deadline(bench, greeter_world):
    """a hundred calls that no answer comes to, with a deadline of half a second"""
    with greeter_world() as greeter:
        flags = ["--insecure", *calls.PROTO, *calls.call("SayHello"), *calls.names("sleep"), "-c", "100", "-t", "500ms"]
        bench.run(greeter.address, 100, *flags).expect(exit_code=1, DeadlineExceeded=100)
        expect("calls that the server saw", greeter.seen()[0], {"SayHello": 100})


CHECKS = (unary, kinds_by_reflection, describe, deadline)
