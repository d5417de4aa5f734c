"""The format of captured traffic (`.kct`): a line of JSON, then entries with the bytes of frames. Described in
docs/traffic.md.

A file grows only at its end, and every entry has its size and checksum: a file that was cut anywhere can be read up to
that place.
"""

from __future__ import annotations

import json
import os
from struct import Struct
from typing import NamedTuple
from zlib import crc32

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

VERSION = 1
VERSION_FIELD = "kafkacompat_capture"
HEADER_MAX_BYTES = 64 * 1024
PAYLOAD_MAX_BYTES = 200 << 20
"""Twice the largest request that a broker takes by default. What is larger is no frame."""

OPEN, CLOSE, REQUEST, RESPONSE, END = 1, 2, 3, 4, 5
"""Kinds of entries. The payload of OPEN, CLOSE and END is a JSON object, that of others a frame without its size."""
NAMES = {OPEN: "open", CLOSE: "close", REQUEST: "request", RESPONSE: "response", END: "end"}
REDACTED = 1
"""Flag: bytes of the frame were replaced, so that no secret is in the file."""

_SIZE = Struct(">I")
_FIELDS = Struct(">BBhhiIqq")
_START = Struct(">IBBhhiIqq")
_CRC = Struct(">I")
_AROUND_BYTES = _FIELDS.size + _CRC.size
ENTRY_OVERHEAD_BYTES = _SIZE.size + _AROUND_BYTES


class CaptureFileError(KafkaCompatError):
    """A file that is no capture, or is damaged."""


class Entry(NamedTuple):
    """One entry of a capture.

    connection: counted from 1 through the whole file. at_us: microseconds since the capture began, by a clock that only
    counts. wall_ms: the time of day, since 1970. api_key, api_version, correlation_id: those of the request, in its
    response as well; 0 in other kinds. position: where the entry begins in the file.
    """

    kind: int
    flags: int
    api_key: int
    api_version: int
    correlation_id: int
    connection: int
    at_us: int
    wall_ms: int
    payload: bytes
    position: int = 0

    @property
    def fields(self) -> dict[str, Any]:
        """The JSON object of an OPEN, CLOSE or END."""
        return _object(self.payload, f"the entry at byte {self.position}")


def end_entry(reason: str, at_us: int, wall_ms: int) -> Entry:
    """The last entry of a file. reason: why the capture ended."""
    return Entry(END, 0, 0, 0, 0, 0, at_us, wall_ms, json.dumps({"reason": reason}).encode())


def encode_header(header: dict[str, Any]) -> bytes:
    """The first line of a file."""
    return json.dumps({VERSION_FIELD: VERSION, **header}).encode() + b"\n"


def entry_pieces(entry: Entry) -> tuple[bytes, bytes, bytes]:
    """One entry, with its size and checksum. The payload is not copied."""
    payload = entry.payload
    start = _START.pack(_AROUND_BYTES + len(payload), *entry[:8])
    return start, payload, _CRC.pack(crc32(payload, crc32(start[_SIZE.size :])))


class CaptureFile:
    """A capture, to be read from its beginning to its end; at most one entry is in memory.

    header: the first line. cut_at: the byte where the last whole entry ends, if something less than an entry follows;
    None if the file ends with an entry. Both that and `end`, the fields of the END entry, are known after iterating.
    Raises CaptureFileError for a file that is no capture or cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.cut_at: int | None = None
        self.end: dict[str, Any] | None = None
        try:
            self._file: BinaryIO = open(self.path, "rb")  # noqa: PTH123, SIM115 (pathlib costs start-up time)
        except OSError as error:
            raise CaptureFileError(f"{self.path}: {error.strerror or error}") from None
        try:
            self.header = self._read_header()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> CaptureFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Entry]:
        """The entries in order. Raises CaptureFileError where the file is damaged, after the entries before that."""
        size_bytes = os.fstat(self._file.fileno()).st_size
        position = self._file.tell()
        while True:
            start = self._file.read(_SIZE.size)
            if len(start) < _SIZE.size:
                self.cut_at = position if start else None
                return
            (size,) = _SIZE.unpack(start)
            if not _AROUND_BYTES <= size <= _AROUND_BYTES + PAYLOAD_MAX_BYTES:
                raise CaptureFileError(
                    f"{self.path}: an entry of {size} bytes at byte {position}; allowed are {_AROUND_BYTES} to "
                    f"{_AROUND_BYTES + PAYLOAD_MAX_BYTES}. The file is damaged from there on"
                )
            if size > size_bytes - position - _SIZE.size:
                self.cut_at = position
                return
            entry = self._entry(self._file.read(size), position)
            position += _SIZE.size + size
            if entry.kind == END:
                self.end = entry.fields
            yield entry

    def _read_header(self) -> dict[str, Any]:
        line = self._file.readline(HEADER_MAX_BYTES)
        if not line.startswith(b'{"' + VERSION_FIELD.encode()) or not line.endswith(b"\n"):
            raise CaptureFileError(f"{self.path} is no capture of traffic: its first line is not that of one")
        header = _object(line, f"{self.path}: the first line")
        if header[VERSION_FIELD] != VERSION:
            raise CaptureFileError(
                f"{self.path} has version {header[VERSION_FIELD]!r} of the format; this release reads {VERSION}"
            )
        return header

    def _entry(self, data: bytes, position: int) -> Entry:
        at = len(data) - _CRC.size
        if at < _FIELDS.size or crc32(memoryview(data)[:at]) != _CRC.unpack_from(data, at)[0]:
            raise CaptureFileError(f"{self.path}: the checksum of the entry at byte {position} is wrong: it is damaged")
        kind, flags, key, version, correlation_id, connection, at_us, wall_ms = _FIELDS.unpack_from(data)
        payload = data[_FIELDS.size : at]
        entry = Entry(kind, flags, key, version, correlation_id, connection, at_us, wall_ms, payload, position)
        if entry.kind not in NAMES:
            raise CaptureFileError(f"{self.path}: an entry of kind {entry.kind} at byte {position} is unknown here")
        return entry


def _object(data: bytes, what: str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise CaptureFileError(f"{what} is not a JSON object")
    return found
