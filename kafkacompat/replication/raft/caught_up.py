"""When a follower had all records of its leader, for partitions and for the metadata log (R6)."""

NEVER_FETCHED = 1 << 62
"""The leader's log end at the fetch before the first."""


def caught_up_ms(
    known_ms: int,
    fetch_offset: int,
    leader_end_offset: int,
    now_ms: int,
    last_fetch_ms: int,
    last_leader_end_offset: int,
) -> int:
    """When a follower was caught up last, by a fetch that comes now: now, if it holds all that the leader has; at its
    fetch before, if it holds all that the leader had then (Kafka's Replica and LeaderState).
    """
    if fetch_offset >= leader_end_offset:
        return max(known_ms, now_ms)
    if fetch_offset >= last_leader_end_offset:
        return max(known_ms, last_fetch_ms)
    return known_ms
