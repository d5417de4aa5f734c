"""Produce."""

KEY = 0
LISTENERS = ("broker",)

REQUEST = """
ProduceRequest 3-13 flexible=9+
    transactional_id    string                  3+    nullable default=null
    acks                int16                   0+
    timeout_ms          int32                   0+
    topic_data          []TopicProduceData      0+
        name            string                  0-12  ignorable key
        topic_id        uuid                    13+   ignorable key
        partition_data  []PartitionProduceData  0+
            index       int32                   0+
            records     records                 0+    nullable
"""

RESPONSE = """
ProduceResponse 3-13 flexible=9+
    responses                              []TopicProduceResponse       0+
        name                               string                       0-12  ignorable key
        topic_id                           uuid                         13+   ignorable key
        partition_responses                []PartitionProduceResponse   0+
            index                          int32                        0+
            error_code                     int16                        0+
            base_offset                    int64                        0+
            log_append_time_ms             int64                        2+    default=-1 ignorable
            log_start_offset               int64                        5+    default=-1 ignorable
            record_errors                  []BatchIndexAndErrorMessage  8+    ignorable
                batch_index                int32                        8+
                batch_index_error_message  string                       8+    nullable default=null
            error_message                  string                       8+    nullable default=null ignorable
            current_leader                 LeaderIdAndEpoch             10+   tag=0
                leader_id                  int32                        10+   default=-1
                leader_epoch               int32                        10+   default=-1
    throttle_time_ms                       int32                        1+    ignorable
    node_endpoints                         []NodeEndpoint               10+   tag=0
        node_id                            int32                        10+   key
        host                               string                       10+
        port                               int32                        10+
        rack                               string                       10+   nullable default=null
"""
