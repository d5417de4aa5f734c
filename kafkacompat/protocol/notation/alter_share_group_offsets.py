"""AlterShareGroupOffsets."""

KEY = 91
LISTENERS = ("broker",)

REQUEST = """
AlterShareGroupOffsetsRequest 0 flexible=0+
    group_id                 string                                    0+
    topics                   []AlterShareGroupOffsetsRequestTopic      0+
        topic_name           string                                    0+  key
        partitions           []AlterShareGroupOffsetsRequestPartition  0+
            partition_index  int32                                     0+
            start_offset     int64                                     0+
"""

RESPONSE = """
AlterShareGroupOffsetsResponse 0 flexible=0+
    throttle_time_ms         int32                                      0+
    error_code               int16                                      0+
    error_message            string                                     0+  nullable default=null
    responses                []AlterShareGroupOffsetsResponseTopic      0+
        topic_name           string                                     0+  key
        topic_id             uuid                                       0+
        partitions           []AlterShareGroupOffsetsResponsePartition  0+
            partition_index  int32                                      0+
            error_code       int16                                      0+
            error_message    string                                     0+  nullable default=null
"""
