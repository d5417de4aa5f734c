"""ListPartitionReassignments."""

KEY = 46
LISTENERS = ("broker", "controller")

REQUEST = """
ListPartitionReassignmentsRequest 0 flexible=0+
    timeout_ms             int32                               0+  default=60000
    topics                 []ListPartitionReassignmentsTopics  0+  nullable default=null
        name               string                              0+
        partition_indexes  []int32                             0+
"""

RESPONSE = """
ListPartitionReassignmentsResponse 0 flexible=0+
    throttle_time_ms           int32                           0+
    error_code                 int16                           0+
    error_message              string                          0+  nullable
    topics                     []OngoingTopicReassignment      0+
        name                   string                          0+
        partitions             []OngoingPartitionReassignment  0+
            partition_index    int32                           0+
            replicas           []int32                         0+
            adding_replicas    []int32                         0+
            removing_replicas  []int32                         0+
"""
