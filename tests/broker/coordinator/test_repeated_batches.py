"""A batch with the keys of an earlier one supersedes it undecoded; what is left is what all records in order leave."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.broker.coordinator import repeated_batches
from kafkacompat.broker.coordinator.loading import KEPT_BYTES, LatestRecords
from kafkacompat.broker.coordinator.plain_records import plain_content, plain_records
from kafkacompat.broker.coordinator.repeated_batches import PATIENCE, RECORD_BYTES, REST, RepeatedBatches
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.protocol.records.builder import Record, build_batch

START_MS = 1_700_000_000_000
KEYS = st.sampled_from([b"a", b"b", b"bb", b"", b"abc"])
VALUES = st.none() | st.binary(max_size=4)
BATCHES = st.lists(st.lists(st.tuples(KEYS, VALUES), min_size=1, max_size=4), max_size=30)
Pairs = Sequence[tuple[bytes, bytes | None]]


class Log:
    """What is read of a log: `latest` by way of repeated batches, `expected` without them."""

    def __init__(self) -> None:
        self.repeated = RepeatedBatches()
        self.latest, self.expected = LatestRecords(), LatestRecords()
        self.offset = 0
        self.kept_bytes = KEPT_BYTES

    def read(self, pairs: Pairs, gap: int = 0) -> bool:
        """Read a batch; whether it superseded another one. `gap`: offsets that compaction left free at its end."""
        records = [
            Record(self.offset + at, START_MS + at, key, value) for at, (key, value) in enumerate(pairs)
        ]  # fmt: skip
        batch = build_batch(records, base_offset=self.offset)
        batch[23:27] = (len(pairs) - 1 + gap).to_bytes(4, "big")
        header = read_header(batch, 0)
        content = plain_content(bytes(batch), 0, header)
        assert content is not None
        values: list[int] = []
        found = plain_records(content, header, values)
        assert found is not None
        self.expected.keep_all(found)
        self.offset += len(pairs) + gap
        if self.repeated.replace(content, header):
            return True
        is_added = self.repeated.add(content, header, found, values)
        for oldest, _ in self.repeated.overflow(self.kept_bytes) if is_added else self.repeated.drain():
            self.latest.keep_all(oldest)
        if not is_added:
            self.latest.keep_all(found)
        return False

    def check(self) -> None:
        for records, _ in self.repeated.drain():
            self.latest.keep_all(records)
        assert list(self.latest.drain()) == list(self.expected.drain())
        assert (self.repeated._records, self.repeated._bytes) == (0, 0)


@given(batches=BATCHES, gaps=st.lists(st.integers(0, 1), min_size=30, max_size=30), kept=st.integers(0, 20))
def test_the_last_record_of_each_key_is_left_in_the_order_of_the_log(
    batches: list[Pairs], gaps: list[int], kept: int
) -> None:
    log = Log()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeated_batches, "KEPT_RECORDS", kept)
        patch.setattr(repeated_batches, "SHAPES_MAX", 3)
        patch.setattr(repeated_batches, "PATIENCE", 4)
        patch.setattr(repeated_batches, "REST", 2)
        for pairs, gap in zip(batches, gaps, strict=False):
            log.read(pairs, gap)
        log.check()


def test_the_same_keys_again_are_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log()
    decoded: list[int] = []
    monkeypatch.setattr(repeated_batches, "plain_records", lambda *args: (decoded.append(1), plain_records(*args))[1])
    for number in range(50):
        for group in (b"g1", b"g2"):
            pairs = [(group + b"%d" % index, b"%03d" % number) for index in range(100)]
            assert log.read(pairs) == (number > 0)
    log.check()
    assert len(decoded) == 2


def test_keys_that_do_not_come_again_are_soon_left_alone() -> None:
    log = Log()
    for number in range(PATIENCE):
        assert not log.read([(b"%05d" % number, b"v")])
    assert log.repeated._rest == REST
    for number in range(REST):
        assert not log.read([(b"new%05d" % number, b"v")])
    assert log.repeated._rest == 0
    assert not list(log.repeated.drain())
    assert not log.read([(b"new%05d" % 7, b"w")])
    assert log.read([(b"new%05d" % 7, b"x")])
    log.check()


def test_other_keys_of_the_same_lengths_supersede_nothing() -> None:
    log = Log()
    rng = random.Random(3)
    for _ in range(20):
        keys = rng.sample([b"k1", b"k2", b"k3"], 2)
        log.read([(key, b"%04d" % log.offset) for key in keys])
    log.check()


def test_it_is_said_which_batches_were_decoded_at_last() -> None:
    log = Log()
    for name, value in ((b"once", b"v"), (b"again", b"v"), (b"again", b"w")):
        log.read([(name, value)])
    assert [(found[0][0], is_decoded) for found, is_decoded in log.repeated.drain()] == [
        (b"once", False),
        (b"again", True),
    ]


def test_batches_are_dropped_undecoded(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log()
    for name, value in ((b"once", b"v"), (b"again", b"v"), (b"again", b"w")):
        log.read([(name, value), (name + b"-", value)])
    monkeypatch.setattr(repeated_batches, "plain_records", lambda *_: pytest.fail("it was decoded"))
    assert list(log.repeated.release()) == [2, 0]
    assert (log.repeated._records, log.repeated._bytes) == (0, 0)


def test_the_oldest_go_where_all_take_too_many_bytes() -> None:
    log = Log()
    log.kept_bytes = 3 * (RECORD_BYTES + 100)
    for number in range(4):
        log.read([(b"key-%d" % number, b"v" * 80)])
    assert [found[0][0] for found, _ in log.repeated.drain()] == [b"key-1", b"key-2", b"key-3"]
