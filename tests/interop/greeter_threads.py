"""The greeter on grpcio's server with a pool of threads. See greeter.py."""

import signal
import threading
from concurrent import futures

import grpc

import greeter

# More than any test has calls in flight: a call that waits for a thread is not counted.
THREADS = 64


class Greeter:
    def __init__(self, seen):
        self._seen = seen

    def SayHello(self, request, context):
        self._seen.call("SayHello")
        self._act_on(request.name, context)
        return greeter.greet(request.name)

    def SayHellos(self, request, context):
        self._seen.call("SayHellos")
        self._act_on(request.name, context)
        for number in range(1, greeter.REPLIES + 1):
            yield greeter.greet_nth(request.name, number)

    def SayHelloCS(self, requests, context):
        self._seen.call("SayHelloCS")
        names = []
        for request in requests:
            self._act_on(request.name, context)
            names.append(request.name)
        return greeter.greet(", ".join(names))

    def SayHelloBidi(self, requests, context):
        self._seen.call("SayHelloBidi")
        for request in requests:
            self._act_on(request.name, context)
            yield greeter.greet(request.name)

    def _act_on(self, name, context):
        if name == greeter.SLEEPER:
            gone = threading.Event()
            # False when the call is over already.
            if context.add_callback(gone.set):
                gone.wait(greeter.SLEEP_SECONDS)
        elif name == greeter.MISSING:
            context.abort(grpc.StatusCode.NOT_FOUND, greeter.MISSING_MESSAGE)


def main():
    end = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: end.set())
    greeter.when_input_ends(end.set)

    seen = greeter.Seen()
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=THREADS))
    server.add_generic_rpc_handlers((greeter.generic_handler(Greeter(seen)),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    greeter.announce(port)
    end.wait()
    server.stop(grace=1).wait()
    seen.print()


if __name__ == "__main__":
    main()
