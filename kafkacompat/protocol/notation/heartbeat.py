"""Heartbeat."""

KEY = 12
LISTENERS = ("broker",)

REQUEST = """
HeartbeatRequest 0-4 flexible=4+
    group_id           string  0+
    generation_id      int32   0+
    member_id          string  0+
    group_instance_id  string  3+  nullable default=null
"""

RESPONSE = """
HeartbeatResponse 0-4 flexible=4+
    throttle_time_ms  int32  1+  ignorable
    error_code        int16  0+
"""
