"""DeleteTopics."""

KEY = 20
LISTENERS = ("broker", "controller")

REQUEST = """
DeleteTopicsRequest 1-6 flexible=4+
    topics        []DeleteTopicState  6+
        name      string              6+   nullable default=null
        topic_id  uuid                6+
    topic_names   []string            0-5  ignorable
    timeout_ms    int32               0+
"""

RESPONSE = """
DeleteTopicsResponse 1-6 flexible=4+
    throttle_time_ms   int32                   1+  ignorable
    responses          []DeletableTopicResult  0+
        name           string                  0+  nullable=6+ key
        topic_id       uuid                    6+  ignorable
        error_code     int16                   0+
        error_message  string                  5+  nullable default=null ignorable
"""
