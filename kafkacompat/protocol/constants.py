"""Numbers that stand for something else, on the wire and in records: each has its name and its home here, Kafka's name
where Kafka has one. Negative ones mean that there is no value.
"""

LONG_MAX = 2**63 - 1
"""Java's Long.MAX_VALUE: the largest offset, timestamp and producer id, and "no limit" in configs."""

# Record batches (RecordBatch)
NO_TIMESTAMP = -1
NO_PRODUCER_ID = -1
NO_PRODUCER_EPOCH = -1
NO_SEQUENCE = -1
NO_PARTITION_LEADER_EPOCH = -1
"""Of a partition or of the metadata log: unknown, or not named in a request (KIP-320)."""

UNKNOWN_OFFSET = -1
"""UnifiedLog.UNKNOWN_OFFSET, INVALID_OFFSET and INVALID_HIGH_WATERMARK of responses. DeleteRecords asks for the high
watermark with it.
"""

# Nodes
NO_NODE = -1
"""Node.noNode: also the leader that a response does not know, and the vote that was not given."""
NO_BROKER_EPOCH = -1
"""Of a broker that is not registered, and of a request that names none (KIP-903)."""

INVALID_PREFERRED_REPLICA_ID = -1
"""Of a Fetch answer: read from the leader (FetchResponse)."""

# Sessions of Fetch (FetchMetadata)
INVALID_SESSION_ID = 0
INITIAL_EPOCH = 0
FINAL_EPOCH = -1

# Produce (ProduceRequest)
ACKS_NONE, ACKS_LEADER, ACKS_ALL = 0, 1, -1

# Timestamps that ListOffsets asks for (ListOffsetsRequest)
LATEST_TIMESTAMP = -1
EARLIEST_TIMESTAMP = -2
MAX_TIMESTAMP = -3
EARLIEST_LOCAL_TIMESTAMP = -4
LATEST_TIERED_TIMESTAMP = -5
EARLIEST_PENDING_UPLOAD_TIMESTAMP = -6

# CreateTopics
BROKER_DEFAULT = -1
"""As many partitions or replicas as the broker's own settings say (NO_NUM_PARTITIONS, NO_REPLICATION_FACTOR)."""

# Committed offsets
DEFAULT_RETENTION_TIME = -1
"""OffsetCommitRequest: the broker's retention holds."""
NO_EXPIRE_TIMESTAMP = -1
"""OffsetCommitValue, likewise."""
