"""AlterReplicaLogDirs."""

KEY = 34
LISTENERS = ("broker",)

REQUEST = """
AlterReplicaLogDirsRequest 1-2 flexible=2+
    dirs                []AlterReplicaLogDir       0+
        path            string                     0+  key
        topics          []AlterReplicaLogDirTopic  0+
            name        string                     0+  key
            partitions  []int32                    0+
"""

RESPONSE = """
AlterReplicaLogDirsResponse 1-2 flexible=2+
    throttle_time_ms         int32                                0+
    results                  []AlterReplicaLogDirTopicResult      0+
        topic_name           string                               0+
        partitions           []AlterReplicaLogDirPartitionResult  0+
            partition_index  int32                                0+
            error_code       int16                                0+
"""
