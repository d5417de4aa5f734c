"""ListConfigResources."""

KEY = 74
LISTENERS = ("broker",)

REQUEST = """
ListConfigResourcesRequest 0-1 flexible=0+
    resource_types  []int8  1+
"""

RESPONSE = """
ListConfigResourcesResponse 0-1 flexible=0+
    throttle_time_ms   int32             0+
    error_code         int16             0+
    config_resources   []ConfigResource  0+
        resource_name  string            0+
        resource_type  int8              1+  default=16 ignorable
"""
