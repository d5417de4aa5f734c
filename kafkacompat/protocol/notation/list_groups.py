"""ListGroups."""

KEY = 16
LISTENERS = ("broker",)

REQUEST = """
ListGroupsRequest 0-5 flexible=3+
    states_filter  []string  4+
    types_filter   []string  5+
"""

RESPONSE = """
ListGroupsResponse 0-5 flexible=3+
    throttle_time_ms   int32          1+  ignorable
    error_code         int16          0+
    groups             []ListedGroup  0+  pieces
        group_id       string         0+
        protocol_type  string         0+
        group_state    string         4+  ignorable
        group_type     string         5+  ignorable
"""
