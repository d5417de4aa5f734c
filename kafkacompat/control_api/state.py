"""The state of a cluster as a whole: reset.

`BrokerServer.format_anew`, set by whoever formats the directories of several nodes, or starts from a snapshot: gets the
ids of the nodes that run, and returns a function that opens what fills their directories as before the first start; it
may block. Both raise KafkaCompatError if that is impossible.
"""

from __future__ import annotations

import asyncio

from kafkacompat.control_api.advertise import advertise, advertised
from kafkacompat.control_api.faults.healing import heal
from kafkacompat.control_api.seeds import Seed, write_seed
from kafkacompat.control_api.views.client_views import connections
from kafkacompat.errors import KafkaCompatError
from kafkacompat.server.broker_reset import BrokerReset
from kafkacompat.server.formatted import formats_itself
from kafkacompat.steps import at_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
    from typing import Any

    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.server.filling import Fill
    from kafkacompat.server.seed import NewTopic

TOPICS = "topics"
KEPT = (TOPICS,)
"""What a reset can keep."""


async def reset(
    servers: Sequence[BrokerServer],
    *,
    keep: Collection[str] = (),
    close_connections: bool = False,
    delete_data: bool = False,
    topics: Mapping[str, NewTopic] | None = None,
    restore: Callable[[], Fill] | None = None,
) -> dict[str, Any]:
    """Replace everything that the nodes of a cluster keep by what they had right after their start, under new topic
    ids.

    The cluster id, the node ids, the listeners and the advertised addresses stay; producer ids go on. Clients stay
    connected; they find topics of other ids, and neither their fetch sessions nor their group members.

    servers: all nodes of the cluster. keep: {"topics"} keeps all topics with their partitions and configs, but no
    records. close_connections: close the connections of clients. delete_data: also a data directory of the user's is
    emptied. topics: topics that are created in addition to those of the start. restore: opens what fills the
    directories instead; it may block. Returns {"connections": those of clients that were open before}, as in
    `client_views`. One reset waits for another.

    Raises KafkaCompatError for a data directory of the user's without `delete_data`, and if a node is missing; also if
    the disk fails, which stops the node.
    """
    check_keep(keep)
    async with alone(servers):
        opens = _begin(servers, restore, delete_data=delete_data)
        fill = None if opens is None else await asyncio.to_thread(opens)
        try:
            _check_listening(servers)
            seed = servers[0].seed if restore is None else None
            return await _carry_out(
                servers, fill, seed or Seed({}, {}), keep=keep, close_connections=close_connections, topics=topics or {}
            )
        finally:
            if fill is not None:
                fill.close()


async def _carry_out(
    servers: Sequence[BrokerServer],
    fill: Fill | None,
    seed: Seed,
    *,
    keep: Collection[str],
    close_connections: bool,
    topics: Mapping[str, NewTopic],
) -> dict[str, Any]:
    """A reset that can be done. fill: None if a broker formats its empty directory by itself."""
    for server in servers:
        heal(server)
    kept = dict(present_topics(servers[0])) if TOPICS in keep else {}
    kept.update(topics)
    before = client_connections(servers)
    cluster_id = servers[0].broker.cluster_id
    first_producer_id = max(server.broker.image.next_producer_id for server in servers)
    addresses = [advertised(server) for server in servers]
    resets = [BrokerReset(server) for server in servers]
    await _all(each.drop() for each in resets)
    if close_connections:
        for server in servers:
            close_clients(server)
    servers[0].clock.reset()
    servers[0].clock.move(0 if fill is None else await asyncio.to_thread(fill.run), 0)

    await _all(each.renew(cluster_id=cluster_id, first_producer_id=first_producer_id) for each in resets)
    try:
        for server, former in zip(servers, addresses, strict=True):
            if advertised(server) != former:
                advertise(server, former)
        if seed or kept:
            await write_seed(servers, seed, topics=kept)
    finally:
        for each in resets:
            each.serve_connections()
    return {"connections": before}


def _begin(
    servers: Sequence[BrokerServer], restore: Callable[[], Fill] | None, *, delete_data: bool
) -> Callable[[], Fill] | None:
    """Check whether these nodes can be reset. Returns what opens that with which their directories are filled; None if
    they stay empty.
    """
    for server in servers:
        check_data(server.directories, is_deleted=server.is_temporary or delete_data)
    if restore is not None:
        return restore
    if servers[0].format_anew is not None:
        return servers[0].format_anew([server.broker.node_id for server in servers])
    if len(servers) != 1 or other_nodes(servers[0]) or not formats_itself(servers[0].config):
        raise KafkaCompatError(
            "this node is one of a cluster whose nodes run in processes of their own: ask the control API of the "
            "process that started them, which resets all of them"
        )
    return None


def other_nodes(server: BrokerServer) -> set[int]:
    """The ids of the other nodes of its cluster."""
    broker = server.broker
    return {*broker.image.brokers, *broker.quorum.raft.client.voters} - {broker.node_id}


def alone(servers: Sequence[BrokerServer]) -> asyncio.Lock:
    """Held by whoever replaces or copies the state of all nodes of this process."""
    return min(servers, key=lambda server: server.config.get_int("node.id")).resetting


def _check_listening(servers: Sequence[BrokerServer]) -> None:
    """Raises KafkaCompatError if one has stopped while others were waited for."""
    for server in servers:
        if not server.is_listening:
            raise KafkaCompatError(f"node {server.broker.node_id} has stopped meanwhile: start it, and try again")


def check_data(directories: Sequence[str], *, is_deleted: bool) -> None:
    """Raises KafkaCompatError for data of the user's, unless they may be deleted."""
    if not is_deleted:
        raise KafkaCompatError(
            f"a reset would delete the data in {', '.join(directories)}: say so with delete_data=True, or leave "
            "data_dir out, for data that end with the cluster"
        )


async def _all(parts: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run coroutines together. Raises the first error when all have ended."""
    first, *others = parts
    if not others:
        await first
        return
    for result in await asyncio.gather(first, *others, return_exceptions=True):
        if result is not None:
            raise result


def check_keep(keep: Collection[str]) -> None:
    """Raises KafkaCompatError for something that a reset cannot keep."""
    unknown = {keep} if isinstance(keep, str) else set(keep) - set(KEPT)
    if unknown:
        raise KafkaCompatError(f"keep={keep!r}: give a collection of {', '.join(map(repr, KEPT))}")


def present_topics(server: BrokerServer) -> Mapping[str, NewTopic]:
    """The topics of the newest metadata, without internal ones."""
    from kafkacompat.replication.metadata.image import TOPIC_RESOURCE
    from kafkacompat.server.seed import NewTopic

    broker = server.broker
    image = broker.image
    return {
        name: NewTopic(len(topic.partitions), len(topic.partitions[0].replicas), image.config(TOPIC_RESOURCE, name))
        for name, topic in image.topics.items()
        if not broker.is_internal(name)
    }


def client_connections(servers: Sequence[BrokerServer]) -> list[dict[str, Any]]:
    """The connections on listeners for clients, as in `client_views.connections`, without those of other nodes."""
    of_nodes = {address for server in servers for address in server.own_addresses}
    found: list[dict[str, Any]] = []
    for server in servers:
        of_clients = {
            each.state.id
            for each in server.connections
            if each.ends not in of_nodes
            and (each.request_count or len(servers) == 1)  # nodes look whether others accept connections
        } & {state.id for state in server.connections.client_states()}
        if of_clients:
            found += [each for each in at_once(connections(server)) if each["connection"] in of_clients]
    return found


def close_clients(server: BrokerServer) -> None:
    """Close the connections of clients. Those of other nodes have ended with the former brokers."""
    for state in list(server.connections.client_states()):
        state.drop("a reset closes the connections of clients")
