"""`kafkacompat produce`: writes records that are read from standard input to topics of any Kafka."""

from __future__ import annotations

import sys

import click

from kafkacompat.cli.connected import complete_topics, connected
from kafkacompat.cli.exits import VerbError, say
from kafkacompat.client.texts import counted
from kafkacompat.protocol.constants import ACKS_ALL, ACKS_LEADER, ACKS_NONE, UNKNOWN_OFFSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kafkacompat.client.client import Client
    from kafkacompat.client.producing import Delivered, OutgoingRecord, Producer
    from kafkacompat.protocol.records.builder import Header

ACKS = {"all": ACKS_ALL, "-1": ACKS_ALL, "1": ACKS_LEADER, "0": ACKS_NONE}
COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")


@click.command()
@click.argument("topic", required=False, shell_complete=complete_topics)
@click.option("-f", "--format", "format_", default="json", show_default=True, help="json, raw (lines), or rpk's %.")
@click.option("-k", "--key", metavar="TEXT", help="The key of records that have none.")
@click.option("-H", "--header", "headers", metavar="NAME=VALUE", multiple=True, help="A header of each. Repeatable.")
@click.option("-p", "--partition", type=click.IntRange(0), help="The partition of records that name none.")
@click.option("--repartition", is_flag=True, help="Choose partitions by key even for records that name one.")
@click.option("--acks", type=click.Choice(list(ACKS)), default="all", show_default=True, help="Wait for whom.")
@click.option("-z", "--compression", type=click.Choice(COMPRESSIONS), default="none", show_default=True)
@click.option("-Z", "--tombstone", is_flag=True, help="An empty value is null: it deletes its key.")
@click.option("--allow-auto-topic-creation", is_flag=True, help="Let the broker create topics on use.")
@click.option("-o", "--output-format", "output", metavar="FORMAT", help="Print each record when it is written.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing at the end.")
@connected
def produce(client: Client, *, topic: str | None, format_: str, **given: Any) -> None:
    """Write records that are read from standard input: JSON, one object on each line, as `consume` prints them."""
    from kafkacompat.cli.input_pieces import InputPieces
    from kafkacompat.cli.record_formats import parser_of
    from kafkacompat.client.producing import Producer

    if topic is not None:
        client.partitions(topic, auto_create=given["allow_auto_topic_creation"])
    producer = Producer(
        client, acks=ACKS[given["acks"]], compression=given["compression"],
        auto_create=given["allow_auto_topic_creation"],
    )  # fmt: skip
    parser = parser_of(format_)
    run = _Run(producer, topic, given, record_wins=parser.topic_wins)
    pieces = InputPieces(sys.stdin.buffer.fileno())
    try:
        for piece in pieces:
            for parsed in parser.feed(piece):
                run.take(*parsed)
            if producer.is_full or not pieces.has_more():
                run.flush()
        for parsed in parser.end():
            run.take(*parsed)
    except VerbError as error:
        run.flush()
        raise VerbError(f"record {parser.count + 1}: {error}", error.status) from None
    except KeyboardInterrupt:
        run.flush()
        raise
    run.flush()
    if not given["quiet"]:
        say(f"produced {counted(run.count, 'record')}")


class _Run:
    """Completes records with what the flags say, and sends them."""

    def __init__(self, producer: Producer, topic: str | None, given: dict[str, Any], *, record_wins: bool) -> None:
        self._producer = producer
        self._topic = topic
        self._record_wins = record_wins
        self._key = None if given["key"] is None else given["key"].encode()
        self._headers = _headers(given["headers"])
        self._partition: int | None = given["partition"]
        self._repartition: bool = given["repartition"]
        self._tombstone: bool = given["tombstone"]
        self._report = _Report(given["output"]) if given["output"] else None
        self.count = 0

    def take(self, topic: str | None, record: OutgoingRecord) -> None:
        """Buffer a record. Raises VerbError if it has no topic."""
        to = topic if self._topic is None or (topic is not None and self._record_wins) else self._topic
        if to is None:
            raise VerbError("it names no topic: give one as the argument")
        named = None if self._repartition else record.partition
        whole = record._replace(
            key=self._key if record.key is None else record.key,
            value=None if self._tombstone and record.value == b"" else record.value,
            headers=[*record.headers, *self._headers],
            partition=self._partition if named is None else named,
        )
        self._producer.send(to, whole)
        if self._report is not None:
            self._report.records.append(whole)

    def flush(self) -> None:
        """Wait for what is buffered."""
        delivered = self._producer.flush()
        self.count += len(delivered)
        if self._report is not None:
            self._report.write(delivered)


class _Report:
    """Prints delivered records."""

    def __init__(self, format_: str) -> None:
        from kafkacompat.cli.record_formats import writer_of

        self._write = writer_of(format_, sys.stdout)
        self.records: list[OutgoingRecord] = []

    def write(self, delivered: Sequence[Delivered]) -> None:
        """Print the records that were buffered, with their places."""
        from kafkacompat.client.consuming import Fetched, IncomingRecord
        from kafkacompat.protocol.records.batch import read_header
        from kafkacompat.protocol.records.builder import Record, build_batch

        for record, place in zip(self.records, delivered, strict=True):
            batch = build_batch([Record(0, place.timestamp, None, None)])  # what only a log knows is unknown
            piece = Fetched(place.topic, place.partition, [], place.offset + 1, *[UNKNOWN_OFFSET] * 3)
            header = read_header(batch)
            self._write(
                piece,
                IncomingRecord(place.offset, place.timestamp, record.key, record.value, record.headers, header),
            )
        self.records.clear()
        sys.stdout.flush()


def _headers(texts: Sequence[str]) -> list[Header]:
    headers: list[Header] = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise VerbError(f"{text!r} is no header: write NAME=VALUE", 2)
        headers.append((name, value.encode()))
    return headers
