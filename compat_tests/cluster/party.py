"""A test's conversation with one cluster: clients of each of its nodes, and names that no other conversation has."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from types import ModuleType
from typing import Any, TypeVar

from compat_tests.api import topics
from compat_tests.api.outcomes import Exchange
from compat_tests.api.raw import RawClient
from compat_tests.chaos import view
from compat_tests.chaos.nodes import Nodes
from kafkacompat.protocol.messages import create_topics, find_coordinator, list_offsets, metadata
from kafkacompat.protocol.messages import produce as produce_api
from kafkacompat.protocol.primitives import Message
from kafkacompat.protocol.records.builder import Record, build_batch

OWN = ("host", "port", "cluster_id", "topic_id", "controller_id", "throttle_time_ms")
"""Fields that each cluster has its own of. Which broker is named as the controller is a matter of chance."""
TIMEOUT_S = 60.0
ANSWER_TIMEOUT_S = 30.0
"""Longer than brokers are given to do what they are asked: whoever asks the next one too early has it done twice."""
REQUEST_TIMEOUT_MS = 20_000
TOPIC_ALREADY_EXISTS = 36
CREATE_VERSION, METADATA_VERSION, PRODUCE_VERSION, FIND_VERSION = 7, 12, 9, 2
_Answer = TypeVar("_Answer")


class Party:
    """One cluster, as the body of a test sees it. Node ids are 1 to 3."""

    def __init__(self, nodes: Nodes, topic: str, tag: str, stack: ExitStack) -> None:
        self.nodes = nodes
        self.topic = f"{topic}-{tag}"
        self._hidden = re.compile(rf"-{tag}\b")
        self._stack = stack
        self._clients: dict[int, RawClient] = {}
        self._controllers: dict[int, RawClient] = {}
        self.exchanges: list[Exchange] = []

    # Requests

    def on(self, node_id: int) -> RawClient:
        """A connection to a node, made when it is first asked for."""
        if node_id not in self._clients:
            client = self._stack.enter_context(RawClient(self.nodes.address_of(node_id)))
            client.exchanges = self.exchanges
            self._clients[node_id] = client
        return self._clients[node_id]

    def controller(self, node_id: int) -> RawClient:
        """A connection to a controller's own listener, made when it is first asked for."""
        if node_id not in self._controllers:
            client = self._stack.enter_context(RawClient(self.nodes.controller_address_of(node_id)))
            client.exchanges = self.exchanges
            self._controllers[node_id] = client
        return self._controllers[node_id]

    def another_controller(self, node_id: int) -> RawClient:
        """Another connection to it."""
        return self._stack.enter_context(self.controller(node_id).another())

    def ask(
        self, api: ModuleType, version: int, request: Message, node_id: int = 1, masked: Sequence[str] = OWN
    ) -> Any:
        """The answer of one node, as facts in which this cluster's own names do not show."""
        return self.plain(self.on(node_id).ask(api, version, request, masked))

    def ask_all(
        self, api: ModuleType, version: int, requests: Mapping[str, Message], node_id: int = 1
    ) -> dict[str, Any]:
        """The answers to named requests, asked one after the other."""
        return {name: self.ask(api, version, request, node_id) for name, request in requests.items()}

    def plain(self, value: Any) -> Any:
        """Facts without the tag that makes names unique."""
        if isinstance(value, dict):
            return {self.plain(name): self.plain(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.plain(item) for item in value]
        return self._hidden.sub("", value) if isinstance(value, str) else value

    def quietly(self, question: Callable[[RawClient], _Answer]) -> _Answer:
        """Ask whichever node answers, of which the comparison knows nothing."""
        return view.ask(self.nodes, question, ANSWER_TIMEOUT_S)

    # What tests begin with

    def create(self, assignments: Sequence[Sequence[int]], suffix: str = "", **configs: str) -> str:
        """A topic whose partitions have these replicas, the first of each leading; its name. All are in sync."""
        name = self.topic + suffix
        wanted = create_topics.CreatableTopic(
            name, -1, -1,
            [create_topics.CreatableReplicaAssignment(n, list(each)) for n, each in enumerate(assignments)],
            [create_topics.CreatableTopicConfig(key.replace("_", "."), value) for key, value in configs.items()],
        )  # fmt: skip
        request = create_topics.CreateTopicsRequest([wanted], REQUEST_TIMEOUT_MS)
        asked = []

        def question(client: RawClient) -> Any:
            asked.append(client)
            return client.call(create_topics.API_KEY, CREATE_VERSION, request)

        answer = self.quietly(question).topics[0]
        answer_was_lost = len(asked) > 1 and answer.error_code == TOPIC_ALREADY_EXISTS
        assert answer.error_code == 0 or answer_was_lost, answer
        self.wait_for(name, [{"leader": each[0], "isr": set(each)} for each in assignments])
        for index, each in enumerate(assignments):
            self._wait_until_led(name, index, each[0])
        return name

    def wait_for(self, topic: str, expected: Sequence[Mapping[str, Any]]) -> None:
        """Wait until every running broker has a topic's partitions with these leaders, replicas and in-sync sets."""

        def ready() -> bool:
            for node_id in self.nodes.brokers:
                if self.nodes.nodes[node_id].is_running:
                    found = view.question_to(self.nodes, node_id, lambda client: view.parts(client, topic))
                    if len(found) != len(expected) or not all(map(_fits, found, expected)):
                        return False
            return True

        self.wait(ready, f"{topic} does not come to {expected}")

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        """Wait for something that has to come. Raises AssertionError."""
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            try:
                if condition():
                    return
            except OSError:
                pass
            assert time.monotonic() < deadline, what
            time.sleep(0.05)

    def produce(self, node_id: int, topic: str, count: int, partition: int = 0, acks: int = -1) -> tuple[int, int]:
        """Append records at a node; error code and base offset."""
        records = [Record(n, topics.BASE_TIMESTAMP_MS + n, b"key", f"value {n}".encode()) for n in range(count)]
        data = produce_api.PartitionProduceData(partition, bytes(build_batch(records)))
        request = produce_api.ProduceRequest(
            None, acks, 10_000, [produce_api.TopicProduceData(topic, partition_data=[data])]
        )
        answer = self.on(node_id).call(produce_api.API_KEY, PRODUCE_VERSION, request)
        found = answer.responses[0].partition_responses[0]
        return int(found.error_code), int(found.base_offset)

    def topic_id(self, topic: str) -> bytes:
        request = metadata.MetadataRequest([metadata.MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
        answer = self.quietly(lambda client: client.call(metadata.API_KEY, METADATA_VERSION, request))
        return bytes(answer.topics[0].topic_id)

    def coordinator(self, group: str, node_id: int = 1) -> int:
        """Who coordinates a group, once somebody does."""
        found = [-1]

        def is_known() -> bool:
            request = find_coordinator.FindCoordinatorRequest(group)
            address = self.nodes.address_of(node_id)
            with RawClient(address) as client:
                answer = client.call(find_coordinator.API_KEY, FIND_VERSION, request)
            found[0] = answer.node_id
            return bool(answer.error_code == 0)

        self.wait(is_known, f"nobody coordinates {group}")
        return found[0]

    def group_of(self, node_id: int) -> str:
        """A group that a node coordinates."""
        return next(name for n in range(500) if self.coordinator(name := f"g{n}-{self.topic}") == node_id)

    # Nodes that go and come

    def kill(self, node_id: int, *, waits: bool = True) -> None:
        """kill -9, and wait until the others have noticed."""
        self._forget(node_id)
        self.nodes.kill(node_id)
        if waits:
            self._wait_until_gone(node_id)

    def stop(self, node_id: int) -> None:
        """A clean stop, and wait until the others have noticed."""
        self._forget(node_id)
        self.nodes.stop(node_id)
        self._wait_until_gone(node_id)

    def swap(self, node_id: int, other: int) -> None:
        """kill -9 one node and start another in its place, as two of three are needed; wait until both are noticed."""
        self._forget(node_id)
        self.nodes.kill(node_id)
        self.nodes.begin(other)
        self.nodes.wait(other)
        self._wait_until_gone(node_id)

        def is_known() -> bool:
            running = [each for each in self.nodes.brokers if self.nodes.nodes[each].is_running]
            return all(other in view.question_to(self.nodes, each, view.brokers) for each in running)

        self.wait(is_known, f"{other} does not come back")

    def reassign(self, topic: str, partition: int, replicas: list[int]) -> None:
        """Ask for other replicas."""
        assert self.quietly(lambda client: view.reassign(client, topic, partition, replicas, REQUEST_TIMEOUT_MS)) == 0

    def restore(self, *, elects: bool = True) -> None:
        """Start what does not run, wait until all is in sync, and let each lead again what it should."""
        self.nodes.heal()
        self.nodes.start()
        self.wait(lambda: view.is_well(self.nodes), "the cluster does not come back")
        if elects:
            self.quietly(lambda client: view.elect_preferred(client, REQUEST_TIMEOUT_MS))

    def _forget(self, node_id: int) -> None:
        self._clients.pop(node_id, None)
        self._controllers.pop(node_id, None)

    def _wait_until_gone(self, node_id: int) -> None:
        def is_gone() -> bool:
            others = [each for each in self.nodes.brokers if self.nodes.nodes[each].is_running]
            return all(node_id not in view.question_to(self.nodes, each, view.brokers) for each in others)

        self.wait(is_gone, f"nobody notices that {node_id} is gone")

    def _wait_until_led(self, topic: str, partition: int, leader: int) -> None:
        """Metadata names a leader some time before it serves."""
        part = list_offsets.ListOffsetsPartition(partition, -1, -1)
        request = list_offsets.ListOffsetsRequest(-1, 0, [list_offsets.ListOffsetsTopic(topic, [part])])
        with RawClient(self.nodes.address_of(leader)) as client:

            def serves() -> bool:
                answer = client.call(list_offsets.API_KEY, topics.LIST_OFFSETS_VERSION, request)
                return bool(answer.topics[0].partitions[0].error_code == 0)

            self.wait(serves, f"{leader} does not lead {topic}")


def _fits(part: view.Part, expected: Mapping[str, Any]) -> bool:
    return all((set(part.isr) if name == "isr" else getattr(part, name)) == value for name, value in expected.items())
