"""Decodes all batches in bytes of a metadata log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.protocol.records.batch import RecordBatchError, read_header
from kafkacompat.replication.raft.batches import DamagedLogError, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.replication.raft.batches import MetadataBatch


def decode_all(data: bytes) -> Iterator[MetadataBatch]:
    """Batches follow each other without a gap. Raises DamagedLogError."""
    view = memoryview(data)
    pos = 0
    while pos < len(view):
        try:
            header = read_header(view, pos)
        except RecordBatchError as error:
            raise DamagedLogError(f"position {pos}: {error}") from error
        yield decode(header, view, pos)
        pos += header.size_bytes
