"""AlterConfigs."""

KEY = 33
LISTENERS = ("broker", "controller")

REQUEST = """
AlterConfigsRequest 0-2 flexible=2+
    resources          []AlterConfigsResource  0+
        resource_type  int8                    0+  key
        resource_name  string                  0+  key
        configs        []AlterableConfig       0+
            name       string                  0+  key
            value      string                  0+  nullable
    validate_only      bool                    0+
"""

RESPONSE = """
AlterConfigsResponse 0-2 flexible=2+
    throttle_time_ms   int32                           0+
    responses          []AlterConfigsResourceResponse  0+
        error_code     int16                           0+
        error_message  string                          0+  nullable
        resource_type  int8                            0+
        resource_name  string                          0+
"""
