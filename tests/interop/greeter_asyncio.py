"""The greeter on grpcio's asyncio server. See greeter.py."""

import asyncio
import signal

import grpc

import greeter


class Greeter:
    def __init__(self, seen):
        self._seen = seen

    async def SayHello(self, request, context):
        self._seen.call("SayHello")
        await self._act_on(request.name, context)
        self._seen.status("OK")
        return greeter.greet(request.name)

    async def SayHellos(self, request, context):
        self._seen.call("SayHellos")
        await self._act_on(request.name, context)
        for number in range(1, greeter.REPLIES + 1):
            yield greeter.greet_nth(request.name, number)
        self._seen.status("OK")

    async def SayHelloCS(self, requests, context):
        self._seen.call("SayHelloCS")
        names = []
        async for request in requests:
            await self._act_on(request.name, context)
            names.append(request.name)
        self._seen.status("OK")
        return greeter.greet(", ".join(names))

    async def SayHelloBidi(self, requests, context):
        self._seen.call("SayHelloBidi")
        async for request in requests:
            await self._act_on(request.name, context)
            yield greeter.greet(request.name)
        self._seen.status("OK")

    async def _act_on(self, name, context):
        if name == greeter.SLEEPER:
            # Cancelled with the call.
            await asyncio.sleep(greeter.SLEEP_SECONDS)
        elif name == greeter.MISSING:
            self._seen.status("NOT_FOUND")
            await context.abort(grpc.StatusCode.NOT_FOUND, greeter.MISSING_MESSAGE)


async def main():
    end = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end.set)
    greeter.when_input_ends(lambda: loop.call_soon_threadsafe(end.set))

    seen = greeter.Seen()
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((greeter.generic_handler(Greeter(seen)),))
    listening = greeter.bind(server)
    await server.start()
    print(listening, flush=True)
    await end.wait()
    await server.stop(grace=1)
    seen.print()


if __name__ == "__main__":
    asyncio.run(main())
