"""IncrementalAlterConfigs."""

KEY = 44
LISTENERS = ("broker", "controller")

REQUEST = """
IncrementalAlterConfigsRequest 0-1 flexible=1+
    resources                 []AlterConfigsResource  0+
        resource_type         int8                    0+  key
        resource_name         string                  0+  key
        configs               []AlterableConfig       0+
            name              string                  0+  key
            config_operation  int8                    0+  key
            value             string                  0+  nullable
    validate_only             bool                    0+
"""

RESPONSE = """
IncrementalAlterConfigsResponse 0-1 flexible=1+
    throttle_time_ms   int32                           0+
    responses          []AlterConfigsResourceResponse  0+
        error_code     int16                           0+
        error_message  string                          0+  nullable
        resource_type  int8                            0+
        resource_name  string                          0+
"""
