"""CreateTopics."""

KEY = 19
LISTENERS = ("broker", "controller")

REQUEST = """
CreateTopicsRequest 2-7 flexible=5+
    topics                   []CreatableTopic              0+
        name                 string                        0+  key
        num_partitions       int32                         0+
        replication_factor   int16                         0+
        assignments          []CreatableReplicaAssignment  0+
            partition_index  int32                         0+  key
            broker_ids       []int32                       0+
        configs              []CreatableTopicConfig        0+
            name             string                        0+  key
            value            string                        0+  nullable
    timeout_ms               int32                         0+  default=60000
    validate_only            bool                          1+
"""

RESPONSE = """
CreateTopicsResponse 2-7 flexible=5+
    throttle_time_ms             int32                    2+  ignorable
    topics                       []CreatableTopicResult   0+  pieces
        name                     string                   0+  key
        topic_id                 uuid                     7+  ignorable
        error_code               int16                    0+
        error_message            string                   1+  nullable=0+ ignorable
        topic_config_error_code  int16                    5+  tag=0 ignorable
        num_partitions           int32                    5+  default=-1 ignorable
        replication_factor       int16                    5+  default=-1 ignorable
        configs                  []CreatableTopicConfigs  5+  nullable ignorable
            name                 string                   5+
            value                string                   5+  nullable
            read_only            bool                     5+
            config_source        int8                     5+  default=-1 ignorable
            is_sensitive         bool                     5+
"""
