"""ShareGroupHeartbeat."""

KEY = 76
LISTENERS = ("broker",)

REQUEST = """
ShareGroupHeartbeatRequest 1 flexible=0+
    group_id                string    0+
    member_id               string    0+
    member_epoch            int32     0+
    rack_id                 string    0+  nullable default=null
    subscribed_topic_names  []string  0+  nullable default=null
"""

RESPONSE = """
ShareGroupHeartbeatResponse 1 flexible=0+
    throttle_time_ms       int32              0+
    error_code             int16              0+
    error_message          string             0+  nullable default=null
    member_id              string             0+  nullable default=null
    member_epoch           int32              0+
    heartbeat_interval_ms  int32              0+
    assignment             Assignment         0+  nullable default=null
        topic_partitions   []TopicPartitions  0+
TopicPartitions 0+
    topic_id    uuid     0+
    partitions  []int32  0+
"""
