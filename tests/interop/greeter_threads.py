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
        self._seen.status("OK")
        return greeter.greet(request.name)

    def SayHellos(self, request, context):
        self._seen.call("SayHellos")
        self._act_on(request.name, context)
        for number in range(1, greeter.REPLIES + 1):
            yield greeter.greet_nth(request.name, number)
        self._seen.status("OK")

    def SayHelloCS(self, requests, context):
        self._seen.call("SayHelloCS")
        names = []
        for request in requests:
            self._act_on(request.name, context)
            names.append(request.name)
        self._seen.status("OK")
        return greeter.greet(", ".join(names))

    def SayHelloBidi(self, requests, context):
        self._seen.call("SayHelloBidi")
        for request in requests:
            self._act_on(request.name, context)
            yield greeter.greet(request.name)
        self._seen.status("OK")

    def _act_on(self, name, context):
        if name == greeter.SLEEPER:
            gone = threading.Event()
            # False when the call is over already.
            if not context.add_callback(gone.set) or gone.wait(greeter.SLEEP_SECONDS):
                context.abort(grpc.StatusCode.CANCELLED, "the caller has gone")
        elif name == greeter.MISSING:
            self._seen.status("NOT_FOUND")
            context.abort(grpc.StatusCode.NOT_FOUND, greeter.MISSING_MESSAGE)


def main():
    end = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: end.set())
    greeter.when_input_ends(end.set)

    seen = greeter.Seen()
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=THREADS))
    server.add_generic_rpc_handlers((greeter.generic_handler(Greeter(seen)),))
    listening = greeter.bind(server)
    server.start()
    print(listening, flush=True)
    end.wait()
    server.stop(grace=1).wait()
    seen.print()


if __name__ == "__main__":
    main()
