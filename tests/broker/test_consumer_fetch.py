"""What fetches of sessions find: always what a reading of all partitions would, at the cost of those that moved."""

from __future__ import annotations

import gc
import random
import tracemalloc
from functools import partial

import pytest

from kafkacompat.broker import consumer_fetch
from kafkacompat.broker.fetch_response import UNKNOWN_TOPICS
from kafkacompat.broker.fetch_session import CachedPartition
from kafkacompat.broker.replicas.replica_manager import ReplicaManager
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import fetch
from kafkacompat.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, encode_end_transaction, encode_key
from kafkacompat.replication.partition import Partition
from kafkacompat.steps import UNITS_PER_ITERATION
from kafkacompat.storage.aborted import UNITS_PER_COMPARISON
from kafkacompat.storage.segments import Segments
from kafkacompat.storage.txn_index import UNITS_PER_BLOCK, SearchBudget
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF
from tests.broker.handlers.test_produce_fetch import batch, produce_request
from tests.broker.harness import BrokerHarness

FINAL, INITIAL = -1, 0
TOPICS, PARTITIONS = ("t", "u"), 4
A_BATCH = len(batch(b"value"))
SIZES = (1 << 20, 1 << 20, 2 * A_BATCH)


class Consumer:
    """A session, and beside it what Kafka's would say: it reads everything each time and leaves out what was told."""

    def __init__(self, broker: BrokerHarness, version: int) -> None:
        self.broker, self.version = broker, version
        self.by_id = version >= 13
        self.id, self.epoch = 0, INITIAL
        self.asked: dict[tuple[str, bytes, int], tuple[int, int]] = {}  # offset and size, in the order of the session
        self.told: dict[tuple[str, bytes, int], tuple[int, int]] = {}
        self.names: dict[bytes, str] = {}

    def spot(self, topic: str, index: int) -> tuple[str, bytes, int]:
        if not self.by_id:
            return topic, bytes(16), index
        found = self.broker.broker.image.topics.get(topic)
        if found is None:
            return "", b"x" * 16, index
        self.names[found.topic_id] = topic
        return "", found.topic_id, index

    def request(self, session_id: int, epoch: int, spots: list, forgotten: list = (), **more: int):
        topics = []
        for name, topic_id, index in spots:
            offset, max_bytes = self.asked[name, topic_id, index]
            entry = fetch.FetchPartition(index, -1, offset, partition_max_bytes=max_bytes)
            topics.append(fetch.FetchTopic(name, topic_id, [entry]))
        gone = [fetch.ForgottenTopic(name, topic_id, [index]) for name, topic_id, index in forgotten]
        return fetch.FetchRequest(
            max_wait_ms=more.get("wait", 0), min_bytes=1, max_bytes=more.get("most", 1 << 20), session_id=session_id,
            session_epoch=epoch, topics=topics, forgotten_topics_data=gone, isolation_level=more.get("isolation", 0),
        )  # fmt: skip

    def step(self, changes: dict, forgotten: list, **more: int) -> None:
        """Fetch on, and compare."""
        before = dict(self.asked)
        self.asked.update(changes)
        for spot in forgotten:
            self.asked.pop(spot, None)
            self.told.pop(spot, None)
        expected = self.expected(**more)
        if self.epoch == INITIAL:
            request = self.request(self.id, INITIAL, list(self.asked), **more)
        else:
            named = [spot for spot in changes if spot in self.asked]
            gone = [spot for spot in forgotten if spot in before]
            request = self.request(self.id, self.epoch, named, gone, **more)
        answer = self.broker.ask(request, self.version)
        assert answer.error_code == errors.NONE
        assert facts(answer) == expected
        self.id = answer.session_id
        self.epoch += 1

    def expected(self, **more: int) -> list:
        all_of_them = facts(self.broker.ask(self.request(0, FINAL, list(self.asked), **more), self.version))
        everything = self.as_known(all_of_them)
        found = []
        for spot, error, high_watermark, start, records in everything:
            has_changes = error or records or self.told.get(spot, (-1, -1)) != (high_watermark, start)
            self.told[spot] = (-1 if error else high_watermark, start)
            if has_changes or self.epoch == INITIAL:
                found.append((spot, error, high_watermark, start, records))
                if records and self.epoch != INITIAL:
                    self.asked[spot] = self.asked.pop(spot)
        if self.epoch == INITIAL:
            self.asked = {fact[0]: self.asked[fact[0]] for fact in everything}
        return found

    def as_known(self, everything: list) -> list:
        """As a session says it, which remembers the names of ids: in its order, what does not exist at the end."""
        by_spot = {fact[0]: fact for fact in everything}
        topics = self.broker.broker.image.topics
        for spot, error, *_ in everything:
            name = self.names.get(spot[1])
            if error == errors.UNKNOWN_TOPIC_ID and name is not None:
                code = errors.INCONSISTENT_TOPIC_ID if name in topics else errors.UNKNOWN_TOPIC_OR_PARTITION
                by_spot[spot] = (spot, code, *by_spot[spot][2:])
        return sorted((by_spot[spot] for spot in self.asked), key=lambda fact: UNKNOWN_TOPICS.get(fact[1], 0))


def facts(answer) -> list:
    return [
        ((topic.topic, topic.topic_id, data.partition_index), data.error_code, data.high_watermark,
         data.log_start_offset, bytes(data.records or b""))
        for topic in answer.responses
        for data in topic.partitions
    ]  # fmt: skip


def happen(rng: random.Random, broker: BrokerHarness) -> None:
    """Something that consumers may see, or not."""
    topic, index = rng.choice(TOPICS), rng.randrange(PARTITIONS)
    exists = topic in broker.broker.image.topics
    what = rng.random()
    if not exists:
        broker.create_topic(topic, PARTITIONS - rng.randrange(2))
    elif what < 0.6:
        broker.ask(produce_request((index, batch(*[b"value"] * rng.randint(1, 3))), topic=topic), 9)
    elif what < 0.9:
        gone = DeleteRecordsTopic(topic, [DeleteRecordsPartition(index, rng.choice((-1, 1, 2)))])
        broker.ask(DeleteRecordsRequest([gone], 1000), 2)
    else:
        broker.ask(DeleteTopicsRequest(topics=[DeleteTopicState(topic)], timeout_ms=1000), 6)


@pytest.mark.parametrize("version", [7, 12, 17])
@pytest.mark.parametrize("seed", range(4))
def test_a_session_says_what_reading_everything_would_say(version: int, seed: int) -> None:
    rng = random.Random(seed)
    broker = BrokerHarness()
    for topic in TOPICS:
        broker.create_topic(topic, PARTITIONS)
    consumer = Consumer(broker, version)
    changes = {consumer.spot(topic, index): (0, SIZES[0]) for topic in TOPICS for index in range(PARTITIONS - 1)}
    consumer.step(changes, [])
    for _ in range(100):
        for _ in range(rng.choice((0, 0, 1, 3))):
            happen(rng, broker)
        changes, forgotten = {}, []
        for spot, (offset, _) in list(consumer.asked.items()):
            if rng.random() < 0.3:
                end = consumer.told.get(spot, (0, 0))[0]
                goes_to = max(0, end) if rng.random() < 0.8 else rng.choice((0, offset, end + 1))
                changes[spot] = goes_to, rng.choice(SIZES)
            elif rng.random() < 0.05 and len(consumer.asked) > 2:
                forgotten.append(spot)
        if rng.random() < 0.2:
            changes[consumer.spot(rng.choice(TOPICS), rng.randrange(PARTITIONS))] = 0, SIZES[0]
        consumer.step(changes, forgotten, most=rng.choice(SIZES), isolation=rng.choice((0, 0, 0, 1)))
    broker.close()


class Counted:
    """How many partitions fetches looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.looks = 0
        find = ReplicaManager.find

        def counting(*args):
            self.looks += 1
            return find(*args)

        monkeypatch.setattr(ReplicaManager, "find", counting)

    def during(self, act) -> int:
        before = self.looks
        act()
        return self.looks - before


MANY = 300


def of_many(broker: BrokerHarness, session_id: int, epoch: int, *indexes: int, offset: int = 0, **more: int):
    asked = [fetch.FetchPartition(index, -1, offset, partition_max_bytes=1 << 20) for index in indexes]
    topics = [fetch.FetchTopic("", broker.view.topics()["many"], asked)] if asked else ()
    defaults = {"max_wait_ms": 0, "min_bytes": 1}
    return fetch.FetchRequest(session_id=session_id, session_epoch=epoch, topics=topics, **{**defaults, **more})


@pytest.fixture
def broker() -> BrokerHarness:
    broker = BrokerHarness()
    broker.create_topic("many", MANY)
    return broker


def produce(broker: BrokerHarness, *indexes: int) -> None:
    for index in indexes:
        broker.ask(produce_request((index, batch(b"value")), topic="many"), 9)


def test_a_fetch_costs_what_moved(broker: BrokerHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(monkeypatch)
    made = broker.ask(of_many(broker, 0, INITIAL, *range(MANY)), 17)
    assert counted.looks == MANY
    assert counted.during(lambda: broker.ask(of_many(broker, made.session_id, 1), 17)) == 0
    produce(broker, 7, 9)
    found = []
    assert counted.during(lambda: found.append(broker.ask(of_many(broker, made.session_id, 2), 17))) == 2
    assert [spot[2] for spot, *_ in facts(found[0])] == [7, 9]
    # until the client says that it has them
    assert counted.during(lambda: broker.ask(of_many(broker, made.session_id, 3, 7, offset=1), 17)) == 2
    assert counted.during(lambda: broker.ask(of_many(broker, made.session_id, 4, 9, offset=1), 17)) == 1
    assert counted.during(lambda: broker.ask(of_many(broker, made.session_id, 5), 17)) == 0


def test_a_fetch_that_waits_looks_at_what_moves(broker: BrokerHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    made = broker.ask(of_many(broker, 0, INITIAL, *range(MANY)), 17)
    counted = Counted(monkeypatch)
    waiting = broker.begin(of_many(broker, made.session_id, 1, max_wait_ms=500), 17)
    assert not waiting.is_there
    assert counted.looks == 0
    assert counted.during(lambda: produce(broker, 3)) <= 2  # the produce and the fetch
    assert [spot[2] for spot, *_ in facts(waiting.message)] == [3]


@pytest.mark.parametrize("epoch", [FINAL, INITIAL])
def test_a_first_fetch_that_waits_does_not_look_at_all_again(
    broker: BrokerHarness, monkeypatch: pytest.MonkeyPatch, epoch: int
) -> None:
    counted = Counted(monkeypatch)
    waiting = broker.begin(of_many(broker, 0, epoch, *range(MANY), max_wait_ms=500, min_bytes=3 * A_BATCH), 17)
    assert counted.looks == MANY
    for index in (5, 3):
        assert counted.during(partial(produce, broker, index)) <= 3
        assert not waiting.is_there
    assert counted.during(lambda: produce(broker, 3)) <= 3
    told = facts(waiting.message)
    assert [spot[2] for spot, *_ in told] == list(range(MANY))
    assert [spot[2] for spot, _, _, _, records in told if records] == [3, 5]


@pytest.mark.parametrize("by", ["its deadline", "disconnection", "records"])
def test_a_fetch_without_a_session_leaves_nothing_behind(broker: BrokerHarness, by: str) -> None:
    watch = broker.broker.fetch_sessions.watch
    broker.begin(of_many(broker, 0, FINAL, *range(MANY), max_wait_ms=500), 17)
    assert len(watch) == MANY
    if by == "its deadline":
        broker.advance(500)
    elif by == "disconnection":
        broker.broker.disconnected(broker.connection, broker.now)
    else:
        produce(broker, 5)
    assert len(watch) == 0
    assert broker.view.waiting_count == 0


@pytest.mark.parametrize("by", ["its deadline", "disconnection", "records"])
def test_a_fetch_whose_session_has_ended_leaves_nothing_behind(broker: BrokerHarness, by: str) -> None:
    connection = broker.connect()
    broker.begin(of_many(broker, 0, INITIAL, *range(MANY), max_wait_ms=500, min_bytes=2 * A_BATCH), 17, connection)
    (session,) = broker.view.fetch_sessions()
    broker.ask(of_many(broker, session.id, FINAL), 17)  # of a client that has made another connection
    produce(broker, 3)
    if by == "its deadline":
        broker.advance(500)
    elif by == "disconnection":
        broker.broker.disconnected(connection, broker.now)
    else:
        produce(broker, 3)
    assert len(broker.broker.fetch_sessions.watch) == 0
    assert broker.view.waiting_count == 0


def test_what_did_not_exist_is_read_after_the_others(broker: BrokerHarness) -> None:
    def request(session_id: int, epoch: int, *names: str):
        asked = [fetch.FetchPartition(0, partition_max_bytes=1 << 20)]
        topics = [fetch.FetchTopic(name, partitions=asked) for name in names]
        return fetch.FetchRequest(session_id=session_id, session_epoch=epoch, topics=topics, max_bytes=A_BATCH)

    made = broker.ask(request(0, INITIAL, "later", "many"), 12)
    broker.create_topic("later")
    for name in ("later", "many"):
        broker.ask(produce_request((0, batch(b"value")), topic=name), 9)
    told = facts(broker.ask(request(made.session_id, 1), 12))
    assert [(spot[0], len(records)) for spot, _, _, _, records in told] == [("many", A_BATCH), ("later", 0)]


def test_a_session_that_nobody_uses_costs_a_partition_one_step(broker: BrokerHarness) -> None:
    broker.ask(of_many(broker, 0, INITIAL, *range(MANY)), 17)
    watch = broker.broker.fetch_sessions.watch
    assert len(watch) == MANY
    produce(broker, 1, 1, 1)
    assert len(watch) == MANY - 1


def test_a_fetch_that_a_later_one_overtook_is_told(broker: BrokerHarness) -> None:
    made = broker.ask(of_many(broker, 0, INITIAL, 0), 17)
    waiting = broker.begin(of_many(broker, made.session_id, 1, max_wait_ms=500), 17, broker.connect())
    broker.ask(of_many(broker, made.session_id, 2), 17, broker.connect())
    produce(broker, 0)
    assert (waiting.message.error_code, waiting.message.session_id) == (
        errors.INVALID_FETCH_SESSION_EPOCH, made.session_id,
    )  # fmt: skip


def test_a_partition_of_a_session_takes_less_than_a_kilobyte(broker: BrokerHarness) -> None:
    broker.ask(of_many(broker, 0, INITIAL, *range(10)), 17)  # what is imported and kept once
    tracemalloc.start()
    try:
        broker.ask(of_many(broker, 0, INITIAL, *range(MANY)), 17)
        size_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size_bytes < 1024 * MANY


@pytest.mark.parametrize("wait_ms", [0, 500])
def test_what_a_fetch_makes_is_freed_at_once(broker: BrokerHarness, wait_ms: int) -> None:
    """Without a session and at a session's end: what refers to itself would be left to the garbage collector."""

    def wanted() -> int:
        return sum(type(each) is CachedPartition for each in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = wanted()
        broker.begin(of_many(broker, 0, FINAL, *range(MANY), max_wait_ms=wait_ms), 17)
        produce(broker, 3)
        made = broker.ask(of_many(broker, 0, INITIAL, *range(MANY)), 17)
        broker.ask(of_many(broker, made.session_id, FINAL), 17)
        assert wanted() == before
    finally:
        gc.enable()


def abort(kafka: BrokerHarness, partition: Partition, count: int) -> None:
    """Write transactions of a record each, all aborted."""
    for number in range(count):
        record = [Record(0, kafka.now.wall_ms, None, b"v")]
        data = build_batch(record, producer_id=7, producer_epoch=0, base_sequence=number, is_transactional=True)
        partition.log.append_as_leader(memoryview(data), leader_epoch=0, now=kafka.now, guard=VERIFICATION_IS_OFF)
        marker = [Record(0, kafka.now.wall_ms, encode_key(ABORT), encode_end_transaction(0))]
        data = build_batch(marker, producer_id=7, producer_epoch=0, is_transactional=True, is_control=True)
        kafka.broker.partitions.append(partition, memoryview(data), 1, kafka.now, internal=True)
        kafka.settle()


def committed(*indexes: int) -> fetch.FetchRequest:
    """A fetch of committed records from the beginning of these partitions of `t`, which is answered at once."""
    wanted = [fetch.FetchPartition(index, partition_max_bytes=1 << 20) for index in indexes]
    return fetch.FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=1 << 20,
        isolation_level=1,
        topics=[fetch.FetchTopic("t", partitions=wanted)],
    )


def test_the_searches_of_a_fetch_share_what_they_may_read(monkeypatch):
    monkeypatch.setattr(SearchBudget.__init__, "__defaults__", (2 * UNITS_PER_BLOCK,))
    kafka = BrokerHarness()
    kafka.create_topic("t", 5)
    for index in range(5):
        abort(kafka, kafka.broker.partitions.get("t", index), 2)
    known = []
    while not known or known[-1] < 5:
        found = kafka.ask(committed(*range(5)), 12).responses[0].partitions
        known.append(sum(each.error_code == errors.NONE for each in found))
        assert all(len(each.aborted_transactions) == 2 for each in found if each.error_code == errors.NONE)
        assert {each.error_code for each in found} <= {errors.NONE, errors.KAFKA_STORAGE_ERROR}
    assert known == [2, 4, 5]


def test_a_fetch_that_waits_may_search_at_each_move(monkeypatch):
    """Else what it may no longer search had an error, for which it would read all that is due."""
    monkeypatch.setattr(SearchBudget.__init__, "__defaults__", (2 * UNITS_PER_BLOCK,))
    monkeypatch.setattr(consumer_fetch, "READ_AGAIN_MAX", 0)
    read, serve = [], consumer_fetch.serve_consumer
    monkeypatch.setattr(consumer_fetch, "serve_consumer", lambda *args, **more: read.append(1) or serve(*args, **more))
    kafka = BrokerHarness()
    kafka.create_topic("t", 5)
    request = committed(*range(5))
    request.max_wait_ms, request.min_bytes, request.session_epoch = 60_000, 1 << 20, INITIAL
    answer = kafka.begin(request, 12)
    for index in range(5):
        read.clear()
        abort(kafka, kafka.broker.partitions.get("t", index), 2)
        assert len(read) == 2  # one partition at each marker
        assert not answer.is_there
    kafka.advance(60_000)
    found = answer.message.responses[0].partitions
    assert [(each.error_code, len(each.aborted_transactions)) for each in found] == [(errors.NONE, 2)] * 5


def test_a_fetch_that_is_read_in_turns_may_search_in_each(monkeypatch):
    monkeypatch.setattr(SearchBudget.__init__, "__defaults__", (2 * UNITS_PER_BLOCK,))
    monkeypatch.setattr(consumer_fetch, "PARTITIONS_AT_ONCE_MAX", 2)
    kafka = BrokerHarness()
    kafka.create_topic("t", 5)
    for index in range(5):
        abort(kafka, kafka.broker.partitions.get("t", index), 2)
    answer = kafka.begin(committed(*range(5)), 12)
    while not answer.is_there:
        kafka.advance(0)
    found = answer.message.responses[0].partitions
    assert [(each.error_code, len(each.aborted_transactions)) for each in found] == [(errors.NONE, 2)] * 5


def test_a_damaged_index_of_aborted_transactions_is_built_anew_between_other_events(monkeypatch):
    kafka = BrokerHarness()
    kafka.create_topic("t", 1)
    partition = kafka.broker.partitions.get("t", 0)
    abort(kafka, partition, 100)
    segment = partition.log.segments.all[0]
    segment.txn_index.flush()
    kafka.fs.write_atomic(segment.txn_index.path, b"damage", sync=True)
    segment._txn_index = None  # as after a start
    monkeypatch.setattr(SearchBudget.__init__, "__defaults__", (30,))
    found = kafka.ask(committed(0), 12).responses[0].partitions[0]
    assert found.error_code == errors.KAFKA_STORAGE_ERROR
    for _ in range(10):
        kafka.advance(0)
    assert len(segment.txn_index.entries()) == 100
    found = kafka.ask(committed(0), 12).responses[0].partitions[0]
    assert found.error_code == errors.NONE
    assert len(found.aborted_transactions) == 100


def test_the_comparisons_of_a_fetch_share_what_they_may_read(monkeypatch):
    kafka = BrokerHarness()
    kafka.create_topic("t", 4)
    for index in range(4):
        partition = kafka.broker.partitions.get("t", index)
        abort(kafka, partition, 40)
        partition.log.segments.aborted._compared.clear()  # as after a start
    looked, header_at = [], Segments.header_at
    monkeypatch.setattr(Segments, "header_at", lambda *asked: looked.append(asked) or header_at(*asked))
    most = 2 * (UNITS_PER_ITERATION // UNITS_PER_COMPARISON + 1)
    known, turns = 0, 0
    while known < 4:
        looked.clear()
        found = kafka.ask(committed(*range(4)), 12).responses[0].partitions
        assert len(looked) <= most
        known = sum(each.error_code == errors.NONE for each in found)
        assert all(len(each.aborted_transactions) == 40 for each in found if each.error_code == errors.NONE)
        turns += 1
    assert turns > 2
