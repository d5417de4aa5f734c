"""Writes the seeds that hooks of a start bring: inside a lone broker, through a client to a cluster."""

from __future__ import annotations

import asyncio

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkacompat.control_api.seeds import Seed
    from kafkacompat.server.broker_server import BrokerServer


class NodeSeeds:
    """Seeds of one node. Topics that it has had at its start, from an earlier one, are left as they are.

    A lone broker needs no connection to itself: its advertised address may not be reachable inside the container. What
    was written is part of the node's seed, which a reset writes again.
    """

    def __init__(self, server: BrokerServer, loop: asyncio.AbstractEventLoop, address: str) -> None:
        """loop: the node's, which runs while `write` blocks another thread. address: where it listens, `host:port`."""
        self._server = server
        self._loop = loop
        self._address = address
        self._existing = frozenset(server.broker.image.topics)

    def write(self, seed: Seed) -> None:
        """Write a seed, and wait for that. Raises KafkaCompatError."""
        broker = self._server.broker
        if set(broker.image.brokers) != {broker.node_id}:
            ClusterSeeds(self._address, broker.static_config.static, self._existing).write(seed)
            return
        asyncio.run_coroutine_threadsafe(self._write(seed), self._loop).result()

    async def _write(self, seed: Seed) -> None:
        from kafkacompat.control_api.seeds import write_seed

        await write_seed([self._server], seed, existing=self._existing)
        before: Seed | None = self._server.seed
        self._server.seed = seed if before is None else before.joined(seed)


class ClusterSeeds:
    """Seeds of a cluster, written by a client of it."""

    def __init__(self, servers: str, settings: Iterable[str], existing: frozenset[str] | None = None) -> None:
        """servers: addresses, `host:port,...`. settings: names of the settings that the user gave.

        existing: topics that are left as they are; by default those at the first seed.
        """
        self._servers = servers
        self._settings = settings
        self._existing = existing

    def write(self, seed: Seed) -> None:
        """Write a seed, and wait for that. Raises KafkaCompatError."""
        from kafkacompat.cluster.startup_topics import topic_names, write_seed

        try:
            if self._existing is None:
                self._existing = topic_names(self._servers)
            write_seed(self._servers, seed, self._settings, existing=self._existing)
        except OSError as error:
            raise KafkaCompatError(error.strerror or str(error)) from None
