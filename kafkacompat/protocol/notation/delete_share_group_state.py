"""DeleteShareGroupState."""

KEY = 86
LISTENERS = ("broker",)

REQUEST = """
DeleteShareGroupStateRequest 0 flexible=0+
    group_id           string             0+
    topics             []DeleteStateData  0+
        topic_id       uuid               0+
        partitions     []PartitionData    0+
            partition  int32              0+
"""

RESPONSE = """
DeleteShareGroupStateResponse 0 flexible=0+
    results                []DeleteStateResult  0+
        topic_id           uuid                 0+
        partitions         []PartitionResult    0+
            partition      int32                0+
            error_code     int16                0+
            error_message  string               0+  nullable default=null
"""
