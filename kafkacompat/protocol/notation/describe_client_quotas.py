"""DescribeClientQuotas."""

KEY = 48
LISTENERS = ("broker",)

REQUEST = """
DescribeClientQuotasRequest 0-1 flexible=1+
    components       []ComponentData  0+
        entity_type  string           0+
        match_type   int8             0+
        match        string           0+  nullable
    strict           bool             0+
"""

RESPONSE = """
DescribeClientQuotasResponse 0-1 flexible=1+
    throttle_time_ms     int32         0+
    error_code           int16         0+
    error_message        string        0+  nullable
    entries              []EntryData   0+  nullable
        entity           []EntityData  0+
            entity_type  string        0+
            entity_name  string        0+  nullable
        values           []ValueData   0+
            key          string        0+
            value        float64       0+
"""
