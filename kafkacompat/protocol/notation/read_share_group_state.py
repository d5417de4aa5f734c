"""ReadShareGroupState."""

KEY = 84
LISTENERS = ("broker",)

REQUEST = """
ReadShareGroupStateRequest 0 flexible=0+
    group_id              string           0+
    topics                []ReadStateData  0+
        topic_id          uuid             0+
        partitions        []PartitionData  0+
            partition     int32            0+
            leader_epoch  int32            0+
"""

RESPONSE = """
ReadShareGroupStateResponse 0 flexible=0+
    results                     []ReadStateResult  0+
        topic_id                uuid               0+
        partitions              []PartitionResult  0+
            partition           int32              0+
            error_code          int16              0+
            error_message       string             0+  nullable default=null
            state_epoch         int32              0+
            start_offset        int64              0+
            state_batches       []StateBatch       0+
                first_offset    int64              0+
                last_offset     int64              0+
                delivery_state  int8               0+
                delivery_count  int16              0+
"""
