"""ShareAcknowledge."""

KEY = 79
LISTENERS = ("broker",)

REQUEST = """
ShareAcknowledgeRequest 1-2 flexible=0+
    group_id                         string                  0+  nullable default=null
    member_id                        string                  0+  nullable
    share_session_epoch              int32                   0+
    is_renew_ack                     bool                    2+
    topics                           []AcknowledgeTopic      0+
        topic_id                     uuid                    0+  key
        partitions                   []AcknowledgePartition  0+
            partition_index          int32                   0+  key
            acknowledgement_batches  []AcknowledgementBatch  0+
                first_offset         int64                   0+
                last_offset          int64                   0+
                acknowledge_types    []int8                  0+
"""

RESPONSE = """
ShareAcknowledgeResponse 1-2 flexible=0+
    throttle_time_ms             int32                            0+
    error_code                   int16                            0+
    error_message                string                           0+  nullable default=null
    acquisition_lock_timeout_ms  int32                            2+  ignorable
    responses                    []ShareAcknowledgeTopicResponse  0+
        topic_id                 uuid                             0+  key
        partitions               []PartitionData                  0+
            partition_index      int32                            0+
            error_code           int16                            0+
            error_message        string                           0+  nullable default=null
            current_leader       LeaderIdAndEpoch                 0+
                leader_id        int32                            0+
                leader_epoch     int32                            0+
    node_endpoints               []NodeEndpoint                   0+
        node_id                  int32                            0+  key
        host                     string                           0+
        port                     int32                            0+
        rack                     string                           0+  nullable default=null
"""
