"""kill -9 of a broker and of the process that compacts: the newest record of each key is there, and no half pass."""

import sys
from random import Random

import pytest

from tests.robustness.compaction_kills import BROKER, Writes, kill_while_compacting
from tests.robustness.killing import KilledBroker

CYCLES = 7


@pytest.mark.skipif(sys.platform != "linux", reason="the children of a process are read from /proc")
def test_kills_while_topics_are_compacted(tmp_path):
    broker = KilledBroker(tmp_path / "data", *BROKER)
    try:
        seen = kill_while_compacting(broker, tmp_path / "data", CYCLES, Random(1))
        broker.stop()
    finally:
        broker.child.process.kill()
    assert seen["kills of the broker"] == 3
    assert seen["kills of the child"] >= 1
    assert seen["passes"] >= 1


@pytest.mark.parametrize(
    ("found", "is_right"),
    [({b"k": 5}, True), ({b"k": 6}, True), ({b"k": 3}, False), ({b"k": 4}, False), ({}, False)],
)
def test_what_a_reader_may_find(found, is_right):
    writes = Writes()
    for number in (3, 4, 5):
        writes.sent({b"k": number})
        if number != 4:
            writes.answered({b"k": number})
    writes.sent({b"k": 6})
    if is_right:
        writes.check("t", found)
    else:
        with pytest.raises(AssertionError, match="should be one of"):
            writes.check("t", found)


def test_a_deleted_key_may_be_gone():
    writes = Writes()
    writes.sent({b"k": -1})
    writes.answered({b"k": -1})
    writes.check("t", {})
    writes.check("t", {b"k": -1})
