"""What a reader of committed records needs to know of a log: where it ends for him, and what was aborted."""

from __future__ import annotations

from pathlib import Path

from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.records.batch import BatchHeader, RecordBatchError
from kafkacompat.protocol.records.control import ABORT, decode_key
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.spark.log.log_files import LogReadError, PartitionLog, SegmentFile, headers_from, position_of
from kafkacompat.spark.log.split import Aborted
from kafkacompat.storage.errors import CorruptSnapshotError
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.index import CorruptIndexError
from kafkacompat.storage.producer_snapshots import SNAPSHOT_SUFFIX
from kafkacompat.storage.producer_state import ProducerState
from kafkacompat.storage.txn_index import TxnIndex


def transactions(log: PartitionLog, end_offset: int) -> tuple[int, list[Aborted]]:
    """The last stable offset of a log that is read up to `end_offset`, and the transactions that were aborted below.

    The newest producer snapshot says which were open there. Batches behind it are looked at one by one, by header;
    what was aborted before it is in the transaction indexes. Raises LogReadError.
    """
    known, open_since = _snapshot(log, end_offset)
    aborted = _indexed(log, known)
    for segment in log.segments:
        if segment.next_base_offset <= known or segment.base_offset >= end_offset:
            continue
        for position, header in headers_from(segment, position_of(segment, known)):
            if header.base_offset >= end_offset:
                break
            if header.base_offset >= known and header.is_transactional:
                if not header.is_control:
                    open_since.setdefault(header.producer_id, header.base_offset)
                    continue
                first = open_since.pop(header.producer_id, None)
                if first is not None and _is_abort(segment, position, header):
                    aborted.append(Aborted(header.producer_id, first, header.last_offset))
    return min([end_offset, *open_since.values()]), aborted


def _snapshot(log: PartitionLog, end_offset: int) -> tuple[int, dict[int, int]]:
    """Offset of the newest snapshot that can be read, and the first offset of each transaction that is open there."""
    files = [path for path in Path(log.segments[0].path).parent.glob(f"*{SNAPSHOT_SUFFIX}") if path.stem.isdecimal()]
    for path in sorted(files, reverse=True):
        offset = int(path.stem)
        if offset <= end_offset:
            try:
                state = ProducerState.decode(path.read_bytes(), offset)
            except (CorruptSnapshotError, FileNotFoundError):
                continue
            entries = state.entries.values()
            return offset, {
                entry.producer_id: entry.transaction_first_offset
                for entry in entries
                if entry.transaction_first_offset != UNKNOWN_OFFSET
            }
    return 0, {}


def _indexed(log: PartitionLog, end_offset: int) -> list[Aborted]:
    """The transactions whose markers are below `end_offset`, out of the indexes."""
    found = []
    for segment in log.segments:
        path = Path(segment.path).with_suffix(TxnIndex.suffix)
        if segment.base_offset >= end_offset or not path.exists():
            continue
        try:
            entries = TxnIndex.load(RealFs(), str(path.with_suffix("")), segment.base_offset).entries()
        except (CorruptIndexError, OSError) as error:
            raise LogReadError(
                f"{path} cannot be read ({error}), so it is unknown what was aborted: read another replica, or with "
                'option("isolation", "read_uncommitted")'
            ) from None
        for _, producer_id, first, last, _ in entries:
            if last < end_offset:
                found.append(Aborted(producer_id, first, last))
    return found


def _is_abort(segment: SegmentFile, position: int, header: BatchHeader) -> bool:
    with Path(segment.path).open("rb") as file:
        file.seek(position)
        batch = file.read(header.size_bytes)
    try:
        return any(decode_key(record.key) == ABORT for record in read_records(batch))
    except RecordBatchError as error:
        raise LogReadError(f"{segment.path}, position {position}: marker of a transaction: {error}") from None
