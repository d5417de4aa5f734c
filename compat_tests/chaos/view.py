"""What a cluster says of itself: leaders, who is in sync, the active controller. Asked of any node that can answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from compat_tests.api.raw import RawClient
from compat_tests.broker_process import BrokerError
from compat_tests.chaos.nodes import Nodes
from kafkacompat.protocol.messages import (
    alter_partition_reassignments,
    create_topics,
    describe_quorum,
    elect_leaders,
    metadata,
)

ANSWER_TIMEOUT_S = 3.0
REQUEST_TIMEOUT_MS = 5_000
EVERY_S = 0.1
CREATE_VERSION, METADATA_VERSION, QUORUM_VERSION, REASSIGN_VERSION, ELECT_VERSION = 7, 12, 2, 0, 2
NONE = -1
_Answer = TypeVar("_Answer")


class Part(NamedTuple):
    """One partition as a broker's metadata has it."""

    topic: str
    number: int
    leader: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    epoch: int = 0

    @property
    def is_well(self) -> bool:
        return self.leader >= 0 and set(self.isr) == set(self.replicas)


class SilentError(BrokerError):
    """No broker answers."""


def ask(nodes: Nodes, question: Callable[[RawClient], _Answer], answer_timeout_s: float = ANSWER_TIMEOUT_S) -> _Answer:
    """Ask the first broker that answers. Raises SilentError."""
    why = "none runs"
    for node_id in nodes.brokers:
        node = nodes.nodes[node_id]
        if node.is_running and not node.is_paused:
            try:
                return question_to(nodes, node_id, question, answer_timeout_s)
            except OSError as error:
                why = f"broker {node_id}: {error!r}"
    raise SilentError(f"no broker answers: {why}")


def question_to(
    nodes: Nodes, node_id: int, question: Callable[[RawClient], _Answer], answer_timeout_s: float = ANSWER_TIMEOUT_S
) -> _Answer:
    """Ask one broker. Raises OSError."""
    with RawClient(nodes.address_of(node_id), answer_timeout_s) as client:
        return question(client)


def parts(client: RawClient, topic: str | None = None) -> list[Part]:
    """All partitions, or those of one topic."""
    wanted = None if topic is None else [metadata.MetadataRequestTopic(name=topic)]
    answer = client.call(metadata.API_KEY, METADATA_VERSION, metadata.MetadataRequest(wanted, False))
    return [
        Part(
            found.name, part.partition_index, part.leader_id, tuple(part.replica_nodes), tuple(part.isr_nodes),
            part.leader_epoch,
        )
        for found in answer.topics
        for part in found.partitions
    ]  # fmt: skip


def controller(nodes: Nodes) -> int:
    """Node id of the active controller; NONE while there is none."""
    try:
        return ask(nodes, quorum)[0]
    except SilentError:
        return NONE


def quorum(client: RawClient) -> tuple[int, int]:
    """Who leads the controller quorum, in which epoch; NONE twice when nobody says."""
    topic = describe_quorum.DescribeQuorumRequestTopicData(
        "__cluster_metadata", [describe_quorum.DescribeQuorumRequestPartitionData(0)]
    )
    answer = client.call(describe_quorum.API_KEY, QUORUM_VERSION, describe_quorum.DescribeQuorumRequest([topic]))
    if answer.error_code or not answer.topics:
        return NONE, NONE
    found = answer.topics[0].partitions[0]
    return int(found.leader_id), int(found.leader_epoch)


def leader(nodes: Nodes, topic: str, partition: int) -> int:
    """Who leads a partition; NONE when nobody does or says so."""
    try:
        found = ask(nodes, lambda client: parts(client, topic))
    except SilentError:
        return NONE
    return next((part.leader for part in found if part.number == partition), NONE)


def unrest(nodes: Nodes, since: dict[tuple[str, int], Part], quorum_epoch: int) -> str:
    """What became of partitions and of the quorum for which their leaders had no reason; "" if nothing did.

    Leadership that goes to the preferred replica, with all in sync, is given back and not taken.
    """
    try:
        found, (_, epoch) = ask(nodes, parts), ask(nodes, quorum)
    except SilentError as error:
        return str(error)
    if epoch != quorum_epoch:
        return f"the controllers are in epoch {epoch}, and were in {quorum_epoch}"
    for part in found:
        before = since.get((part.topic, part.number), part)
        if not part.is_well or (part.epoch != before.epoch and part.leader != part.replicas[0]):
            return f"{part}, before {before}"
    return ""


def is_well(nodes: Nodes) -> bool:
    """Whether every node runs and each broker sees every partition led and all its replicas in sync."""
    if not all(node.is_running and not node.is_paused for node in nodes.nodes.values()):
        return False
    try:
        seen = [question_to(nodes, node_id, parts) for node_id in nodes.brokers]
    except OSError:
        return False
    return all(found and all(part.is_well for part in found) for found in seen)


def wait(condition: Callable[[], bool], timeout_s: float, every_s: float = EVERY_S) -> float | None:
    """Wait for something; the seconds that took, None when the time was over."""
    since = time.monotonic()
    while not condition():
        if time.monotonic() - since > timeout_s:
            return None
        time.sleep(every_s)
    return time.monotonic() - since


def create(nodes: Nodes, topic: str, partitions: int, replicas: int, timeout_s: float = 60.0, **configs: str) -> None:
    """Create a topic, as soon as there are brokers enough, and wait until all its replicas are in sync."""
    wanted = create_topics.CreatableTopic(
        topic, partitions, replicas, [],
        [create_topics.CreatableTopicConfig(name.replace("_", "."), value) for name, value in configs.items()],
    )  # fmt: skip
    request = create_topics.CreateTopicsRequest([wanted], 2_000, False)
    said: list[Any] = []

    def created() -> bool:
        try:
            answer = ask(nodes, lambda client: client.call(create_topics.API_KEY, CREATE_VERSION, request)).topics[0]
        except SilentError as error:
            said.append(error)
            return False
        said.append(answer.error_message)
        return answer.error_code in (0, 36)  # TOPIC_ALREADY_EXISTS: an answer was lost

    def ready() -> bool:
        try:
            found = [question_to(nodes, node_id, lambda client: parts(client, topic)) for node_id in nodes.brokers]
        except OSError:
            return False
        return all(len(each) == partitions and all(part.is_well for part in each) for each in found)

    if wait(created, timeout_s) is None:
        raise BrokerError(f"{topic} could not be created: {said[-1]}")
    if wait(ready, timeout_s) is None:
        raise BrokerError(f"{topic} does not get in sync")


def reassign(
    client: RawClient, topic: str, partition: int, replicas: list[int] | None, timeout_ms: int = REQUEST_TIMEOUT_MS
) -> int:
    """Other replicas for a partition, None cancels; the partition's error code."""
    api = alter_partition_reassignments
    wanted = api.ReassignableTopic(topic, [api.ReassignablePartition(partition, replicas)])
    request = api.AlterPartitionReassignmentsRequest(timeout_ms, topics=[wanted])
    answer = client.call(api.API_KEY, REASSIGN_VERSION, request)
    return int(answer.error_code or answer.responses[0].partitions[0].error_code)


def elect_preferred(client: RawClient, timeout_ms: int = REQUEST_TIMEOUT_MS) -> int:
    """The first replica of each partition shall lead it; the error code."""
    request = elect_leaders.ElectLeadersRequest(0, None, timeout_ms)
    return int(client.call(elect_leaders.API_KEY, ELECT_VERSION, request).error_code)


def brokers(client: RawClient) -> list[int]:
    """The brokers that a broker knows of."""
    answer = client.call(metadata.API_KEY, METADATA_VERSION, metadata.MetadataRequest([], False))
    return sorted(broker.node_id for broker in answer.brokers)
