"""DeleteGroups."""

KEY = 42
LISTENERS = ("broker",)

REQUEST = """
DeleteGroupsRequest 0-3 flexible=2+
    groups_names  []string  0+
"""

RESPONSE = """
DeleteGroupsResponse 0-3 flexible=2+
    throttle_time_ms   int32                   0+
    results            []DeletableGroupResult  0+
        group_id       string                  0+  key
        error_code     int16                   0+
        error_message  string                  3+  nullable default=null ignorable
"""
