"""What clients did and how it ended, one JSON object a line, and the history that the checker reads from it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from compat_tests.chaos.history import OK, Assign, Commit, Operation, Poll, Send


class Ledger:
    """Written by many threads. Times are seconds since it was opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.began = time.monotonic()
        self._file = path.open("w", encoding="utf-8")
        self._lock = threading.Lock()
        self.acknowledged = 0
        self.last_acknowledged: dict[str, float] = {}
        """When a write of each key was acknowledged last."""

    def now_s(self) -> float:
        return round(time.monotonic() - self.began, 4)

    def enter(self, op: str, **fields: Any) -> None:
        """Add a line."""
        with self._lock:
            line = json.dumps({"t": self.now_s(), "op": op, **fields}, separators=(",", ":"))
            if not self._file.closed:
                self._file.write(line + "\n")
            if op == "send" and fields["end"] == OK:
                self.acknowledged += 1
                self.last_acknowledged[fields["key"]] = self.now_s()

    def close(self) -> None:
        with self._lock:
            self._file.close()


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a ledger."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def operations(entries: Iterable[dict[str, Any]]) -> list[Operation]:
    """A ledger as a history: each producer's writes as it began them, all else in the order of time."""
    sends: list[tuple[str, int, Send]] = []
    others: list[Operation] = []
    for entry in entries:
        kind = entry["op"]
        if kind == "send":
            process, _, number = entry["value"].rpartition(".")
            send = Send(process, entry["key"], entry["value"], entry["end"], entry["offset"], entry["idempotent"])
            sends.append((process, int(number), send))
        elif kind == "poll":
            reads = {key: [(offset, value) for offset, value in pairs] for key, pairs in entry["reads"].items()}
            others.append(Poll(entry["process"], reads))
        elif kind == "assign":
            others.append(Assign(entry["process"], frozenset(entry["keys"]), entry["group"]))
        elif kind == "commit":
            others.append(Commit(entry["process"], entry["group"], entry["offsets"], entry["end"]))
    sends.sort(key=lambda each: each[:2])
    return [*(send for _, _, send in sends), *others]
