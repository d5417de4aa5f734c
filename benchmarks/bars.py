"""The bars as data: what this broker must reach in each row, alone or beside a peer of the same run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

Medians = dict[str, dict[str, dict[str, float]]]
"""row → column (a broker or a program) → metric → median"""


@dataclass(frozen=True)
class Bar:
    """`column`'s `metric` in `row` must be at most (or at least) `factor` × the peer's value + `constant`."""

    row: str
    metric: str
    at_least: bool
    factor: float = 0.0
    peer: str = ""
    constant: float = 0.0
    columns: tuple[str, ...] = ("kafkacompat-uvloop",)

    @property
    def text(self) -> str:
        """The bar in words."""
        terms = []
        if self.peer:
            terms.append(f"{self.factor:g} × {self.peer}")
        if self.constant or not self.peer:
            terms.append(f"{self.constant:g}")
        return f"{self.row} {self.metric} {'≥' if self.at_least else '≤'} {' + '.join(terms)}"


@dataclass(frozen=True)
class Verdict:
    """How one column stands to one bar. `ratio` is the value by the peer's, or by the limit where no peer is named."""

    bar: Bar
    column: str
    value: float
    limit: float
    ratio: float

    @property
    def held(self) -> bool:
        return self.value >= self.limit if self.bar.at_least else self.value <= self.limit


def judge(bar: Bar, medians: Medians) -> list[Verdict]:
    """One verdict for each of the bar's columns that was measured; none when the peer was not."""
    row = medians.get(bar.row, {})
    base = 1.0
    if bar.peer:
        if bar.metric not in row.get(bar.peer, {}):
            return []
        base = row[bar.peer][bar.metric]
    limit = (bar.factor * base if bar.peer else 0.0) + bar.constant
    against = base if bar.peer else limit
    return [
        Verdict(bar, column, row[column][bar.metric], limit, row[column][bar.metric] / against if against else 0.0)
        for column in bar.columns
        if bar.metric in row.get(column, {})
    ]


def transactions_row(per_transaction: int, partitions: int, replicas: int) -> str:
    """The row of transactions of so many records."""
    return f"{per_transaction:,} a transaction, {partitions} partitions, RF {replicas}"


def reading_row(per_transaction: int, abort_every: int) -> str:
    """The row that has how much slower a log is read by who leaves out what was aborted."""
    aborted = f"{100 // abort_every} % aborted" if abort_every else "none aborted"
    return f"read_committed by read_uncommitted, {per_transaction:,} a transaction, {aborted}"


def _transactions() -> Iterator[Bar]:
    columns = ("kafkacompat",)
    for per_transaction, partitions, replicas in product(PER_TRANSACTION, PARTITIONS, REPLICAS):
        row = transactions_row(per_transaction, partitions, replicas)
        yield Bar(row, "commits_s", at_least=True, factor=1.5, peer="kafka", columns=columns)
        yield Bar(row, "p50_us", at_least=False, factor=0.6, peer="kafka", columns=columns)
        yield Bar(row, "cpu_us_txn", at_least=False, factor=0.4, peer="kafka", columns=columns)
        if per_transaction >= LARGE:
            yield Bar(row, "mb_s", at_least=True, factor=1.0, peer="kafka", columns=columns)
    for (per_transaction, abort_every), slack in READINGS.items():
        row = reading_row(per_transaction, abort_every)
        yield Bar(row, "mb_s_ratio", at_least=True, constant=1 - slack, columns=columns)
        yield Bar(row, "cpu_ratio", at_least=False, constant=1 + slack, columns=columns)


PER_TRANSACTION, PARTITIONS, REPLICAS = (1, 100, 10_000), (1, 10), (1, 3)
"""Of the transactions that are written."""
LARGE = 100
"""From so many records on, MB/s have a bar."""
READINGS = {(1_000, 0): 0.1, (1_000, 10): 0.1, (1_000, 2): 0.1, (1, 0): 0.3}
"""Records of a transaction and which of them are aborted (2: every other one), and what read_committed may cost."""
BOTH = ("kafkacompat-uvloop", "kafkacompat-asyncio")
BARS = (
    Bar("produce-1k", "mb_s", at_least=True, factor=1.3, peer="kafka"),
    Bar("produce-1k", "cpu_s_gb", at_least=False, factor=0.2, peer="kafka"),
    Bar("produce-1k", "cpu_s_gb", at_least=False, constant=0.5),
    Bar("consume-1k", "mb_s", at_least=True, factor=1.0, peer="kafka"),
    Bar("consume-1k", "cpu_s_gb", at_least=False, factor=0.7, peer="kafka"),
    Bar("produce-100b", "mb_s", at_least=True, factor=1.3, peer="kafka"),
    Bar("produce-100b", "cpu_s_gb", at_least=False, factor=0.2, peer="kafka"),
    Bar("consume-100b", "mb_s", at_least=True, factor=1.0, peer="kafka"),
    Bar("ping-1", "p50_us", at_least=False, factor=0.6, peer="kafka"),
    Bar("ping-1", "p50_us", at_least=False, factor=0.9, peer="kfake"),
    Bar("ping-1", "cpu_us", at_least=False, constant=20),
    Bar("ping-50", "req_s", at_least=True, factor=2.0, peer="kafka"),
    Bar("ping-50", "p99_us", at_least=False, factor=0.5, peer="kafka"),
    Bar("ping-50", "req_s", at_least=True, factor=0.8, peer="kfake"),
    Bar("ping-50", "cpu_us", at_least=False, constant=20),
    Bar("start", "ready_ms", at_least=False, factor=1.0, peer="import asyncio", constant=90, columns=BOTH),
    Bar("restart", "ready_ms", at_least=False, constant=300, columns=BOTH),
    Bar("memory", "idle_mb", at_least=False, constant=35, columns=BOTH),
    Bar("memory", "peak_mb", at_least=False, constant=60, columns=BOTH),
    Bar("big-fetch", "peak_mb", at_least=False, constant=60, columns=BOTH),
    Bar("import", "import_ms", at_least=False, constant=30, columns=("kafkacompat", "pytest plugin")),
    Bar("cluster", "ack_ms", at_least=False, constant=15, columns=("Cluster",)),
    *_transactions(),
)
