"""The columns of both levels, and Spark's type of each."""

from __future__ import annotations

RECORD_FIELDS = {
    "key": "binary", "value": "binary", "topic": "string", "partition": "int", "offset": "bigint",
    "timestamp": "timestamp", "timestampType": "int",
}  # fmt: skip
"""Those of Spark's Kafka source, in its order."""

HEADERS_FIELD = {"headers": "array<struct<key:string,value:binary>>"}
"""With the option `includeHeaders`. A record without headers has null there."""

BATCH_FIELDS_OF_RECORD = {"batchBaseOffset": "bigint", "leaderEpoch": "int", "producerId": "bigint"}
"""With the option `includeBatchFields`: what the record's batch says."""

BATCH_FIELDS = {
    "topic": "string", "partition": "int", "baseOffset": "bigint", "lastOffset": "bigint", "recordCount": "int",
    "leaderEpoch": "int", "sizeBytes": "int", "codec": "string", "timestampType": "int", "isTransactional": "boolean",
    "isControl": "boolean", "baseTimestamp": "bigint", "maxTimestamp": "bigint", "producerId": "bigint",
    "producerEpoch": "int", "baseSequence": "int", "crc": "bigint", "computedCrc": "bigint", "file": "string",
    "position": "bigint",
}  # fmt: skip
"""With `level=batches`: the batch's header, its computed checksum, and where it is. Timestamps are in ms, as stored."""

RAW_FIELD = {"batch": "binary"}
"""With `level=batches` and `includeBatchBytes`: the batch as it is in the file."""
