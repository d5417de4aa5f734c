"""The state of a node as a whole: reset."""

from __future__ import annotations

from kafkacompat.control_api.advertise import advertise, advertised
from kafkacompat.control_api.client_views import connections
from kafkacompat.control_api.healing import heal
from kafkacompat.control_api.seeds import Seed, write_seed
from kafkacompat.errors import KafkaCompatError
from kafkacompat.steps import at_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.server.seed import NewTopic

TOPICS = "topics"
KEPT = (TOPICS,)
"""What a reset can keep."""


async def reset(server: BrokerServer, *, keep: Collection[str] = (), close_connections: bool = False) -> dict[str, Any]:
    """Replace everything that a lone broker keeps by what it had right after its start, under new topic ids.

    The cluster id, the node id, the listeners and the advertised addresses stay; producer ids go on. Clients stay
    connected; they find topics of other ids, and neither their fetch sessions nor their group members.

    keep: {"topics"} keeps all topics with their partitions and configs, but no records. close_connections: close the
    connections of clients. Returns {"connections": those of clients that were open before}, as in `client_views`.

    Raises KafkaCompatError for a broker with a data directory of the user's; also if the disk fails, which stops the
    broker.
    """
    check_keep(keep)
    if not server.is_temporary:
        raise KafkaCompatError(
            f"a reset would delete the data in {server.data_dir}: it needs a broker without a data directory of its own"
        )
    heal(server)
    kept = present_topics(server) if TOPICS in keep else {}
    before = client_connections(server)
    cluster_id, first_producer_id = server.broker.cluster_id, server.broker.image.next_producer_id
    addresses = advertised(server)
    await server.drop_broker()
    if close_connections:
        close_clients(server)
    server.clock.reset()
    await server.renew_broker(cluster_id=cluster_id, first_producer_id=first_producer_id)
    try:
        if advertised(server) != addresses:
            advertise(server, addresses)
        if server.seed or kept:
            await write_seed(server, server.seed or Seed({}, {}), topics=kept)
    finally:
        server.serve_connections()
    return {"connections": before}


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


def client_connections(server: BrokerServer) -> list[dict[str, Any]]:
    """The connections on listeners for clients, as in `client_views.connections`."""
    of_clients = {state.id for state in server.connections.client_states()}
    return [each for each in at_once(connections(server)) if each["connection"] in of_clients]


def close_clients(server: BrokerServer) -> None:
    """Close the connections of clients."""
    for state in list(server.connections.client_states()):
        state.drop("a reset closes the connections of clients")
