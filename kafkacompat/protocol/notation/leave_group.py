"""LeaveGroup."""

KEY = 13
LISTENERS = ("broker",)

REQUEST = """
LeaveGroupRequest 0-5 flexible=4+
    group_id               string            0+
    member_id              string            0-2
    members                []MemberIdentity  3+
        member_id          string            3+
        group_instance_id  string            3+   nullable default=null
        reason             string            5+   nullable default=null ignorable
"""

RESPONSE = """
LeaveGroupResponse 0-5 flexible=4+
    throttle_time_ms       int32             1+  ignorable
    error_code             int16             0+
    members                []MemberResponse  3+
        member_id          string            3+
        group_instance_id  string            3+  nullable
        error_code         int16             3+
"""
