"""DescribeShareGroupOffsets."""

KEY = 90
LISTENERS = ("broker",)

REQUEST = """
DescribeShareGroupOffsetsRequest 0-1 flexible=0+
    groups              []DescribeShareGroupOffsetsRequestGroup  0+
        group_id        string                                   0+
        topics          []DescribeShareGroupOffsetsRequestTopic  0+  nullable
            topic_name  string                                   0+
            partitions  []int32                                  0+
"""

RESPONSE = """
DescribeShareGroupOffsetsResponse 0-1 flexible=0+
    throttle_time_ms             int32                                         0+
    groups                       []DescribeShareGroupOffsetsResponseGroup      0+
        group_id                 string                                        0+
        topics                   []DescribeShareGroupOffsetsResponseTopic      0+
            topic_name           string                                        0+
            topic_id             uuid                                          0+
            partitions           []DescribeShareGroupOffsetsResponsePartition  0+
                partition_index  int32                                         0+
                start_offset     int64                                         0+
                leader_epoch     int32                                         0+
                lag              int64                                         1+  default=-1 ignorable
                error_code       int16                                         0+
                error_message    string                                        0+  nullable default=null
        error_code               int16                                         0+
        error_message            string                                        0+  nullable default=null
"""
