"""Runs proxies (cluster/proxy.py) in their own process, which reads commands from standard input.

    python -m kafkacompat.cluster.proxy_process broker=127.0.0.1:9092 controller=127.0.0.1:9093@19093

Each link is name=host:port[@port to listen on]. The first line of output has the ports, `broker 20123 controller
19093`; then each command is answered by `ok`, or by `error` and the reason:

    <name or *> heal | cut [node] | hold [to|from|both [node]] | delay <ms> [to|from|both [node]] | refuse | vanish

The process ends with its standard input. `ProxyProcess` is the other end, for programs without an event loop.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

from kafkacompat.cluster.proxy import BOTH, Proxy
from kafkacompat.server.loops import new_event_loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

STOP_TIMEOUT_S = 5


class ProxyError(Exception):
    """The proxy process refused a command, or has ended."""


class ProxyProcess:
    """`targets`: link name -> host:port[@port to listen on]. `ports`: link name -> the proxy's port."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        links = [f"{name}={target}" for name, target in targets.items()]
        self._process = subprocess.Popen(  # noqa: S603 (this very module)
            [sys.executable, "-m", __name__, *links], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            words = self._read().split()
        except ProxyError:
            self.close()
            raise
        self.ports = {name: int(port) for name, port in zip(words[::2], words[1::2], strict=True)}

    def __enter__(self) -> ProxyProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def tell(self, name: str, command: str, *arguments: object) -> None:
        """Send a command to one link, or to all ("*"). It is in effect when this returns. Raises ProxyError."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(" ".join(map(str, (name, command, *arguments))) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise ProxyError(f"the proxies have ended: {error}") from None
        answer = self._read()
        if answer != "ok":
            raise ProxyError(answer)

    def close(self) -> None:
        """End the process and all its connections."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.close()
            process.wait(STOP_TIMEOUT_S)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()
        finally:
            process.stdout.close()

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line:
            raise ProxyError(f"the proxies have ended with status {self._process.wait(STOP_TIMEOUT_S)}")
        return line


def main(links: list[str]) -> int:
    """Serve until standard input ends."""
    loop = new_event_loop()
    try:
        loop.run_until_complete(_serve({name: _proxy(target) for name, target in map(_halves, links)}))
    finally:
        loop.close()
    return 0


def _halves(link: str) -> tuple[str, str]:
    name, equals, target = link.partition("=")
    if not equals:
        raise ValueError(f"{link!r} is not name=host:port[@port]")
    return name, target


def _proxy(text: str) -> Proxy:
    target, _, port = text.partition("@")
    host, _, target_port = target.rpartition(":")
    return Proxy((host.strip("[]"), int(target_port)), port=int(port or 0))


async def _serve(proxies: dict[str, Proxy]) -> None:
    commands: asyncio.Queue[str] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:  # a thread, because standard input may be a file
        for line in sys.stdin:
            loop.call_soon_threadsafe(commands.put_nowait, line)
        loop.call_soon_threadsafe(commands.put_nowait, "")

    for proxy in proxies.values():
        await proxy.start()
    _say(" ".join(f"{name} {proxy.port}" for name, proxy in proxies.items()))
    threading.Thread(target=read, daemon=True).start()
    while line := await commands.get():
        try:
            name, command, *arguments = line.split()
            for proxy in list(proxies.values()) if name == "*" else [proxies[name]]:
                _obey(proxy, command, arguments)
        except (KeyError, ValueError) as error:
            _say(f"error {error!r} in {line.strip()!r}")
        else:
            _say("ok")
    for proxy in proxies.values():
        await proxy.close()


def _obey(proxy: Proxy, command: str, arguments: list[str]) -> None:
    if command in ("heal", "refuse", "vanish") and not arguments:
        getattr(proxy, command)()
    elif command == "cut":
        proxy.cut(_node(arguments))
    elif command == "hold":
        proxy.hold(_direction(arguments), _node(arguments[1:]))
    elif command == "delay" and arguments:
        proxy.delay(int(arguments[0]), _direction(arguments[1:]), _node(arguments[2:]))
    else:
        raise ValueError("no such command")


def _direction(arguments: list[str]) -> str:
    return arguments[0] if arguments else BOTH


def _node(arguments: list[str]) -> int | None:
    return int(arguments[0]) if arguments else None


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
