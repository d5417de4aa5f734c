"""The text at the end: the checks, the speeds, and how to connect. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kafkacompat.demo.checks import Check

CHECK_HEADER = ("checked", "expected", "got", "")
SPEED_HEADER = ("how fast", "records", "seconds", "records/s", "MB/s")
SERVE_ADDRESS = "localhost:9092"


class Speed(NamedTuple):
    """The speed of one step: records and bytes (of keys, values and headers) in `seconds`."""

    what: str
    records: int
    size_bytes: int
    seconds: float

    def cells(self) -> tuple[str, ...]:
        """The cells of a table row."""
        seconds = max(self.seconds, 1e-9)
        rate, megabytes = self.records / seconds, self.size_bytes / 1e6 / seconds
        return self.what, f"{self.records:,}", f"{self.seconds:.1f}", f"{rate:,.0f}", f"{megabytes:.1f}"


class Report:
    """Collects results while the demo runs. It can be shown at any time."""

    def __init__(self) -> None:
        self.checks: list[Check] = []
        self.speeds: list[Speed] = []
        self.left_out: list[str] = []

    @property
    def is_equal(self) -> bool:
        """Whether there were checks and all were equal."""
        return bool(self.checks) and all(check.is_equal for check in self.checks)

    def text(self) -> str:
        """The tables and the overall result."""
        blocks = []
        if self.checks:
            rows = [(c.what, c.expected, c.got, "equal" if c.is_equal else "DIFFERENT") for c in self.checks]
            blocks.append(table(CHECK_HEADER, rows))
        if self.speeds:
            blocks.append(table(SPEED_HEADER, [speed.cells() for speed in self.speeds]))
        blocks += [f"Left out: {reason}" for reason in self.left_out]
        wrong = [check for check in self.checks if not check.is_equal]
        if wrong:
            first = wrong[0]
            where = f" ({first.detail})" if first.detail else ""
            blocks.append(f"{len(wrong)} of {len(self.checks)} checks differ, first: {first.what.strip()}{where}")
        elif self.checks:
            blocks.append(f"All {len(self.checks)} checks are equal.")
        return "\n\n".join(blocks)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a table. The first column is left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join(_line(line, widths) for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]).rstrip()


def how_to_connect(address: str | None) -> str:
    """How to connect a client to the broker at `address`, or to one that the user starts if it is None."""
    start = "" if address else "Start a broker of your own with `kafkacompat serve`. "
    at = address or SERVE_ADDRESS
    return (
        f"{start}Any Kafka client works with it:\n"
        f'  confluent-kafka  Producer({{"bootstrap.servers": "{at}"}})\n'
        f'  kafka-python     KafkaConsumer("flights", bootstrap_servers="{at}", auto_offset_reset="earliest")\n'
        f'  Spark            spark.read.format("kafka").option("kafka.bootstrap.servers", "{at}")'
        '.option("subscribe", "flights")'
    )
