"""Records of __transaction_state."""

FRAMING = "coordinator"

RECORDS = """
TransactionLogKey 0 key=0
    transactional_id  string  0

TransactionLogValue 0-1 flexible=1+ key=0
    producer_id                           int64               0+
    previous_producer_id                  int64               1+  tag=0 default=-1
    next_producer_id                      int64               1+  tag=1 default=-1
    producer_epoch                        int16               0+
    next_producer_epoch                   int16               1+  tag=3 default=-1
    transaction_timeout_ms                int32               0+
    transaction_status                    int8                0+
    transaction_partitions                []PartitionsSchema  0+  nullable
        topic                             string              0+
        partition_ids                     []int32             0+
    transaction_last_update_timestamp_ms  int64               0+
    transaction_start_timestamp_ms        int64               0+
    client_transaction_version            int16               1+  tag=2
"""
