"""CreatePartitions."""

KEY = 37
LISTENERS = ("broker", "controller")

REQUEST = """
CreatePartitionsRequest 0-3 flexible=2+
    topics              []CreatePartitionsTopic       0+
        name            string                        0+  key
        count           int32                         0+
        assignments     []CreatePartitionsAssignment  0+  nullable
            broker_ids  []int32                       0+
    timeout_ms          int32                         0+
    validate_only       bool                          0+
"""

RESPONSE = """
CreatePartitionsResponse 0-3 flexible=2+
    throttle_time_ms   int32                          0+
    results            []CreatePartitionsTopicResult  0+
        name           string                         0+
        error_code     int16                          0+
        error_message  string                         0+  nullable default=null
"""
