"""Members come and go when they should, told as turns."""

from __future__ import annotations

from kafkacompat.demo.group import STAGES, Leader
from kafkacompat.demo.member import LEAVE, READ


def test_the_whole_way() -> None:
    leader = Leader(total=900, partitions=6)
    assert leader.command(0, (0, 1, 2, 3, 4, 5), 0) == READ  # the second founder is not there yet
    assert leader.command(1, (), 0) == READ
    assert leader.command(0, (0, 1, 2), 0) == READ  # the other one does not know its part
    assert leader.command(1, (3, 4, 5), 0) == READ
    assert leader.command(0, (0, 1, 2), 200) == READ
    assert leader.newcomer(299) is None
    assert leader.newcomer(300) == 2
    assert leader.newcomer(301) is None  # once
    assert leader.command(0, (0, 1, 2), 310) == READ
    assert leader.command(2, (4, 5), 310) == READ  # overlaps with what the second held before
    assert leader.command(0, (0, 1), 310) == READ
    assert leader.command(1, (2, 3), 310) == READ
    assert leader.command(0, (0, 1), 599) == READ
    assert leader.command(0, (0, 1), 600) == LEAVE
    assert leader.command(1, (2, 3), 700) == READ  # the others go on meanwhile
    assert leader.command(1, (2, 3), 900) == READ  # not over before they share what the first one left
    assert leader.command(1, (0, 1, 2), 900) == READ
    assert leader.command(2, (3, 4, 5), 900) == LEAVE
    assert leader.command(1, (0, 1, 2), 900) == LEAVE
    assert leader.stages == STAGES


def test_a_member_without_partitions_is_waited_for() -> None:
    leader = Leader(total=9, partitions=2)
    assert leader.command(0, (0, 1), 0) == READ
    assert leader.command(1, (), 0) == READ
    assert leader.stages == []


def test_reading_all_does_not_end_it_before_every_stage() -> None:
    leader = Leader(total=9, partitions=6)
    leader.command(0, (0, 1, 2), 0)
    assert leader.command(1, (3, 4, 5), 9) == READ
    assert leader.newcomer(9) == 2
    leader.command(0, (0, 1), 9)
    leader.command(1, (2, 3), 9)
    assert leader.command(2, (4, 5), 9) == READ
    assert leader.command(0, (0, 1), 9) == LEAVE
    assert leader.stages == STAGES[:2]
