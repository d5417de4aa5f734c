"""Where nodes in several processes stand still until all of them have got there.

Each holds its event loop meanwhile, so nothing that one of them does later reaches another one before that is there:
what they have written by then is the state of the cluster in one moment.
"""

from __future__ import annotations

import asyncio
import secrets
import socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

HOST = "127.0.0.1"
STAND_STILL_MAX_S = 30.0
"""How long a node stands still at most."""
TOKEN_TIMEOUT_S = 5.0
TOKEN_LENGTH = 32
RELEASED = b"1"


class Barrier:
    """Waits for a number of nodes on a port of this computer, and lets them go on together.

    Use it in an async with block. Nodes that are there at its end without the others are sent away.
    """

    def __init__(self, count: int) -> None:
        self.token = secrets.token_hex(TOKEN_LENGTH // 2)
        self._count = count
        self._there: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Barrier:
        self._server = await asyncio.start_server(self._arrived, HOST, 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        self._let_go()

    @property
    def port(self) -> int:
        """Where nodes connect to."""
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _arrived(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(TOKEN_TIMEOUT_S):
                token = await reader.readexactly(TOKEN_LENGTH)
        except (TimeoutError, OSError, EOFError):
            token = b""
        if not secrets.compare_digest(token, self.token.encode()):
            writer.close()
            return
        self._there.append(writer)
        if len(self._there) == self._count:
            for each in self._there:
                each.write(RELEASED)
            self._let_go()

    def _let_go(self) -> None:
        for each in self._there:
            each.close()
        self._there.clear()


def stand_still(port: int, token: str) -> bool:
    """Hold this thread at a barrier until all nodes are there; False if that takes too long, or it was given up."""
    try:
        with socket.create_connection((HOST, port), timeout=STAND_STILL_MAX_S) as sock:
            sock.sendall(token.encode())
            return sock.recv(1) == RELEASED
    except OSError:
        return False
