"""DescribeQuorum."""

KEY = 55
LISTENERS = ("broker", "controller")

REQUEST = """
DescribeQuorumRequest 0-2 flexible=0+
    topics                   []TopicData      0+
        topic_name           string           0+
        partitions           []PartitionData  0+
            partition_index  int32            0+
"""

RESPONSE = """
DescribeQuorumResponse 0-2 flexible=0+
    error_code               int16            0+
    error_message            string           2+  nullable ignorable
    topics                   []TopicData      0+
        topic_name           string           0+
        partitions           []PartitionData  0+
            partition_index  int32            0+
            error_code       int16            0+
            error_message    string           2+  nullable ignorable
            leader_id        int32            0+
            leader_epoch     int32            0+
            high_watermark   int64            0+
            current_voters   []ReplicaState   0+
            observers        []ReplicaState   0+
    nodes                    []Node           2+
        node_id              int32            2+  key
        listeners            []Listener       2+
            name             string           2+  key
            host             string           2+
            port             uint16           2+
ReplicaState 0+
    replica_id                int32  0+
    replica_directory_id      uuid   2+
    log_end_offset            int64  0+
    last_fetch_timestamp      int64  1+  default=-1 ignorable
    last_caught_up_timestamp  int64  1+  default=-1 ignorable
"""
