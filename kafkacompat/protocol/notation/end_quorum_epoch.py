"""EndQuorumEpoch."""

KEY = 54
LISTENERS = ("controller",)

REQUEST = """
EndQuorumEpochRequest 0-1 flexible=1+
    cluster_id                          string            0+  nullable default=null
    topics                              []TopicData       0+
        topic_name                      string            0+
        partitions                      []PartitionData   0+
            partition_index             int32             0+
            leader_id                   int32             0+
            leader_epoch                int32             0+
            preferred_successors        []int32           0   ignorable
            preferred_candidates        []ReplicaInfo     1+  ignorable
                candidate_id            int32             1+
                candidate_directory_id  uuid              1+
    leader_endpoints                    []LeaderEndpoint  1+  ignorable
        name                            string            1+  key
        host                            string            1+
        port                            uint16            1+
"""

RESPONSE = """
EndQuorumEpochResponse 0-1 flexible=1+
    error_code               int16            0+
    topics                   []TopicData      0+
        topic_name           string           0+
        partitions           []PartitionData  0+
            partition_index  int32            0+
            error_code       int16            0+
            leader_id        int32            0+
            leader_epoch     int32            0+
    node_endpoints           []NodeEndpoint   1+  tag=0
        node_id              int32            1+  key
        host                 string           1+
        port                 uint16           1+
"""
