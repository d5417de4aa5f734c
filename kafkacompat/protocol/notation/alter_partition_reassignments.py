"""AlterPartitionReassignments."""

KEY = 45
LISTENERS = ("broker", "controller")

REQUEST = """
AlterPartitionReassignmentsRequest 0-1 flexible=0+
    timeout_ms                       int32                    0+  default=60000
    allow_replication_factor_change  bool                     1+  default=true
    topics                           []ReassignableTopic      0+
        name                         string                   0+
        partitions                   []ReassignablePartition  0+
            partition_index          int32                    0+
            replicas                 []int32                  0+  nullable default=null
"""

RESPONSE = """
AlterPartitionReassignmentsResponse 0-1 flexible=0+
    throttle_time_ms                 int32                            0+
    allow_replication_factor_change  bool                             1+  default=true ignorable
    error_code                       int16                            0+
    error_message                    string                           0+  nullable
    responses                        []ReassignableTopicResponse      0+
        name                         string                           0+
        partitions                   []ReassignablePartitionResponse  0+
            partition_index          int32                            0+
            error_code               int16                            0+
            error_message            string                           0+  nullable
"""
