"""DeleteRecords."""

KEY = 21
LISTENERS = ("broker",)

REQUEST = """
DeleteRecordsRequest 0-2 flexible=2+
    topics                   []DeleteRecordsTopic      0+
        name                 string                    0+
        partitions           []DeleteRecordsPartition  0+
            partition_index  int32                     0+
            offset           int64                     0+
    timeout_ms               int32                     0+
"""

RESPONSE = """
DeleteRecordsResponse 0-2 flexible=2+
    throttle_time_ms         int32                           0+
    topics                   []DeleteRecordsTopicResult      0+
        name                 string                          0+  key
        partitions           []DeleteRecordsPartitionResult  0+
            partition_index  int32                           0+  key
            low_watermark    int64                           0+
            error_code       int16                           0+
"""
