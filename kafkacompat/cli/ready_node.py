"""Calls what is to happen when a node serves clients: hooks of a container, and what announces it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any

    from kafkacompat.control_api.seeds import Seed
    from kafkacompat.server.broker_server import BrokerServer


class ReadyNode(NamedTuple):
    """A node, or the first of a cluster, that can serve clients.

    addresses: `host:port` of its listeners for clients, first the one that brokers use among themselves. is_stopping:
    whether a stop has begun meanwhile. write_seed: writes a seed, and waits for that; raises KafkaCompatError.
    """

    node_id: int
    addresses: Sequence[str]
    is_stopping: Callable[[], bool]
    write_seed: Callable[[Seed], None]


async def call_when_ready(
    on_ready: Callable[[ReadyNode], None],
    server: BrokerServer,
    addresses: list[str],
    is_stopping: Callable[[], bool],
    stopped: Coroutine[Any, Any, None],
) -> None:
    """Call `on_ready` on a thread, which may be a client of this node, and wait for it or for `stopped`."""
    from kafkacompat.cli.seed_writer import NodeSeeds

    loop = asyncio.get_running_loop()
    seeds = NodeSeeds(server, loop, addresses[0] if addresses else "")
    node = ReadyNode(server.broker.node_id, addresses, is_stopping, seeds.write)
    done: asyncio.Future[None] = loop.create_future()

    def ended(error: BaseException | None) -> None:
        if not done.done():
            done.set_exception(error) if error is not None else done.set_result(None)

    def run() -> None:
        error: BaseException | None = None
        try:
            on_ready(node)
        except Exception as raised:  # noqa: BLE001 (handed to the waiting coroutine)
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(ended, error)

    threading.Thread(target=run, name="on-ready", daemon=True).start()
    stopping = asyncio.ensure_future(stopped)
    await asyncio.wait((done, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if done.done():
        done.result()
