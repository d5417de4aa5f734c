"""A long talk with a broker about groups, in every version of every group API, and what Apache Kafka answered.

`python -m tests.broker.handlers.group_conversation` has it with Apache Kafka and writes the answers into
tests/golden/group_conversation.txt; the test has it with our broker and compares.
"""

import re
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path

from kafkacompat.broker.registry import APIS
from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.delete_groups import DeleteGroupsRequest
from kafkacompat.protocol.messages.describe_groups import DescribeGroupsRequest
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.heartbeat import HeartbeatRequest
from kafkacompat.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from kafkacompat.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from kafkacompat.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from kafkacompat.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from kafkacompat.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from kafkacompat.protocol.primitives import Message
from tests.waiting import wait_until

GOLDEN = Path(__file__).parents[2] / "golden" / "group_conversation.txt"
STEMS = {api.stem: api for api in APIS.values()}
SUBSCRIPTION = b"\0\0\0\0\0\1\0\1t\xff\xff\xff\xff"
UNKNOWN_ID = b"\5" * 16
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
UNORDERED = ("list_groups", "delete_groups", "describe_groups")
FIRST_OFFSET_VERSION_WITH_IDS = 10


def join(group: str, member_id: str = "", instance: str | None = None, **fields: object) -> JoinGroupRequest:
    settings: dict = {"session_timeout_ms": 30_000, "rebalance_timeout_ms": 60_000, "protocol_type": "consumer"}
    settings["protocols"] = offers("range")
    return JoinGroupRequest(group_id=group, member_id=member_id, group_instance_id=instance, **(settings | fields))


def offers(*names: str, metadata: bytes = SUBSCRIPTION) -> list[JoinGroupRequestProtocol]:
    return [JoinGroupRequestProtocol(name, metadata) for name in names]


def sync(
    group: str, generation: int, member_id: str, instance: str | None = None, **fields: object
) -> SyncGroupRequest:
    return SyncGroupRequest(group, generation, member_id, instance, **fields)


def assign(**shares: bytes) -> list[SyncGroupRequestAssignment]:
    return [SyncGroupRequestAssignment(*share) for share in shares.items()]


class Conversation:
    """Talks through `exchange`, which takes a request's frame to the broker and brings its response's."""

    def __init__(self, exchange: Callable[[bytes], bytes]) -> None:
        self._exchange = exchange
        self.lines: list[str] = []
        self._names: dict[str, str] = {}
        self.topic_id = bytes(16)

    def ask(self, stem: str, version: int, request: Message, client: str = "c") -> Message:
        """Ask, note the answer and return it."""
        response = self._ask(stem, version, request, client)
        self.lines.append(self._plain(f"{stem} v{version} {_brief(request)}"))
        self.lines.append(self._plain(f"    {_brief(_ordered(stem, response))}"))
        return response

    def _ask(self, stem: str, version: int, request: Message, client: str = "c") -> Message:
        api = STEMS[stem]
        parts: list[object] = [encode_request_header(RequestHeader(api.key, version, 7, client))]
        api.messages.encode_request(request, version, parts)
        data = self._exchange(b"".join(bytes(part) for part in parts))
        _, position = decode_response_header(data, response_header_is_flexible(api.key, version))
        return api.messages.decode_response(data, position, version)

    def _plain(self, text: str) -> str:
        """Without what differs from run to run."""
        text = UUID.sub(lambda found: self._names.setdefault(found[0], f"<uuid {len(self._names) + 1}>"), text)
        text = text.replace(repr(self.topic_id), "<topic id>")
        return re.sub(r"port=\d{2,}", "port=<port>", re.sub(r"host='[a-z0-9.]+'", "host=<host>", text))

    def have(self) -> None:
        """All of it."""
        created = self._ask("create_topics", 7, CreateTopicsRequest([CreatableTopic("t", 3, 1)]))
        self.topic_id = created.topics[0].topic_id
        wait_until(lambda: self._ask("find_coordinator", 3, FindCoordinatorRequest("g")).error_code == 0)
        self.coordinators()
        self.refused_joins()
        self.one_member()
        self.offsets()
        self.leaving_and_listing()
        self.static_members()

    def coordinators(self) -> None:
        for version in range(4):
            self.ask("find_coordinator", version, FindCoordinatorRequest("g"))
        self.ask("find_coordinator", 6, FindCoordinatorRequest(coordinator_keys=["g", ""]))
        self.ask("find_coordinator", 4, FindCoordinatorRequest(coordinator_keys=[]))

    def refused_joins(self) -> None:
        for version in range(10):
            self.ask("join_group", version, join(""))
            self.ask("join_group", version, join("x", "nobody"))
            self.ask("join_group", version, join("x", session_timeout_ms=10))
        for version in range(10):
            self.ask("join_group", version, join(f"v{version}"), client="cl")
            self.ask("join_group", version, join(f"v{version}", protocols=[]))
            self.ask("join_group", version, join(f"v{version}", protocol_type=""))
        self.ask("list_groups", 5, ListGroupsRequest())

    def one_member(self) -> None:
        first = self.ask("join_group", 5, join("a"), client="cl")
        member_id = self.ask("join_group", 5, join("a", first.member_id), client="cl").member_id
        self.member_id = member_id
        for version in range(6):
            for refused in (sync("a", 9, member_id), sync("a", 1, "x"), sync("nope", 1, "x"), sync("", 1, "x")):
                self.ask("sync_group", version, refused)
        known = {"protocol_type": "consumer", "protocol_name": "range"}
        self.ask("sync_group", 5, sync("a", 1, member_id, **(known | {"protocol_type": "connect"})))
        self.ask("sync_group", 5, sync("a", 1, member_id, **(known | {"protocol_name": "sticky"})))
        self.commit(9, "a", 1, member_id, [(0, 1, -1, "early")])
        self.ask("describe_groups", 6, DescribeGroupsRequest(["a"]))
        self.ask("heartbeat", 4, HeartbeatRequest("a", 1, member_id))
        self.ask("sync_group", 3, sync("a", 1, member_id, assignments=assign(**{member_id: b"xx", "other": b"yy"})))
        for version in range(6):
            self.ask("sync_group", version, sync("a", 1, member_id, **(known if version > 4 else {})))
        for version in range(5):
            for whose in (("a", 1, member_id), ("a", 0, member_id), ("a", 1, "x"), ("nope", 1, "x"), ("", 1, "x")):
                self.ask("heartbeat", version, HeartbeatRequest(*whose))
        self.ask("heartbeat", 3, HeartbeatRequest("a", 1, member_id, "instance"))
        for version in range(7):
            self.ask("describe_groups", version, DescribeGroupsRequest(["a", "nope", ""], version >= 3))

    def commit(
        self,
        version: int,
        group: str,
        generation: int,
        member_id: str,
        offsets: list[tuple],
        *topics: str,
        instance: str | None = None,
    ) -> None:
        asked = []
        for name in topics or ("t",):
            topic_id = self.topic_id if name == "t" else UNKNOWN_ID
            partitions = [OffsetCommitRequestPartition(*offset) for offset in offsets]
            by_id = version >= FIRST_OFFSET_VERSION_WITH_IDS
            asked.append(OffsetCommitRequestTopic("" if by_id else name, topic_id, partitions))
        self.ask("offset_commit", version, OffsetCommitRequest(group, generation, member_id, instance, -1, asked))

    def offsets(self) -> None:
        for version in range(2, 11):
            offsets = [(0, 10 + version, 3, "m"), (9, 1, -1, None), (-1, 1, -1, "")]
            for group, generation, member_id in (
                ("a", 1, self.member_id), ("a", 7, self.member_id), ("a", -1, ""), ("nope", 1, "x"),
                (f"simple{version}", -1, ""), (f"simple{version}", -1, "x"), (f"simple{version}", 0, ""), ("", -1, ""),
            ):  # fmt: skip
                self.commit(version, group, generation, member_id, offsets, "t", "unknown")
            self.commit(version, "a", 1, self.member_id, [(1, 1, -1, "x" * 5000)])
        for version in range(1, 8):
            for group in ("a", "nope", ""):
                topics = [OffsetFetchRequestTopic("t", [0, 1, 9]), OffsetFetchRequestTopic("unknown", [0])]
                self.ask("offset_fetch", version, OffsetFetchRequest(group, topics))
                if version >= 2:
                    self.ask("offset_fetch", version, OffsetFetchRequest(group, None))
        for version in range(8, 11):
            by_id = version >= FIRST_OFFSET_VERSION_WITH_IDS
            for group in ("a", "nope", ""):
                known = OffsetFetchRequestTopics("" if by_id else "t", self.topic_id, [0, 1, 9])
                unknown = OffsetFetchRequestTopics("" if by_id else "unknown", UNKNOWN_ID, [0])
                groups = [OffsetFetchRequestGroup(group, topics=[known, unknown])]
                groups.append(OffsetFetchRequestGroup("simple2", topics=None))
                if version >= 9:
                    groups[0].member_id, groups[0].member_epoch = "x", 77
                for stable in (True, False):
                    self.ask("offset_fetch", version, OffsetFetchRequest(groups=groups, require_stable=stable))

    def leaving_and_listing(self) -> None:
        for version in range(6):
            for group in ("nope", "a", ""):
                request = LeaveGroupRequest(group, "x")
                if version >= 3:
                    identities = [("x", None), ("", "i"), (self.member_id, "i")]
                    request = LeaveGroupRequest(group, members=[MemberIdentity(*identity) for identity in identities])
                self.ask("leave_group", version, request)
        self.ask("leave_group", 3, LeaveGroupRequest("a"))
        for version in range(6):
            states, types = (["stable"] if version >= 4 else []), (["CLASSIC"] if version >= 5 else [])
            self.ask("list_groups", version, ListGroupsRequest(states, types))
        for filters in ((["Stable", "bogus"], ["bogus"]), (["bogus"], []), ([], ["consumer"])):
            self.ask("list_groups", 5, ListGroupsRequest(*filters))
        for group in ("a", "nope", "", "simple3"):
            self.delete_offsets(group, ("t", (0, 9)), ("unknown", (0,)))
        self.delete_offsets("simple3")
        for version in range(3):
            self.ask("delete_groups", version, DeleteGroupsRequest([f"simple{version + 4}", "a", "nope", "v5"]))
        self.ask("join_group", 3, join("a", protocols=offers("sticky")))
        self.ask("join_group", 3, join("a", protocol_type="connect"))
        self.ask("join_group", 9, join("a", "nobody"))
        self.ask("join_group", 9, join("a", self.member_id, "instance"))
        self.ask("leave_group", 1, LeaveGroupRequest("a", self.member_id))
        self.ask("describe_groups", 6, DescribeGroupsRequest(["a"]))
        self.ask("join_group", 9, join("a", self.member_id))

    def delete_offsets(self, group: str, *topics: tuple[str, tuple[int, ...]]) -> None:
        asked = [
            OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(index) for index in indexes])
            for name, indexes in topics
        ]
        self.ask("offset_delete", 0, OffsetDeleteRequest(group, asked))

    def static_members(self) -> None:
        known = {"protocol_type": "consumer", "protocol_name": "range"}
        first = self.ask("join_group", 9, join("s", instance="i"), client="cl").member_id
        self.ask("sync_group", 5, sync("s", 1, first, "i", **known, assignments=assign(**{first: b"xx"})))
        self.ask("join_group", 9, join("s", instance="i", protocols=offers("range", metadata=b"other")), client="new")
        self.ask("describe_groups", 6, DescribeGroupsRequest(["s"]))
        self.ask("heartbeat", 4, HeartbeatRequest("s", 1, first, "i"))
        self.ask("join_group", 9, join("s", first, "i"))
        self.ask("sync_group", 5, sync("s", 1, first, "i", **known))
        self.commit(9, "s", 1, first, [(0, 1, -1, "")], instance="i")
        self.ask("leave_group", 5, LeaveGroupRequest("s", members=[MemberIdentity(first, "i")]))
        self.ask("join_group", 8, join("s", instance="i"))
        last = self.ask("join_group", 5, join("s", instance="i")).member_id
        self.ask("join_group", 9, join("s", instance="i", protocols=offers("other")))
        self.ask("describe_groups", 5, DescribeGroupsRequest(["s"]))
        self.delete_offsets("s", ("t", (0,)))
        self.ask("join_group", 9, join("s", last, "i"))
        twice = [MemberIdentity("", "i"), MemberIdentity("", "i")]
        self.ask("leave_group", 3, LeaveGroupRequest("s", members=twice))
        self.ask("join_group", 3, join("other", protocol_type="other"))
        self.delete_offsets("other", ("t", (0,)))
        self.ask("join_group", 9, join("empty instance", instance=""))
        self.ask("list_groups", 4, ListGroupsRequest())


def _ordered(stem: str, response: Message) -> Message:
    """Where Kafka keeps no order, the order of names."""
    for field in ("groups", "results"):
        if stem in UNORDERED and hasattr(response, field):
            setattr(response, field, sorted(getattr(response, field), key=lambda item: item.group_id))
    if stem in ("offset_commit", "offset_delete"):
        response.topics = sorted(response.topics, key=lambda topic: (topic.name, getattr(topic, "topic_id", b"")))
        for topic in response.topics:
            topic.partitions = sorted(topic.partitions, key=lambda partition: partition.partition_index)
    return response


def _brief(value: object) -> str:
    """Only what is not the default."""
    if isinstance(value, Message):
        default = type(value)()
        fields = ((name, getattr(value, name), getattr(default, name)) for name in type(value).__slots__)
        shown = [f"{name}={_brief(mine)}" for name, mine, other in fields if mine != other and (mine or other)]
        return f"{type(value).__name__}({', '.join(shown)})"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_brief(item) for item in value)}]"
    return f"<{len(value)} characters>" if isinstance(value, str) and len(value) > 250 else repr(value)


def record() -> None:
    """Have the conversation with Apache Kafka and write it down."""
    from compat_tests.apache_kafka import ApacheKafka

    kafka = ApacheKafka(config={"offsets.topic.num.partitions": "3"})
    kafka.start()
    try:
        host, port = kafka.bootstrap_servers.split(":")
        with socket.create_connection((host, int(port)), timeout=20) as connection, connection.makefile("rb") as stream:

            def exchange(frame: bytes) -> bytes:
                connection.sendall(struct.pack(">i", len(frame)) + frame)
                return stream.read(struct.unpack(">i", stream.read(4))[0])

            conversation = Conversation(exchange)
            conversation.have()
    finally:
        kafka.close()
    head = (
        f"# Apache Kafka {kafka.version}, {time.strftime('%Y-%m-%d')}; written by {__spec__.name if __spec__ else ''}"
    )
    GOLDEN.write_text("\n".join([head, *conversation.lines, ""]))


if __name__ == "__main__":
    record()
