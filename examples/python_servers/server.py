"""helloworld.Greeter as Python programs serve it: on threads, on asyncio, or on asyncio with uvloop's event loop.

    server.py threads:1 | threads:50 | asyncio | uvloop

It listens on a free port of the loopback interface and says which.
"""

import asyncio
import sys
from concurrent import futures

import grpc
import helloworld_pb2
import helloworld_pb2_grpc

ADDRESS = "127.0.0.1:0"


def say(port):
    print(f"listening on 127.0.0.1:{port}", flush=True)


class Greeter(helloworld_pb2_grpc.GreeterServicer):
    def SayHello(self, request, context):
        return helloworld_pb2.HelloReply(message=f"Hello, {request.name}!")


class AsyncGreeter(helloworld_pb2_grpc.GreeterServicer):
    async def SayHello(self, request, context):
        return helloworld_pb2.HelloReply(message=f"Hello, {request.name}!")


def serve_on_threads(workers):
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=workers))
    helloworld_pb2_grpc.add_GreeterServicer_to_server(Greeter(), server)
    say(server.add_insecure_port(ADDRESS))
    server.start()
    server.wait_for_termination()


async def serve_on_asyncio():
    server = grpc.aio.server()
    helloworld_pb2_grpc.add_GreeterServicer_to_server(AsyncGreeter(), server)
    port = server.add_insecure_port(ADDRESS)
    await server.start()
    say(port)
    await server.wait_for_termination()


def main():
    match sys.argv[1:]:
        case ["asyncio"]:
            asyncio.run(serve_on_asyncio())
        case ["uvloop"]:
            import uvloop

            uvloop.run(serve_on_asyncio())
        case [kind] if kind.startswith("threads:"):
            serve_on_threads(int(kind.removeprefix("threads:")))
        case _:
            sys.exit(__doc__)


main()
