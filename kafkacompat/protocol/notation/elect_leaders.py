"""ElectLeaders."""

KEY = 43
LISTENERS = ("broker", "controller")

REQUEST = """
ElectLeadersRequest 0-2 flexible=2+
    election_type     int8               1+
    topic_partitions  []TopicPartitions  0+  nullable
        topic         string             0+  key
        partitions    []int32            0+
    timeout_ms        int32              0+  default=60000
"""

RESPONSE = """
ElectLeadersResponse 0-2 flexible=2+
    throttle_time_ms          int32                    0+
    error_code                int16                    1+
    replica_election_results  []ReplicaElectionResult  0+
        topic                 string                   0+
        partition_result      []PartitionResult        0+
            partition_id      int32                    0+
            error_code        int16                    0+
            error_message     string                   0+  nullable
"""
