"""What log directories have to say of themselves before a broker starts: the same at Apache Kafka and here.

Kafka's rules: ``MetaPropertiesEnsemble.verify``, ``KafkaRaftServer.initializeLogDirs``, ``LogManager``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from compat_tests.broker_process import BrokerError
from compat_tests.hand_over.test_several_directories import NAMES, PARTITIONS, Pair
from compat_tests.hand_over.walk import CLIENT_TIMEOUT_S
from kafkacompat.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from tests.waiting import wait_until

REFUSED = None
STORAGE_ERROR = 56
Change = Callable[[Pair], None]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two directories with replicas in each. Every test leaves them as they are."""
    made = Pair(tmp_path_factory.mktemp("rules"))
    try:
        with made.by_kafka():
            made.create("t")
            wait_until(lambda: made.counts("t") == [PARTITIONS // 2] * 2, CLIENT_TIMEOUT_S)
        yield made
    finally:
        made.kafka.close()


def meta(pair: Pair, number: int) -> Path:
    return pair.paths[number] / "meta.properties"


def edit(number: int, pattern: str, text: str) -> Change:
    """A change of the meta.properties in one of the directories."""

    def change(pair: Pair) -> None:
        before = meta(pair, number).read_text()
        after = re.sub(pattern, text, before)
        assert after != before
        meta(pair, number).write_text(after)

    return change


def both(*changes: Change) -> Change:
    def change(pair: Pair) -> None:
        for each in changes:
            each(pair)

    return change


def of_version_0(number: int) -> Change:
    return both(edit(number, "version=1\n", ""), edit(number, "node.id", "broker.id"))


def with_the_same_id(pair: Pair) -> None:
    found = re.search("directory.id=.*", meta(pair, 0).read_text())
    assert found is not None
    edit(1, "directory.id=.*", found[0])(pair)


def emptied(pair: Pair) -> None:
    """An empty directory is there, as where a disk is not mounted."""
    pair.paths[1].rename(pair.folder / "away")
    pair.paths[1].mkdir()


@contextmanager
def changed(pair: Pair, change: Change) -> Iterator[None]:
    """The directories with a change, and afterwards without."""
    before = [meta(pair, number).read_bytes() for number in range(len(NAMES))]
    change(pair)
    try:
        yield
    finally:
        away = pair.folder / "away"
        if away.exists():
            for path in pair.paths[1].iterdir():
                path.unlink()
            pair.paths[1].rmdir()
            away.rename(pair.paths[1])
        for number, content in enumerate(before):
            meta(pair, number).write_bytes(content)


def outcome(pair: Pair, side: str) -> list[int] | None:
    """The error code of each directory; REFUSED where nothing starts."""
    try:
        with getattr(pair, side)():
            results = pair.ask(DescribeLogDirsRequest(topics=None), 4).results
            return [each.error_code for each in sorted(results, key=lambda each: str(each.log_dir))]
    except BrokerError:
        pair.kafka.kill()
        return REFUSED


full = pytest.mark.full


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(with_the_same_id, REFUSED, id="same id"),
        pytest.param(emptied, REFUSED, id="not mounted"),
        pytest.param(edit(1, "directory.id=.*", "directory.id=short"), [0, STORAGE_ERROR], id="damaged"),
        pytest.param(both(of_version_0(0), of_version_0(1)), [0, 0], id="version 0"),
        pytest.param(
            edit(1, "directory.id=.*", "directory.id=AAAAAAAAAAAAAAAAAAAAYw"), REFUSED, marks=full, id="id 99"
        ),
        pytest.param(edit(1, "cluster.id=.*", "cluster.id=another"), REFUSED, marks=full, id="cluster"),
        pytest.param(edit(1, "node.id=1", "node.id=2"), REFUSED, marks=full, id="node"),
        pytest.param(edit(0, "directory.id=.*", "directory.id=short"), REFUSED, marks=full, id="damaged metadata"),
        pytest.param(edit(1, "version=1", "version=2"), [0, STORAGE_ERROR], marks=full, id="version 2"),
        pytest.param(edit(1, "version=1", "version=0"), REFUSED, marks=full, id="version 0 without a node"),
        pytest.param(edit(1, "cluster.id=.*\n", ""), [0, STORAGE_ERROR], marks=full, id="no cluster"),
        pytest.param(edit(1, "(?s).*", ""), REFUSED, marks=full, id="empty file"),
        pytest.param(edit(1, "directory.id=.*\n", ""), [0, 0], marks=full, id="without an id"),
    ],
)
def test_what_a_broker_starts_with(pair: Pair, change: Change, expected: list[int] | None) -> None:
    for side in ("by_kafka", "by_us"):
        with changed(pair, change):
            assert outcome(pair, side) == expected, side
