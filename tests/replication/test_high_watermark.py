from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.replication.high_watermark import effective_min_isr, next_high_watermark

OFFSETS = st.integers(0, 1_000)


def test_one_replica_commits_what_it_has():
    assert next_high_watermark(3, 10, (), isr_size=1, min_isr=1) == 10


def test_the_slowest_member_decides():
    assert next_high_watermark(3, 10, (8, 6), isr_size=3, min_isr=2) == 6


def test_it_never_goes_back():
    assert next_high_watermark(7, 10, (5,), isr_size=2, min_isr=1) == 7


def test_it_stands_still_while_the_isr_is_too_small():
    assert next_high_watermark(3, 10, (), isr_size=1, min_isr=2) == 3


def test_min_isr_cannot_exceed_the_replicas():
    assert effective_min_isr(2, 1) == 1
    assert effective_min_isr(2, 3) == 2


@given(OFFSETS, OFFSETS, st.lists(OFFSETS, max_size=4), st.integers(1, 4))
def test_it_is_monotone_and_never_passes_what_all_have(current, own_end, followers, min_isr):
    moved = next_high_watermark(current, own_end, followers, isr_size=1 + len(followers), min_isr=min_isr)
    assert moved >= current
    assert moved == current or moved <= min([own_end, *followers])
