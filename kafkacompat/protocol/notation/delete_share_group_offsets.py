"""DeleteShareGroupOffsets."""

KEY = 92
LISTENERS = ("broker",)

REQUEST = """
DeleteShareGroupOffsetsRequest 0 flexible=0+
    group_id        string                                 0+
    topics          []DeleteShareGroupOffsetsRequestTopic  0+
        topic_name  string                                 0+
"""

RESPONSE = """
DeleteShareGroupOffsetsResponse 0 flexible=0+
    throttle_time_ms   int32                                   0+
    error_code         int16                                   0+
    error_message      string                                  0+  nullable default=null
    responses          []DeleteShareGroupOffsetsResponseTopic  0+
        topic_name     string                                  0+
        topic_id       uuid                                    0+
        error_code     int16                                   0+
        error_message  string                                  0+  nullable default=null
"""
