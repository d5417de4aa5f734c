"""`kafkacompat bench`: how fast records are written to, and read from, any Kafka by this client."""

from __future__ import annotations

import sys
import time

import click

from kafkacompat.cli.bar import Bar
from kafkacompat.cli.connected import complete_topics, connected
from kafkacompat.cli.exits import FAILED, VerbError, say
from kafkacompat.cli.produce import ACKS, COMPRESSIONS
from kafkacompat.cli.rows import to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.client.client import Client

BATCH_RECORDS = 1000
POLL_S = 1.0


@click.group()
def bench() -> None:
    """Measure how fast records are written and read. The client is Python: brokers can do more."""


_topic = click.argument("topic", shell_complete=complete_topics)
_count = click.option(
    "-n", "--records", "count", type=click.IntRange(1, 100_000_000), default=100_000, show_default=True
)


@bench.command()
@_topic
@_count
@click.option("-s", "--size", type=click.IntRange(1, 900_000), default=100, show_default=True, help="Bytes of a value.")
@click.option("--batch", type=click.IntRange(1, 50_000), default=BATCH_RECORDS, show_default=True, help="Of records.")
@click.option("--acks", type=click.Choice(list(ACKS)), default="all", show_default=True)
@click.option("-z", "--compression", type=click.Choice(COMPRESSIONS), default="none", show_default=True)
@connected
def produce(client: Client, *, topic: str, count: int, size: int, batch: int, acks: str, compression: str) -> None:
    """Write records, one batch behind the other, and print rates and latencies of the batches."""
    from kafkacompat.client.producing import OutgoingRecord, Producer

    client.partitions(topic)
    producer = Producer(client, acks=ACKS[acks], compression=compression)
    record = OutgoingRecord(None, bytes(number % 251 for number in range(size)))
    latencies_s: list[float] = []
    bar = Bar("produced", count)
    began_s = time.monotonic()
    done = 0
    while done < count:
        wave = min(batch, count - done)
        for _ in range(wave):
            producer.send(topic, record)
        sent_s = time.monotonic()
        producer.flush()
        latencies_s.append(time.monotonic() - sent_s)
        done += wave
        bar.show(done)
    bar.end()
    report = _rates(done, done * size, time.monotonic() - began_s)
    _print({**report, **{f"batch_p{share}_ms": _percentile_ms(latencies_s, share) for share in (50, 99)}})


@bench.command()
@_topic
@_count
@connected
def consume(client: Client, *, topic: str, count: int) -> int:
    """Read records from the start, as many as there are, and print rates. The status is 1 if there are fewer."""
    from kafkacompat.client.consuming import Fetcher
    from kafkacompat.client.partition_offsets import EARLIEST, LATEST, list_offsets

    places = [(topic, number) for number in client.partitions(topic)]
    starts = list_offsets(client, dict.fromkeys(places, EARLIEST))
    ends = list_offsets(client, dict.fromkeys(places, LATEST))
    there = sum(ends[place].offset - starts[place].offset for place in places)
    if there == 0:
        raise VerbError(f"topic {topic!r} is empty: kafkacompat bench produce {topic} fills it")
    bar = Bar("consumed", min(count, there))
    done = size = 0
    began_s = time.monotonic()
    positions = {place: starts[place].offset for place in places if ends[place].offset > starts[place].offset}
    with Fetcher(client, positions) as fetcher:
        while fetcher.positions and done < count:
            for piece in fetcher.poll(POLL_S):
                done += len(piece.records)
                size += sum(len(record.key or b"") + len(record.value or b"") for record in piece.records)
                if piece.next_offset >= ends[piece.topic, piece.partition].offset:
                    fetcher.stop((piece.topic, piece.partition))
            bar.show(done)
    bar.end()
    _print(_rates(done, size, time.monotonic() - began_s))
    if done < count:
        say(f"there were {done:,} of {count:,} records: kafkacompat bench produce {topic} adds some, -n asks for fewer")
    return 0 if done >= count else FAILED


def _rates(records: int, size: int, took_s: float) -> dict[str, float]:
    return {
        "records": records, "bytes": size, "seconds": round(took_s, 3), "records_per_s": round(records / took_s),
        "mb_per_s": round(size / took_s / 1e6, 2),
    }  # fmt: skip


def _percentile_ms(values_s: Sequence[float], percent: int) -> float:
    return round(sorted(values_s)[min(len(values_s) * percent // 100, len(values_s) - 1)] * 1000, 2)


def _print(report: dict[str, float]) -> None:
    """For people on a terminal, else JSON."""
    if not sys.stdout.isatty():
        sys.stdout.write(to_json(report) + "\n")
        return
    for name, value in report.items():
        click.echo(f"{name.replace('_', ' '):16} {value:,}")
    say("measured with one client in Python, on this machine")
