"""OffsetDelete."""

KEY = 47
LISTENERS = ("broker",)

REQUEST = """
OffsetDeleteRequest 0
    group_id                 string                          0+
    topics                   []OffsetDeleteRequestTopic      0+
        name                 string                          0+  key
        partitions           []OffsetDeleteRequestPartition  0+
            partition_index  int32                           0+
"""

RESPONSE = """
OffsetDeleteResponse 0
    error_code               int16                            0+
    throttle_time_ms         int32                            0+  ignorable
    topics                   []OffsetDeleteResponseTopic      0+
        name                 string                           0+  key
        partitions           []OffsetDeleteResponsePartition  0+
            partition_index  int32                            0+  key
            error_code       int16                            0+
"""
