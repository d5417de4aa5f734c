"""The port of the control API before anything answers there."""

from __future__ import annotations

import asyncio
import errno
import socket

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.server import control_listener
from kafkacompat.server.control_listener import ControlListener, host_and_port, is_this_computer, listen
from kafkacompat.server.ports import close_all
from tests.waiting import until


class Hello(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.write(b"hello")
        transport.close()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("127.0.0.1:9644", ("127.0.0.1", 9644)), ("[::1]:0", ("::1", 0)), (":9644", ("", 9644))],
)
def test_addresses_are_read(text: str, expected: tuple[str, int]) -> None:
    assert host_and_port(text) == expected


@pytest.mark.parametrize("text", ["9644", "localhost", "localhost:", "localhost:65536", "localhost:-1", "localhost:٣"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(StartupError, match="give HOST:PORT"):
        host_and_port(text)


def test_what_only_this_computer_reaches() -> None:
    assert all(map(is_this_computer, ("localhost", "127.0.0.1", "127.8.8.8", "::1")))
    assert not any(map(is_this_computer, ("", "0.0.0.0", "::", "10.0.0.1", "broker")))


def test_a_taken_port_is_an_error_or_another_port() -> None:
    first = listen("127.0.0.1", 0)
    port = first[0].getsockname()[1]
    second: list[socket.socket] = []
    try:
        with pytest.raises(StartupError, match=f"127.0.0.1:{port} is taken"):
            listen("127.0.0.1", port)
        second = listen("127.0.0.1", port, may_move=True)
        assert second[0].getsockname()[1] != port
    finally:
        close_all([*first, *second])


def test_what_answers_is_opened_at_the_first_connection_and_may_refuse() -> None:
    async def scenario() -> None:
        opened, closed, room = [], [], [True]

        def open_api() -> tuple[object, object]:
            opened.append(1)
            return (lambda: Hello() if room[0] else None), lambda: closed.append(1)

        listener = ControlListener(asyncio.get_running_loop(), listen("127.0.0.1", 0), open_api)
        assert not opened
        for expected in (b"hello", b"hello", b""):
            room[0] = expected != b""
            reader, writer = await asyncio.open_connection(listener.host, listener.port)
            assert await reader.read() == expected
            writer.close()
        assert opened == [1]
        listener.close()
        assert closed == [1]
        with pytest.raises(OSError):
            await asyncio.open_connection(listener.host, listener.port)

    asyncio.run(scenario())


def test_without_descriptors_accepting_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_listener, "OUT_OF_DESCRIPTORS_PAUSE_S", 0.01)

    class Poor:
        """A listening socket that cannot accept at first."""

        def __init__(self, sock: socket.socket) -> None:
            self._sock = sock
            self.failures = 0

        def accept(self) -> tuple[socket.socket, object]:
            if self.failures < 2:
                self.failures += 1
                raise OSError(errno.EMFILE, "Too many open files")
            return self._sock.accept()

        def __getattr__(self, name: str) -> object:
            return getattr(self._sock, name)

    async def scenario() -> None:
        (sock,) = listen("127.0.0.1", 0)
        poor = Poor(sock)
        listener = ControlListener(asyncio.get_running_loop(), [poor], lambda: (Hello, lambda: None))
        reader, writer = await asyncio.open_connection(listener.host, listener.port)
        assert await reader.read() == b"hello"
        assert poor.failures == 2
        writer.close()
        listener.close()
        await until(lambda: not listener._opening)

    asyncio.run(scenario())
