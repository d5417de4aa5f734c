"""OffsetCommit."""

KEY = 8
LISTENERS = ("broker",)

REQUEST = """
OffsetCommitRequest 2-10 flexible=8+
    group_id                        string                          0+
    generation_id_or_member_epoch   int32                           1+   default=-1 ignorable
    member_id                       string                          1+   ignorable
    group_instance_id               string                          7+   nullable default=null
    retention_time_ms               int64                           2-4  default=-1 ignorable
    topics                          []OffsetCommitRequestTopic      0+
        name                        string                          0-9  ignorable
        topic_id                    uuid                            10+  ignorable
        partitions                  []OffsetCommitRequestPartition  0+
            partition_index         int32                           0+
            committed_offset        int64                           0+
            committed_leader_epoch  int32                           6+   default=-1 ignorable
            committed_metadata      string                          0+   nullable
"""

RESPONSE = """
OffsetCommitResponse 2-10 flexible=8+
    throttle_time_ms         int32                            3+   ignorable
    topics                   []OffsetCommitResponseTopic      0+
        name                 string                           0-9  ignorable
        topic_id             uuid                             10+  ignorable
        partitions           []OffsetCommitResponsePartition  0+
            partition_index  int32                            0+
            error_code       int16                            0+
"""
