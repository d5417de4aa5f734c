"""A process that stands between clients and brokers, passes everything on and counts what it sees.

`python -m compat_tests.recorder.tap` takes one command a line as JSON and answers each with one line:
`{"target": [HOST, PORT], "readdress": BOOL}` answers with the `{"port": PORT}` where it stands in for that broker, and
`{"take": true}` with the counts since the last time. It ends with its standard input.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from typing import Any

from compat_tests.recorder.sniffer import Address, Conversation, Counts, Readdresser

CHUNK_BYTES = 256 * 1024
CONNECT_TIMEOUT_S = 10


class Tap:
    """All listeners of the process, and what they count together."""

    def __init__(self) -> None:
        self._counts = Counts()
        self._listening: dict[Address, Address] = {}  # a broker's address -> where we stand in for it
        self._servers: list[asyncio.Server] = []
        self._connections: set[asyncio.Task[None]] = set()

    async def obey(self, command: dict[str, Any]) -> dict[str, Any]:
        """Carry out one command."""
        if "take" in command:
            return self._counts.take()
        host, port = command["target"]
        return {"port": await self._listen((host, port), readdress=command["readdress"])}

    async def _listen(self, target: Address, *, readdress: bool) -> int:
        async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._connections.add(task)
            try:
                await self._connect(reader, writer, target, readdress=readdress)
            finally:
                self._connections.discard(task)

        server = await asyncio.start_server(accepted, "127.0.0.1", 0, limit=CHUNK_BYTES, backlog=1024)
        self._servers.append(server)
        bound = int(server.sockets[0].getsockname()[1])
        self._listening[target] = ("127.0.0.1", bound)
        return bound

    async def _connect(
        self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter, target: Address, *, readdress: bool
    ) -> None:
        try:
            broker, to_broker = await asyncio.wait_for(
                asyncio.open_connection(*target, limit=CHUNK_BYTES), CONNECT_TIMEOUT_S
            )
        except (OSError, TimeoutError):
            to_client.transport.abort()
            return
        conversation = Conversation(self._counts)
        if readdress:
            answers = _readdressing(broker, to_client, Readdresser(conversation, self._stand_in))
        else:
            answers = _passing(broker, to_client, conversation)
        back = asyncio.create_task(answers)
        forth = asyncio.create_task(_forwarding(client, to_broker, conversation))
        # once the broker has closed, nobody is there to hear the client
        await asyncio.wait([back])
        forth.cancel()
        with suppress(asyncio.CancelledError):
            await forth
        for writer in (to_client, to_broker):
            writer.close()

    def _stand_in(self, address: Address) -> Address:
        return self._listening.get(address, address)


async def _forwarding(client: asyncio.StreamReader, to_broker: asyncio.StreamWriter, seen: Conversation) -> None:
    """What the client says, to its end; the broker may go on answering after that."""
    with suppress(OSError):
        while data := await client.read(CHUNK_BYTES):
            seen.asked(data)
            to_broker.write(data)
            await to_broker.drain()
        to_broker.write_eof()


async def _passing(broker: asyncio.StreamReader, to_client: asyncio.StreamWriter, seen: Conversation) -> None:
    with suppress(OSError):
        while data := await broker.read(CHUNK_BYTES):
            seen.answered(data)
            to_client.write(data)
            await to_client.drain()


async def _readdressing(broker: asyncio.StreamReader, to_client: asyncio.StreamWriter, answers: Readdresser) -> None:
    with suppress(OSError):
        while data := await broker.read(CHUNK_BYTES):
            to_client.write(answers.feed(data))
            await to_client.drain()


async def main() -> None:
    tap = Tap()
    commands = asyncio.StreamReader(limit=1 << 20)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := await commands.readline():
        try:
            answer = await tap.obey(json.loads(line))
        except OSError as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
