"""The embedded protocol of classic consumer groups (subscriptions and assignments), each after its int16 version."""

FRAMING = "none"

RECORDS = """
ConsumerProtocolAssignment 0-3
    assigned_partitions  []TopicPartition  0+
        topic            string            0+  key
        partitions       []int32           0+
    user_data            bytes             0+  nullable default=null

ConsumerProtocolSubscription 0-3
    topics            []string          0+
    user_data         bytes             0+  nullable default=null
    owned_partitions  []TopicPartition  1+  ignorable
        topic         string            1+  key
        partitions    []int32           1+
    generation_id     int32             2+  default=-1 ignorable
    rack_id           string            3+  nullable default=null ignorable
"""
