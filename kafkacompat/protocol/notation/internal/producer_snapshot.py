"""The producer snapshot file, after its int16 version."""

FRAMING = "none"

RECORDS = """
ProducerSnapshot 1
    crc                           uint32           1
    producer_entries              []ProducerEntry  1
        producer_id               int64            1
        epoch                     int16            1
        last_sequence             int32            1
        last_offset               int64            1
        offset_delta              int32            1
        timestamp                 int64            1
        coordinator_epoch         int32            1
        current_txn_first_offset  int64            1
"""
