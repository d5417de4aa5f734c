"""What a client in another language has to do on a broker: the tests that all of them share.

A client's test module has a class that inherits from ClientContract, names its own errors and says what the client
lacks. Its program knows four verbs, `produce`, `consume`, `group` and `admin`; `verbs.py` has their arguments and
answers. Some know `steady` as well, for `benchmarks/stock_clients.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import pytest

from compat_tests.api import topics
from compat_tests.api.raw import RawClient
from compat_tests.broker_process import Broker
from compat_tests.clients.program import Answer, Program
from compat_tests.clients.samples import (
    EDGE_SAMPLES,
    MEGABYTE,
    RETURN_WAIT_S,
    STATIC_SESSION_MS,
    Sample,
    eventually,
    incompressible,
    java_partition,
    numbered,
)
from compat_tests.clients.verbs import Client, record, settle
from kafkacompat.protocol.records.batch import split

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
"""In the order of their numbers in a batch's attributes."""
NOON_MS = 1_700_000_000_000
Test = TypeVar("Test", bound=Callable[..., None])
Trouble = Callable[[Client, str, str, str], str]

ACTIONS = frozenset({
    "create_topic", "delete_topic", "create_partitions", "describe_topic", "list_topics", "describe_configs",
    "alter_configs", "list_offsets", "delete_records", "list_groups", "describe_group", "committed", "delete_group",
    "describe_cluster",
})  # fmt: skip
FEATURES = frozenset({
    "validate_only", "acks=0", "idempotence", "murmur2", "groups", "static members", "offsets by time",
})  # fmt: skip


def needs(*names: str) -> Callable[[Test], Test]:
    """A test that a client without one of these actions or features does not have."""

    def mark(test: Test) -> Test:
        test.needs = names  # type: ignore[attr-defined]
        return test

    return mark


def _full(test: Test) -> Test:
    """The test of one client, which leaves that of the others as it is."""

    @functools.wraps(test)
    def not_every_day(*args: Any, **kwargs: Any) -> None:
        test(*args, **kwargs)

    marked: Test = pytest.mark.full(not_every_day)
    return marked


# Each trouble is made with (client, topic, group, assignor); the topic exists and is empty, and the group does not.


def _record_too_large(client: Client, topic: str, group: str, assignor: str) -> str:
    (answer,) = client.produce(topic, [record(Sample(None, incompressible(5000)))])
    return str(answer["error"])


def _session_too_short(client: Client, topic: str, group: str, assignor: str) -> str:
    with client.member(group, [topic], assignor, session_timeout_ms=100) as hasty:
        return hasty.error()


def _group_in_use(client: Client, topic: str, group: str, assignor: str) -> str:
    with client.member(group, [topic], assignor) as member:
        member.wait(lambda: bool(member.owned))
        error = client.admin_error("delete_group", group=group)
        member.leave()
    return error


def _fenced_instance(client: Client, topic: str, group: str, assignor: str) -> str:
    with client.member(group, [topic], assignor, "the-same") as first:
        first.wait(lambda: bool(first.owned))
        with client.member(group, [topic], assignor, "the-same"):
            return first.error()


TROUBLES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], Trouble]] = {
    # name: the APIs it is about, what the client needs for it, how it is made
    "topic exists": (
        ("CreateTopics",), ("create_topic",),
        lambda client, topic, *_: client.admin_error("create_topic", topic=topic, partitions=1, configs={}),
    ),
    "invalid topic name": (
        ("CreateTopics",), ("create_topic",),
        lambda client, *_: client.admin_error("create_topic", topic="with space", partitions=1, configs={}),
    ),
    "invalid config": (
        ("CreateTopics",), ("create_topic",),
        lambda client, topic, *_: client.admin_error(
            "create_topic", topic=topic + "-more", partitions=1, configs={"retention.ms": "soon"}
        ),
    ),
    "unknown topic": (
        ("DeleteTopics",), ("delete_topic",),
        lambda client, topic, *_: client.admin_error("delete_topic", topic=topic + "-unknown"),
    ),
    "fewer partitions": (
        ("CreatePartitions",), ("create_partitions",),
        lambda client, topic, *_: client.admin_error("create_partitions", topic=topic, total=1),
    ),
    "record too large": (("Produce",), (), _record_too_large),
    "offset out of range": (("Fetch",), (), lambda client, topic, *_: client.consume_error(topic, 100)),
    "delete beyond the end": (
        ("DeleteRecords",), ("delete_records",),
        lambda client, topic, *_: client.admin_error("delete_records", topic=topic, partition=0, before=100),
    ),
    "unknown group": (
        ("DeleteGroups",), ("delete_group",),
        lambda client, topic, group, _: client.admin_error("delete_group", group=group),
    ),
    "group in use": (("DeleteGroups",), ("groups", "delete_group"), _group_in_use),
    "session too short": (("JoinGroup",), ("groups",), _session_too_short),
    "fenced instance": (("JoinGroup",), ("groups", "static members"), _fenced_instance),
}  # fmt: skip


class ClientContract:
    """Inherit from it, with a class named `Test...` and a fixture `program`."""

    codecs: Sequence[str] = CODECS
    acks: Sequence[int] = (0, 1, -1)
    assignors: Sequence[str] = ("range",)
    """The first one is taken where it does not matter; those between the first and the last are for the full form."""
    samples: Sequence[Sample] = EDGE_SAMPLES
    error_names: Mapping[str, str] = {}
    """How the client calls each of TROUBLES: what its users see."""
    without: Mapping[str, str] = {}
    """What the client lacks of ACTIONS, FEATURES and TROUBLES, and why that is so."""
    apis: Mapping[str, Sequence[str]] = {}
    """Other APIs that one of TROUBLES is about, where the client finds it out in another way."""
    everyday: Collection[str] | None = None
    """The tests of a client that takes long which run every day, by name; the others are marked `full`."""

    def __init_subclass__(cls) -> None:
        unknown = cls.without.keys() - ACTIONS - FEATURES - TROUBLES.keys()
        assert not unknown, f"{cls.__name__} is without {sorted(unknown)}, which nobody asked for"
        for name in dir(cls):
            test = getattr(cls, name)
            if not cls.without.keys().isdisjoint(getattr(test, "needs", ())):
                setattr(cls, name, None)
            elif name.startswith("test_") and test and cls.everyday is not None and name not in cls.everyday:
                setattr(cls, name, _full(test))
        if ACTIONS.isdisjoint(cls.without):
            cls.test_what_it_lacks_it_says = None  # type: ignore[method-assign]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One test for each assignor, trouble and lacking action of this client."""
        lacking = self.without.keys()
        if "assignor" in metafunc.fixturenames:
            metafunc.parametrize("assignor", [
                pytest.param(name, marks=[pytest.mark.full] if 0 < n < len(self.assignors) - 1 else [])
                for n, name in enumerate(self.assignors)
            ])  # fmt: skip
        if "trouble" in metafunc.fixturenames:
            metafunc.parametrize("trouble", [
                pytest.param(name, marks=pytest.mark.api(*self.apis.get(name, apis)))
                for name, (apis, needed, _) in TROUBLES.items()
                if name not in lacking and lacking.isdisjoint(needed)
            ])  # fmt: skip

    @pytest.fixture
    def client(self, program: Program, broker: Broker) -> Client:
        return Client(program, broker.bootstrap_servers)

    @pytest.fixture
    def new_topic(self, broker: Broker, topic: str) -> Callable[..., str]:
        """`new_topic(partitions, retention_ms="1")` makes the test's topic and returns its name."""

        def make(partitions: int = 1, **configs: str) -> str:
            with RawClient(broker.bootstrap_servers) as raw:
                topics.create(raw, topic, partitions, **configs)
            return topic

        return make

    # records

    @pytest.mark.api("Produce", "Fetch")
    def test_records_come_back_as_they_were_with_every_codec(
        self, client: Client, broker: Broker, new_topic: Any
    ) -> None:
        topic = new_topic(len(self.codecs))
        samples = [*self.samples, *[Sample(None, b"compressible " * 100)] * 10]
        for partition, codec in enumerate(self.codecs):
            wanted = [record(sample, partition, NOON_MS + n) for n, sample in enumerate(samples)]
            answers = client.produce(topic, wanted, compression=codec)
            assert answers == [{"partition": partition, "offset": n} for n in range(len(wanted))], codec
            used = codecs_of(broker, topic, partition)
            assert codec in used <= {codec, "none"}, f"{codec} was asked for, {used} used"
        found = client.consume(topic, len(self.codecs) * len(samples), partitions=len(self.codecs))
        for partition, codec in enumerate(self.codecs):
            mine = [one for one in found if one.partition == partition]
            assert [one.sample for one in mine] == samples, codec
            assert [one.offset for one in mine] == list(range(len(samples))), codec
            assert [one.timestamp_ms - NOON_MS for one in mine] == list(range(len(samples))), codec

    @pytest.mark.api("Produce", "Fetch")
    def test_each_kind_of_acks(self, client: Client, new_topic: Any) -> None:
        topic = new_topic(len(self.acks))
        values = numbered(20)
        for partition, acks in enumerate(self.acks):
            offsets = client.send(topic, values, partition, acks=acks)
            assert offsets == (list(range(20)) if acks else [-1] * 20)
        found = client.consume(topic, 20 * len(self.acks), partitions=len(self.acks))
        for partition in range(len(self.acks)):
            assert [one.sample.value for one in found if one.partition == partition] == values

    @pytest.mark.api("InitProducerId", "Produce")
    @needs("idempotence")
    def test_idempotent(self, client: Client, new_topic: Any) -> None:
        topic = new_topic()
        assert client.send(topic, numbered(500), idempotent=True) == list(range(500))
        assert client.send(topic, numbered(3), idempotent=True) == [500, 501, 502]
        assert [one.sample.value for one in client.consume(topic, 503)] == [*numbered(500), *numbered(3)]

    @pytest.mark.api("Produce", "Metadata")
    @needs("murmur2")
    def test_keys_land_where_java_puts_them(self, client: Client, new_topic: Any) -> None:
        topic = new_topic(5)
        keys = [b"", b"a", b"ab", b"abc", b"\xff\xfe\xfd\xfc", *numbered(40, "key")]
        answers = client.produce(topic, [record(Sample(key, b"v"), None) for key in keys])
        assert [answer["partition"] for answer in answers] == [java_partition(key, 5) for key in keys]

    @pytest.mark.api("Produce", "Fetch")
    def test_a_megabyte(self, client: Client, new_topic: Any) -> None:
        topic, value = new_topic(), incompressible(MEGABYTE)
        assert client.send(topic, [value, b"small"]) == [0, 1]
        assert [one.sample.value for one in client.consume(topic, 2)] == [value, b"small"]

    @pytest.mark.api("Fetch", "ListOffsets")
    def test_consume_from_the_start_the_middle_and_the_end(self, client: Client, new_topic: Any) -> None:
        topic = new_topic()
        client.send(topic, numbered(30))
        assert [one.offset for one in client.consume(topic, 30, "earliest")] == list(range(30))
        assert [one.sample.value for one in client.consume(topic, 13, 17)] == numbered(30)[17:]
        with client.consuming(topic, 1, "latest") as running:
            first = None
            while first is None:
                assert client.send(topic, [b"new"])[0] < 100, "the consumer at the end sees nothing new"
                first = running.take(0.3)
            assert first["offset"] >= 30
            assert running.finish() == [{"done": 1}]

    # groups

    @pytest.mark.api("FindCoordinator", "JoinGroup", "SyncGroup", "OffsetCommit", "OffsetFetch")
    @needs("groups")
    def test_a_group_goes_on_where_it_committed(
        self, client: Client, new_topic: Any, group: str, assignor: str
    ) -> None:
        topic = new_topic(2)
        client.send(topic, numbered(10, "first"), 0)
        with client.member(group, [topic], assignor) as member:
            member.wait(lambda: len(member.records) == 10)
            assert member.owned == {(topic, 0), (topic, 1)}
            assert member.records == [((topic, 0), n, value) for n, value in enumerate(numbered(10, "first"))]
            member.commit()
            member.leave()
        client.send(topic, numbered(5, "second"), 0)
        client.send(topic, numbered(5, "other"), 1)
        with client.member(group, [topic], assignor) as member:
            member.wait(lambda: len(member.records) >= 10)
            assert sorted(map(bytes, filter(None, member.values))) == numbered(5, "other") + numbered(5, "second")
            member.leave()

    @pytest.mark.api("JoinGroup", "SyncGroup", "Heartbeat", "LeaveGroup")
    @needs("groups")
    def test_a_second_member_comes_and_goes(self, client: Client, new_topic: Any, group: str, assignor: str) -> None:
        topic = new_topic(4)
        with client.member(group, [topic], assignor) as first:
            first.wait(lambda: len(first.owned) == 4)
            with client.member(group, [topic], assignor) as second:
                settle([first, second], 4)
                assert len(first.owned) == len(second.owned) == 2
                for partition in range(4):
                    client.send(topic, [b"%d" % partition], partition)
                for member in (first, second):
                    member.wait(lambda member=member: len(member.records) >= 2)  # type: ignore[misc]
                    assert {part for part, _, _ in member.records} == member.owned
                second.leave()
            first.wait(lambda: len(first.owned) == 4)
            first.leave()

    @pytest.mark.api("JoinGroup", "SyncGroup")
    @needs("groups", "static members")
    def test_a_static_member_comes_back(self, client: Client, new_topic: Any, group: str, assignor: str) -> None:
        topic = new_topic(4)
        join = functools.partial(client.member, group, [topic], assignor, session_timeout_ms=STATIC_SESSION_MS)
        with join("two") as other:
            with join("one") as member:
                settle([member, other], 4)
                owned, changes = member.owned, other.changes
                member.leave()
            with join("one") as again:
                again.wait(lambda: again.owned == owned, RETURN_WAIT_S)
                other.look()
                assert other.changes == changes
                again.leave()

    # admin

    @pytest.mark.api("CreateTopics", "Metadata")
    @needs("create_topic", "describe_topic")
    def test_create_and_describe_a_topic(self, client: Client, topic: str) -> None:
        wanted = {"topic": topic, "partitions": 3, "configs": {"retention.ms": "1234567"}}
        if "validate_only" not in self.without:
            client.admin("create_topic", **wanted, validate_only=True)
            if "list_topics" not in self.without:
                assert topic not in client.admin("list_topics")["topics"]
        client.admin("create_topic", **wanted)
        found = _described(client, topic, 3)
        assert [part["partition"] for part in found] == [0, 1, 2]
        assert all(part["replicas"] == part["isr"] == [part["leader"]] for part in found)
        if "list_topics" not in self.without:
            assert topic in client.admin("list_topics")["topics"]

    @pytest.mark.api("CreatePartitions")
    @needs("create_partitions")
    def test_more_partitions(self, client: Client, new_topic: Any) -> None:
        topic = new_topic()
        client.admin("create_partitions", topic=topic, total=3)
        if "describe_topic" not in self.without:
            _described(client, topic, 3)

    @pytest.mark.api("DeleteTopics")
    @needs("delete_topic", "list_topics")
    def test_delete_a_topic(self, client: Client, new_topic: Any) -> None:
        topic = new_topic()
        client.admin("delete_topic", topic=topic)
        eventually(lambda: topic not in client.admin("list_topics")["topics"])

    @pytest.mark.api("DescribeConfigs")
    @needs("describe_configs", "alter_configs")
    def test_configs(self, client: Client, new_topic: Any) -> None:
        topic = new_topic(retention_ms="1000000")
        before = client.admin("describe_configs", topic=topic)["configs"]
        assert (before["retention.ms"], before["cleanup.policy"]) == ("1000000", "delete")
        client.admin("alter_configs", topic=topic, set={"retention.ms": "2000000", "segment.bytes": "1048576"})
        eventually(lambda: client.admin("describe_configs", topic=topic)["configs"]["retention.ms"] == "2000000")
        after = client.admin("describe_configs", topic=topic)["configs"]
        changed = {name: value for name, value in after.items() if before[name] != value}
        assert changed == {"retention.ms": "2000000", "segment.bytes": "1048576"}

    @pytest.mark.api("ListOffsets")
    @needs("list_offsets")
    def test_list_offsets(self, client: Client, new_topic: Any) -> None:
        topic = new_topic()
        client.produce(topic, [record(Sample(None, b"v"), 0, NOON_MS + 10 * n) for n in range(10)])

        def offset(at: str | int) -> int:
            return int(client.admin("list_offsets", topic=topic, partition=0, at=at)["offset"])

        assert (offset("earliest"), offset("latest")) == (0, 10)
        if "offsets by time" not in self.without:
            assert (offset(NOON_MS), offset(NOON_MS + 55)) == (0, 6)

    @pytest.mark.api("DeleteRecords")
    @needs("delete_records")
    def test_delete_records(self, client: Client, new_topic: Any) -> None:
        topic = new_topic()
        client.send(topic, numbered(10))
        assert client.admin("delete_records", topic=topic, partition=0, before=4)["low_watermark"] == 4
        assert [one.offset for one in client.consume(topic, 6)] == [4, 5, 6, 7, 8, 9]

    @pytest.mark.api("ListGroups", "DescribeGroups", "OffsetFetch", "DeleteGroups")
    @needs("groups", "list_groups", "describe_group", "committed", "delete_group")
    def test_groups_are_listed_described_and_deleted(self, client: Client, new_topic: Any, group: str) -> None:
        topic = new_topic(2)
        client.send(topic, numbered(5), 1)
        with client.member(group, [topic], self.assignors[0]) as member:
            member.wait(lambda: len(member.records) == 5)
            member.commit()
            found = client.admin("describe_group", group=group)
            assert (found["state"], len(found["members"])) == ("Stable", 1)
            member.leave()
        assert group in client.admin("list_groups")["groups"]
        assert client.admin("committed", group=group)["offsets"][f"{topic}:1"] == 5
        eventually(lambda: client.admin("describe_group", group=group)["state"] == "Empty")
        client.admin("delete_group", group=group)
        assert group not in client.admin("list_groups")["groups"]

    @pytest.mark.api("Metadata")
    @needs("describe_cluster")
    def test_the_cluster(self, client: Client, broker: Broker) -> None:
        found = client.admin("describe_cluster")
        assert len(found["brokers"]) == len(broker.bootstrap_servers.split(","))
        assert found["cluster_id"]

    # what goes wrong

    def test_errors_are_the_clients_own(self, client: Client, new_topic: Any, group: str, trouble: str) -> None:
        _, _, make = TROUBLES[trouble]
        topic = new_topic(2, max_message_bytes="2000")
        assert make(client, topic, group, self.assignors[0]) == self.error_names[trouble]

    @pytest.mark.api("Produce")
    def test_what_it_lacks_it_says(self, client: Client, new_topic: Any) -> None:
        assert client.send(new_topic(), [b"it does talk to the broker"]) == [0]
        lacking = sorted(ACTIONS & self.without.keys())
        assert [client.ask(action) for action in lacking] == [{"unsupported": True}] * len(lacking), lacking


def codecs_of(broker: Broker, topic: str, partition: int) -> set[str]:
    """The codecs of a partition's batches: a client may leave one that does not become smaller as it is."""
    with RawClient(broker.bootstrap_servers) as raw:
        return {CODECS[header.compression] for _, header in split(topics.stored(raw, topic, partition))}


def _described(client: Client, topic: str, partitions: int) -> list[Answer]:
    """A topic's partitions, once it has so many that are led."""
    found: list[Answer] = []

    def ready() -> bool:
        answer = client.ask("describe_topic", topic=topic)
        found[:] = sorted(answer.get("partitions", ()), key=lambda part: part["partition"])
        return len(found) == partitions and all(part["leader"] >= 0 for part in found)

    eventually(ready)
    return found
