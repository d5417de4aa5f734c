"""AssignReplicasToDirs."""

KEY = 73
LISTENERS = ("controller",)

REQUEST = """
AssignReplicasToDirsRequest 0 flexible=0+
    broker_id                    int32            0+
    broker_epoch                 int64            0+  default=-1
    directories                  []DirectoryData  0+
        id                       uuid             0+
        topics                   []TopicData      0+
            topic_id             uuid             0+
            partitions           []PartitionData  0+
                partition_index  int32            0+
"""

RESPONSE = """
AssignReplicasToDirsResponse 0 flexible=0+
    throttle_time_ms             int32            0+
    error_code                   int16            0+
    directories                  []DirectoryData  0+
        id                       uuid             0+
        topics                   []TopicData      0+
            topic_id             uuid             0+
            partitions           []PartitionData  0+
                partition_index  int32            0+
                error_code       int16            0+
"""
