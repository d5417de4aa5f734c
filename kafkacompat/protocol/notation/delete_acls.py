"""DeleteAcls."""

KEY = 31
LISTENERS = ("broker", "controller")

REQUEST = """
DeleteAclsRequest 1-3 flexible=2+
    filters                   []DeleteAclsFilter  0+
        resource_type_filter  int8                0+
        resource_name_filter  string              0+  nullable
        pattern_type_filter   int8                1+  default=3
        principal_filter      string              0+  nullable
        host_filter           string              0+  nullable
        operation             int8                0+
        permission_type       int8                0+
"""

RESPONSE = """
DeleteAclsResponse 1-3 flexible=2+
    throttle_time_ms         int32                     0+
    filter_results           []DeleteAclsFilterResult  0+
        error_code           int16                     0+
        error_message        string                    0+  nullable
        matching_acls        []DeleteAclsMatchingAcl   0+
            error_code       int16                     0+
            error_message    string                    0+  nullable
            resource_type    int8                      0+
            resource_name    string                    0+
            pattern_type     int8                      1+  default=3
            principal        string                    0+
            host             string                    0+
            operation        int8                      0+
            permission_type  int8                      0+
"""
