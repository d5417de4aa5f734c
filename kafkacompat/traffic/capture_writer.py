"""Writes a capture on a thread of its own: who captures only appends to a list, and never waits for the disk."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections import deque

from kafkacompat.errors import KafkaCompatError
from kafkacompat.traffic.capture_file import (
    CLOSE,
    ENTRY_OVERHEAD_BYTES,
    OPEN,
    REQUEST,
    RESPONSE,
    Entry,
    encode_header,
    end_entry,
    entry_pieces,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

log = logging.getLogger(__name__)

MAX_BYTES = 1 << 30
"""The default limit of a capture."""
MIN_BYTES = 4096
PENDING_MAX_BYTES = 64 << 20
"""So much may wait for the disk. A capture that has more than that ends."""
FLUSH_S = 0.05
"""A process that is killed loses entries of at most about this time."""
FILE_MODE = 0o600
"""Records of clients are nobody else's business."""
STOP_TIMEOUT_S = 60.0
END_RESERVED_BYTES = 1024
"""For the last entry, which says why the capture ended."""
PIECES_MAX = 900
"""So many pieces are written at once; systems take 1,024."""
HAS_WRITEV = hasattr(os, "writev")
STOPPED = "it was stopped"


class CaptureWriter:
    """A capture that is being written. It ends with `close`, or by itself at a limit: then `ended` says why.

    max_bytes: the file gets no larger; the capture ends before the entry that would not fit. source: what is captured,
    for the file's first line. redact: what of records is replaced, see `redaction.py`. Secrets always are.
    size_bytes: of the file. frame_count: of the requests and responses that were added.

    Raises KafkaCompatError if the file exists or cannot be created.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, source: str, max_bytes: int = MAX_BYTES, redact: Collection[str] = ()
    ) -> None:
        from kafkacompat.traffic.redaction import Redaction

        if max_bytes < MIN_BYTES:
            raise KafkaCompatError(f"max_bytes={max_bytes}: give at least {MIN_BYTES}")
        self.path = os.fspath(path)
        self.ended: str | None = None
        self.frame_count = 0
        self._redaction = Redaction(redact)
        self._max_bytes = max_bytes
        self._began_us = _counter_us()
        self._next_connection = 0
        self._pending: deque[tuple[int, int, int, int, int, int, int, int, bytes]] = deque()
        self._added_bytes = self._taken_bytes = 0  # each is changed by one thread
        self._is_full = False
        self.size_bytes = 0
        self._wake = threading.Event()
        self._descriptor = create(self.path)
        header = {"source": source, "began_ms": _wall_ms(), "redacted": sorted({"secrets", *redact})}
        self._write([encode_header(header)])
        self._thread = threading.Thread(target=self._run, name="kafkacompat-capture", daemon=True)
        self._thread.start()

    def open_connection(self, **fields: Any) -> int:
        """A connection whose frames follow; returns its number in the file."""
        self._next_connection += 1
        number = self._next_connection
        self.add(OPEN, number, json.dumps(fields).encode())
        return number

    def close_connection(self, connection: int, reason: str) -> None:
        """The end of a connection."""
        self.add(CLOSE, connection, json.dumps({"reason": reason}).encode())

    def add(
        self, kind: int, connection: int, payload: bytes, api_key: int = 0, version: int = 0, correlation_id: int = 0
    ) -> None:
        """Add an entry, always from the same thread; the payload may not change afterwards. Without effect once the
        capture has ended.
        """
        if self.ended is not None:
            return
        self.frame_count += kind in (REQUEST, RESPONSE)
        now_us = time.monotonic_ns() // 1_000 - self._began_us
        self._pending.append((kind, 0, api_key, version, correlation_id, connection, now_us, _wall_ms(), payload))
        self._added_bytes += len(payload) + ENTRY_OVERHEAD_BYTES
        if self._added_bytes - self._taken_bytes > PENDING_MAX_BYTES:
            self._end(f"the disk is too slow: {PENDING_MAX_BYTES} bytes waited for it")

    def close(self) -> None:
        """End the capture, and return when all of it is in the file."""
        self._end(STOPPED)
        self._wake.set()
        self._thread.join(STOP_TIMEOUT_S)

    @property
    def has_failed(self) -> bool:
        """Whether it ended by itself, other than at its `max_bytes`: the disk is full, fails or is too slow."""
        return self.ended not in (None, STOPPED) and not self._is_full

    def _now_us(self) -> int:
        return _counter_us() - self._began_us

    def _end(self, reason: str) -> None:
        if self.ended is None:
            self.ended = reason

    # On the thread

    def _run(self) -> None:
        try:
            while self.ended is None:
                self._wake.wait(FLUSH_S)
                self._flush()
            self._flush()
            end = end_entry(self.ended, self._now_us(), _wall_ms())
            self._write(list(entry_pieces(end)))
        except OSError as error:
            self.ended = f"{self.path} cannot be written: {error.strerror or error}"
        finally:
            os.close(self._descriptor)
            if self.ended != STOPPED:
                log.warning("the capture of traffic has ended: %s", self.ended)

    def _flush(self) -> None:
        pieces: list[bytes] = []
        size_bytes = self.size_bytes
        while self._pending:
            entry = self._redaction.apply(Entry(*self._pending.popleft()))
            entry_bytes = len(entry.payload) + ENTRY_OVERHEAD_BYTES
            self._taken_bytes += entry_bytes
            if self._is_full:
                continue
            size_bytes += entry_bytes
            if size_bytes > self._max_bytes - END_RESERVED_BYTES:
                self._is_full = True
                self._end(f"the file has reached max_bytes={self._max_bytes}")
                continue
            pieces += entry_pieces(entry)
            if len(pieces) >= PIECES_MAX:
                self._write(pieces)
                pieces = []
        self._write(pieces)

    def _write(self, pieces: list[bytes]) -> None:
        written = os.writev(self._descriptor, pieces) if HAS_WRITEV and pieces else 0
        self.size_bytes += written
        missing = sum(map(len, pieces)) - written
        view = memoryview(b"".join(pieces))[written:] if missing else memoryview(b"")
        while view:
            written = os.write(self._descriptor, view)
            self.size_bytes += written
            view = view[written:]


def create(path: str) -> int:
    """A descriptor of a new file, for writing. Raises KafkaCompatError."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), FILE_MODE)
    except FileExistsError:
        raise KafkaCompatError(f"{path} exists: name another file for the capture, or remove this one") from None
    except OSError as error:
        raise KafkaCompatError(f"{path} cannot be created: {error.strerror or error}") from None


def _counter_us() -> int:
    return time.monotonic_ns() // 1_000


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000
