"""Control records: keys of all kinds, and the values of end-of-transaction markers.

Keys and markers as in Kafka's ``ControlRecordType`` and ``EndTransactionMarker``. The values of the KRaft kinds are
messages of ``kafkacompat.protocol.internal``.
"""

from struct import Struct

from kafkacompat.protocol.records.batch import CorruptBatchError

ABORT = 0
COMMIT = 1
LEADER_CHANGE = 2
SNAPSHOT_HEADER = 3
SNAPSHOT_FOOTER = 4
KRAFT_VERSION = 5
KRAFT_VOTERS = 6

NAMES = {
    ABORT: "ABORT",
    COMMIT: "COMMIT",
    LEADER_CHANGE: "LEADER_CHANGE",
    SNAPSHOT_HEADER: "SNAPSHOT_HEADER",
    SNAPSHOT_FOOTER: "SNAPSHOT_FOOTER",
    KRAFT_VERSION: "KRAFT_VERSION",
    KRAFT_VOTERS: "KRAFT_VOTERS",
}

_KEY = Struct(">hh")
_END_TRANSACTION = Struct(">hi")
_VERSION = 0


def encode_key(kind: int) -> bytes:
    """Key of a control record of ``kind``: version and kind, both i16."""
    return _KEY.pack(_VERSION, kind)


def decode_key(key: bytes | None) -> int:
    """The kind in a control record's key. Unknown kinds are returned as they are, and readers skip them.

    Raises CorruptBatchError when the key is missing, too short or of a negative version. Longer keys of later
    versions are taken: Kafka promises that the kind stays in its place.
    """
    if key is None or len(key) < _KEY.size:
        raise CorruptBatchError("control record without a whole key")
    version, kind = _KEY.unpack_from(key)
    if version < 0:
        raise CorruptBatchError(f"control record key of version {version}")
    return int(kind)


def encode_end_transaction(coordinator_epoch: int) -> bytes:
    """Value of a COMMIT or ABORT marker."""
    return _END_TRANSACTION.pack(_VERSION, coordinator_epoch)


def decode_end_transaction(value: bytes | None) -> int:
    """The coordinator epoch in a marker's value. Raises CorruptBatchError for an invalid value."""
    if value is None or len(value) < _END_TRANSACTION.size:
        raise CorruptBatchError("end-of-transaction marker without a whole value")
    version, coordinator_epoch = _END_TRANSACTION.unpack_from(value)
    if version < 0:
        raise CorruptBatchError(f"end-of-transaction marker of version {version}")
    return int(coordinator_epoch)
