"""SyncGroup."""

KEY = 14
LISTENERS = ("broker",)

REQUEST = """
SyncGroupRequest 0-5 flexible=4+
    group_id           string                        0+
    generation_id      int32                         0+
    member_id          string                        0+
    group_instance_id  string                        3+  nullable default=null
    protocol_type      string                        5+  nullable default=null ignorable
    protocol_name      string                        5+  nullable default=null ignorable
    assignments        []SyncGroupRequestAssignment  0+
        member_id      string                        0+
        assignment     bytes                         0+
"""

RESPONSE = """
SyncGroupResponse 0-5 flexible=4+
    throttle_time_ms  int32   1+  ignorable
    error_code        int16   0+
    protocol_type     string  5+  nullable default=null ignorable
    protocol_name     string  5+  nullable default=null ignorable
    assignment        bytes   0+
"""
