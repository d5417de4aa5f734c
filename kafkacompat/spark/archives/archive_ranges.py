"""Which offsets the next batch of an archive has: pure rules, from what is archived and what is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kafkacompat.spark.archives.archive_spec import ArchiveError

TopicPartition = tuple[str, int]
OFFSET_MASK = (1 << 31) - 1
"""Of sums of offsets, so that those of 4 billion records fit into 64 bits."""


class Range(NamedTuple):
    """Offsets from `start` to `end` (exclusive). `lost`: of how many before `start` the records were removed."""

    topic: str
    partition: int
    start: int
    end: int
    lost: int = 0


def next_ranges(
    archived: Mapping[TopicPartition, int],
    first: Mapping[TopicPartition, int],
    end: Mapping[TopicPartition, int],
    *,
    max_records: int,
    allow_loss: bool = False,
) -> list[Range]:
    """The ranges of the next batch, `max_records` at most together; none if everything is archived.

    archived: the offset behind the last archived one. first, end: the log start and where to stop, of what is there.
    Raises ArchiveError if records between were removed, or a log ends before what is archived of it.
    """
    found = [_range(key, archived.get(key), first[key], end[key], allow_loss=allow_loss) for key in sorted(end)]
    wanted = [each for each in found if each is not None]
    room = _shares([each.end - each.start for each in wanted], max_records)
    return [
        each._replace(end=each.start + most)
        for each, most in zip(wanted, room, strict=True)
        if most > 0 or (each.lost and each.start == each.end)
    ]


def _range(key: TopicPartition, archived: int | None, first: int, end: int, *, allow_loss: bool) -> Range | None:
    name = f"{key[0]}-{key[1]}"
    if archived is None:
        return Range(*key, first, end) if first < end else None
    if archived >= first:  # and maybe beyond the end, which may be given as a time
        return Range(*key, archived, end) if archived < end else None
    if not allow_loss:
        raise ArchiveError(
            f"{name}: offsets {archived} to {first - 1} were removed before they were archived. Archive more often, or "
            "keep records longer (retention.ms); --allow-loss goes on and notes the loss in the manifest"
        )
    return Range(*key, first, max(first, end), lost=first - archived)


def check_not_another(
    archived: Mapping[TopicPartition, int],
    latest: Mapping[TopicPartition, int],
    archived_ids: Mapping[str, str],
    topic_ids: Mapping[str, str],
) -> None:
    """Raises ArchiveError for another topic of the same name: by its id, or if it ends before what is archived of it.

    Ids of topics, as far as they are known: Kafka has them since 2.8.
    """
    advice = "was created anew, or has lost records. Archive it to another directory"
    for topic, topic_id in sorted(archived_ids.items()):
        if topic_ids.get(topic, topic_id) != topic_id:
            raise ArchiveError(
                f"{topic} has id {topic_ids[topic]}, and that of the archive {topic_id}: the topic {advice}"
            )
    for (topic, partition), behind in sorted(archived.items()):
        if latest.get((topic, partition), behind) < behind:
            raise ArchiveError(
                f"{topic}-{partition} ends at offset {latest[topic, partition]}, and {behind} are archived: the topic "
                f"{advice}"
            )


def up_to(ends: Mapping[TopicPartition, int], until: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
    """Where to stop: at the given offset, or else at the end. Raises ArchiveError for an offset that is not there."""
    for key, offset in sorted(until.items()):
        name = f"{key[0]}-{key[1]}"
        if key not in ends:
            raise ArchiveError(f"until offset {offset} of {name}: there is no such partition among those to read")
        if not 0 <= offset <= ends[key]:
            raise ArchiveError(f"until offset {offset} of {name}: it ends at offset {ends[key]}")
    return {key: min(end, until.get(key, end)) for key, end in ends.items()}


def gaps_in(
    start: int, end: int, first: int, last: int, between: Iterable[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Where the offsets from `start` to `end` (exclusive) have no record, each as a start and an end (exclusive).

    first, last: offsets of records. between: pairs of these, with none between them.
    """
    around = [(start - 1, first), *between, (last, end)]
    return tuple((before + 1, after) for before, after in around if before + 1 < after)


def _shares(sizes: Iterable[int], room: int) -> list[int]:
    """How much each gets of a room that is shared evenly; what the small ones leave goes to the large ones."""
    sizes = list(sizes)
    shares = [0] * len(sizes)
    by_size = sorted(range(len(sizes)), key=lambda at: (sizes[at], at))
    for done, at in enumerate(by_size):
        share = room // (len(sizes) - done)
        shares[at] = min(sizes[at], share)
        room -= shares[at]
    return shares


def offset_sum(start: int, end: int) -> int:
    """The sum of the offsets from `start` to `end` (exclusive), each masked. As many other offsets of the same range,
    where one is there twice and another one not at all, have another sum.
    """
    found = 0
    while start < end:
        stop = min(end, (start | OFFSET_MASK) + 1)
        count = stop - start
        found += count * (start & OFFSET_MASK) + count * (count - 1) // 2
        start = stop
    return found
