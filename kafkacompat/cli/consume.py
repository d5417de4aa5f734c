"""`kafkacompat consume`: prints records of topics of any Kafka."""

from __future__ import annotations

import sys
import time

import click

from kafkacompat.cli.connected import complete_topics, connected
from kafkacompat.cli.exits import EXPIRED, VerbError, say
from kafkacompat.client.texts import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from kafkacompat.cli.positions import Position
    from kafkacompat.client.client import Client, Place
    from kafkacompat.client.consuming import Fetched, Fetcher, IncomingRecord

    Write = Callable[[Fetched, IncomingRecord], None]

POLL_S = 0.5


@click.command()
@click.argument("topics", metavar="TOPIC...", nargs=-1, required=True, shell_complete=complete_topics)
@click.option(
    "-o", "--offset", "range_", metavar="FROM[:TO]",
    help="As in rpk: start, end, N, +N, -N, @TIME; FROM:TO, :TO. [default: start]",
)  # fmt: skip
@click.option("--from", "from_", metavar="POSITION", help="Begin here: start, end, N, +N, -N, @TIME.")
@click.option("--to", metavar="POSITION", help="End before this one. [default: the end as it is now]")
@click.option("--tail", metavar="N", type=click.IntRange(1), help="The last N records of each partition.")
@click.option("-F", "--follow", is_flag=True, help="Go on with records that are written later, until Ctrl-C.")
@click.option("-n", "--count", metavar="N", type=click.IntRange(1), help="End after N records.")
@click.option("--wait", "wait_s", metavar="SECONDS", type=click.FloatRange(0), help="With -n: wait for them so long.")
@click.option("-p", "--partition", "partitions", type=click.IntRange(0), multiple=True, help="Only these. Repeatable.")
@click.option("--key", "key", metavar="REGEX", help="Only records whose key contains this.")
@click.option("--value", "value", metavar="REGEX", help="Only records whose value contains this.")
@click.option("--header", "headers", metavar="NAME[=REGEX]", multiple=True, help="Only with this header. Repeatable.")
@click.option("--read-committed", is_flag=True, help="Without records of transactions that are open or aborted.")
@click.option("--print-control", is_flag=True, help="Control records as well.")
@click.option("-f", "--format", "format_", default="json", show_default=True, help="json, table, csv, raw, or rpk's %.")
@click.option("--json-values", is_flag=True, help="With json: values that are JSON as such.")
@connected
def consume(client: Client, *, topics: Sequence[str], **given: Any) -> int:
    """Print records of topics, from the start to the present end unless told otherwise."""
    from kafkacompat.cli.record_filter import record_filter
    from kafkacompat.cli.record_formats import writer_of
    from kafkacompat.client.consuming import Fetcher

    begin, end = _range(given)
    places = _places(client, topics, given["partitions"])
    isolation = int(given["read_committed"])
    starts = begin.resolve(client, places)
    ends = {} if end is None else end.resolve(client, places, isolation)
    positions = {place: start for place, start in starts.items() if end is None or start < ends[place]}
    write = writer_of(given["format_"], sys.stdout, decode_json=given["json_values"])
    keep = record_filter(given["key"], given["value"], given["headers"])
    wait_s = given["wait_s"]
    with Fetcher(client, positions, isolation=isolation, with_control=given["print_control"]) as fetcher:
        run = _Run(fetcher, ends, given["count"], None if wait_s is None else time.monotonic() + wait_s)
        run.to_the_end(keep, write)
    write.end()
    if given["count"] is None or wait_s is None or not run.left:
        return 0
    say(f"kafkacompat: {given['count'] - run.left} of {counted(given['count'], 'record')} came within {wait_s:g} s")
    return EXPIRED


def _range(given: dict[str, Any]) -> tuple[Position, Position | None]:
    from kafkacompat.cli.positions import Position, parse_range

    chosen = [given[name] is not None for name in ("range_", "from_", "tail")]
    if sum(chosen) > 1:
        raise VerbError("--offset, --from and --tail say the same: choose one", 2)
    begin, end = parse_range(given["range_"]) if given["range_"] is not None else (None, None)
    if given["from_"] is not None:
        begin = Position(given["from_"])
    if given["tail"] is not None:
        begin = Position(f"-{given['tail']}")
    if given["to"] is not None:
        if end is not None:
            raise VerbError("--offset has an end already: leave out --to", 2)
        end = Position(given["to"])
    if end is not None and given["follow"]:
        raise VerbError("--follow has no end: leave out --to", 2)
    if given["wait_s"] is not None and given["count"] is None:
        raise VerbError("--wait is for --count: say how many records to wait for", 2)
    goes_on = given["follow"] or given["wait_s"] is not None
    return begin or Position("start"), end or (None if goes_on else Position("end"))


def _places(client: Client, topics: Sequence[str], partitions: Sequence[int]) -> list[Place]:
    places = []
    for topic in dict.fromkeys(topics):
        there = client.partitions(topic)
        missing = sorted(set(partitions) - set(there))
        if missing:
            raise VerbError(f"topic {topic!r} has no partition {missing[0]}", 3)
        places += [(topic, partition) for partition in partitions or there]
    return places


class _Run:
    """Fetches until each partition is at its end, or `count` records are written, or the time is over."""

    def __init__(self, fetcher: Fetcher, ends: dict[Place, int], count: int | None, deadline_s: float | None) -> None:
        self._fetcher = fetcher
        self._ends = ends
        self._deadline_s = deadline_s
        self.left = count

    def to_the_end(self, keep: Callable[[IncomingRecord], bool] | None, write: Write) -> None:
        while self._fetcher.positions and self.left != 0:
            pieces = self._fetcher.poll(POLL_S)
            for piece in pieces:
                self._write(piece, keep, write)
            if pieces:
                sys.stdout.flush()
            if self._deadline_s is not None and time.monotonic() >= self._deadline_s:
                return

    def _write(self, piece: Fetched, keep: Callable[[IncomingRecord], bool] | None, write: Write) -> None:
        place = (piece.topic, piece.partition)
        end = self._ends.get(place)
        for record in piece.records:
            if self.left == 0 or (end is not None and record.offset >= end):
                break
            if keep is None or keep(record):
                write(piece, record)
                if self.left is not None:
                    self.left -= 1
        if end is not None and piece.next_offset >= end:
            self._fetcher.stop(place)
