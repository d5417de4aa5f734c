"""TxnOffsetCommit."""

KEY = 28
LISTENERS = ("broker",)

REQUEST = """
TxnOffsetCommitRequest 0-6 flexible=3+
    transactional_id                string                             0+
    group_id                        string                             0+
    producer_id                     int64                              0+
    producer_epoch                  int16                              0+
    generation_id_or_member_epoch   int32                              3+   default=-1
    member_id                       string                             3+
    group_instance_id               string                             3+   nullable default=null
    topics                          []TxnOffsetCommitRequestTopic      0+
        name                        string                             0-5  ignorable
        topic_id                    uuid                               6+   ignorable
        partitions                  []TxnOffsetCommitRequestPartition  0+
            partition_index         int32                              0+
            committed_offset        int64                              0+
            committed_leader_epoch  int32                              2+   default=-1 ignorable
            committed_metadata      string                             0+   nullable
"""

RESPONSE = """
TxnOffsetCommitResponse 0-6 flexible=3+
    throttle_time_ms         int32                               0+
    topics                   []TxnOffsetCommitResponseTopic      0+
        name                 string                              0-5  ignorable
        topic_id             uuid                                6+   ignorable
        partitions           []TxnOffsetCommitResponsePartition  0+
            partition_index  int32                               0+
            error_code       int16                               0+
"""
