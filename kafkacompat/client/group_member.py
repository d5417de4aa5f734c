"""A member of a classic group: it subscribes to topics, is assigned partitions, and commits offsets.

Everything happens in the caller's thread: call `poll` often, at least three times in a session.
"""

from __future__ import annotations

import time

from kafkacompat.client.errors import BrokerError
from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType
    from typing import Any

    from kafkacompat.client.client import Client, Place

PROTOCOL_TYPE, ASSIGNOR = "consumer", "range"
SESSION_TIMEOUT_MS, REBALANCE_TIMEOUT_MS = 45_000, 300_000
"""The defaults of Java's consumer."""
HEARTBEAT_S = 3.0
PAUSE_S = 0.1
_VERSION, _NEWEST = 1, 3
"""The version of the consumer protocol that it writes, and the newest that it reads."""
_NAMED_VERSION = 9
"""The last version of OffsetCommit with topics' names."""
_SEVERAL_MEMBERS_VERSION = 3
"""From this version on LeaveGroup has a list of members."""
_REJOIN = frozenset({errors.REBALANCE_IN_PROGRESS, errors.ILLEGAL_GENERATION, errors.UNKNOWN_MEMBER_ID})
_ANSWER_MARGIN_S = 10.0


class GroupMember:
    """One member. `assignment` are its partitions; `generation` is None while it has none.

    Raises BrokerError for a group that refuses it, ClientError for brokers that cannot be reached.
    """

    def __init__(
        self, client: Client, group: str, topics: Sequence[str], *, session_timeout_ms: int = SESSION_TIMEOUT_MS
    ) -> None:
        self._client = client
        self._group = group
        self._topics = sorted(topics)
        self._session_timeout_ms = session_timeout_ms
        self.member_id = ""
        self.generation: int | None = None
        self.assignment: list[Place] = []
        self._heartbeat_at_s = 0.0

    def poll(self) -> bool:
        """Join if that is due, and send a heartbeat if that is due. Returns whether the assignment is a new one."""
        if self.generation is None:
            self._join()
            return True
        if time.monotonic() < self._heartbeat_at_s:
            return False
        from kafkacompat.protocol.messages import heartbeat as messages

        request = messages.HeartbeatRequest(self._group, self.generation, self.member_id)
        code = self._call(messages, request).error_code
        self._heartbeat_at_s = time.monotonic() + HEARTBEAT_S
        if code in _REJOIN:
            self._lose(code)
        elif code != errors.NONE:
            raise BrokerError(code, f"group {self._group!r}")
        return False

    def commit(self, offsets: Mapping[Place, int]) -> None:
        """Commit offsets as this member. After a rebalance that it has not noticed yet, nothing is committed."""
        if not offsets or self.generation is None:
            return
        from kafkacompat.protocol.messages import offset_commit as messages

        topics: dict[str, list[messages.OffsetCommitRequestPartition]] = {}
        for (topic, partition), offset in offsets.items():
            topics.setdefault(topic, []).append(messages.OffsetCommitRequestPartition(partition, offset))
        request = messages.OffsetCommitRequest(
            self._group, self.generation, self.member_id,
            topics=[messages.OffsetCommitRequestTopic(name, partitions=each) for name, each in topics.items()],
        )  # fmt: skip
        response = self._call(messages, request, max_version=_NAMED_VERSION)
        for topic in response.topics:
            for each in topic.partitions:
                if each.error_code in _REJOIN:
                    self._lose(each.error_code)
                    return
                if each.error_code != errors.NONE:
                    raise BrokerError(each.error_code, f"offset of {topic.name}-{each.partition_index}")

    def leave(self) -> None:
        """Leave the group, so that it need not wait for the session to end."""
        if not self.member_id:
            return
        from kafkacompat.protocol.messages import leave_group as messages

        members = [messages.MemberIdentity(self.member_id)]

        def request(version: int) -> messages.LeaveGroupRequest:
            if version >= _SEVERAL_MEMBERS_VERSION:
                return messages.LeaveGroupRequest(self._group, members=members)
            return messages.LeaveGroupRequest(self._group, self.member_id)

        self._call(messages, request)
        self.member_id, self.generation, self.assignment = "", None, []

    def _lose(self, code: int) -> None:
        self.generation = None
        if code == errors.UNKNOWN_MEMBER_ID:
            self.member_id = ""

    def _join(self) -> None:
        while True:
            joined = self._ask_to_join()
            if joined is None:
                continue
            self.member_id = joined.member_id
            assignments = self._assign(joined) if joined.leader == joined.member_id else {}
            if self._sync(joined.generation_id, assignments):
                self._heartbeat_at_s = time.monotonic() + HEARTBEAT_S
                return

    def _ask_to_join(self) -> Any:
        """The answer of the group with a generation; None: ask again."""
        from kafkacompat.protocol.messages import join_group as messages

        request = messages.JoinGroupRequest(
            self._group, self._session_timeout_ms, REBALANCE_TIMEOUT_MS, self.member_id, None, PROTOCOL_TYPE,
            [messages.JoinGroupRequestProtocol(ASSIGNOR, _subscription(self._topics))],
        )  # fmt: skip
        response = self._call(messages, request, timeout_s=REBALANCE_TIMEOUT_MS / 1000 + _ANSWER_MARGIN_S)
        if response.error_code == errors.NONE:
            return response
        if response.error_code == errors.MEMBER_ID_REQUIRED:
            self.member_id = response.member_id
        elif response.error_code in _REJOIN:
            self._lose(response.error_code)
            time.sleep(PAUSE_S)
        else:
            raise BrokerError(response.error_code, f"group {self._group!r}")
        return None

    def _assign(self, joined: Any) -> dict[str, list[Place]]:
        """By Kafka's range assignor, as the leader of the generation."""
        topics = {member.member_id: _topics_of(bytes(member.metadata)) for member in joined.members}
        partitions = {}
        for topic in sorted({topic for of in topics.values() for topic in of}):
            try:
                partitions[topic] = self._client.partitions(topic)
            except BrokerError:  # nobody gets what does not exist
                continue
        return range_assignment(topics, partitions)

    def _sync(self, generation: int, assignments: Mapping[str, Sequence[Place]]) -> bool:
        from kafkacompat.protocol.messages import sync_group as messages

        request = messages.SyncGroupRequest(
            self._group, generation, self.member_id, None, PROTOCOL_TYPE, ASSIGNOR,
            [messages.SyncGroupRequestAssignment(member, _assignment(of)) for member, of in assignments.items()],
        )  # fmt: skip
        response = self._call(messages, request, timeout_s=REBALANCE_TIMEOUT_MS / 1000 + _ANSWER_MARGIN_S)
        if response.error_code in _REJOIN:
            self._lose(response.error_code)
            return False
        if response.error_code != errors.NONE:
            raise BrokerError(response.error_code, f"group {self._group!r}")
        self.assignment = _places_of(bytes(response.assignment))
        self.generation = generation
        return True

    def _call(
        self, messages: ModuleType, request: object, *, timeout_s: float | None = None, max_version: int | None = None
    ) -> Any:
        """Ask the coordinator, again while it moves."""

        def code_of(response: Any) -> int:
            return int(getattr(response, "error_code", errors.NONE))

        return self._client.call_coordinator(
            self._group, messages, request, code_of, timeout_s=timeout_s, max_version=max_version
        )


def range_assignment(
    topics: Mapping[str, Sequence[str]], partitions: Mapping[str, Sequence[int]]
) -> dict[str, list[Place]]:
    """Kafka's RangeAssignor: of each topic, members by id get ranges of partitions, the first ones one more.

    topics: those of each member. Returns the partitions of each member.
    """
    assigned: dict[str, list[Place]] = {member: [] for member in topics}
    for topic, numbers in sorted(partitions.items()):
        members = sorted(member for member, of in topics.items() if topic in of)
        if not members:
            continue
        each, more = divmod(len(numbers), len(members))
        at = 0
        for place, member in enumerate(members):
            count = each + (place < more)
            assigned[member] += [(topic, number) for number in sorted(numbers)[at : at + count]]
            at += count
    return assigned


def _subscription(topics: Sequence[str]) -> bytes:
    from kafkacompat.protocol.internal import consumer_protocol as messages

    out: list[Any] = []
    subscription = messages.ConsumerProtocolSubscription(list(topics))
    messages.encode_consumer_protocol_subscription(subscription, _VERSION, out)
    return _VERSION.to_bytes(2, "big") + b"".join(out)


def _topics_of(subscription: bytes) -> list[str]:
    from kafkacompat.protocol.internal import consumer_protocol as messages

    version = min(int.from_bytes(subscription[:2], "big"), _NEWEST)
    return list(messages.decode_consumer_protocol_subscription(subscription, 2, version).topics)


def _assignment(places: Sequence[Place]) -> bytes:
    from kafkacompat.protocol.internal import consumer_protocol as messages

    numbers: dict[str, list[int]] = {}
    for topic, number in places:
        numbers.setdefault(topic, []).append(number)
    assigned = [messages.ConsumerProtocolAssignmentTopicPartition(topic, of) for topic, of in numbers.items()]
    out: list[Any] = []
    messages.encode_consumer_protocol_assignment(messages.ConsumerProtocolAssignment(assigned), _VERSION, out)
    return _VERSION.to_bytes(2, "big") + b"".join(out)


def _places_of(assignment: bytes) -> list[Place]:
    from kafkacompat.protocol.internal import consumer_protocol as messages

    if not assignment:
        return []
    version = min(int.from_bytes(assignment[:2], "big"), _NEWEST)
    found = messages.decode_consumer_protocol_assignment(assignment, 2, version)
    return [(each.topic, number) for each in found.assigned_partitions for number in each.partitions]
