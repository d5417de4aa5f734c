"""AlterClientQuotas."""

KEY = 49
LISTENERS = ("broker", "controller")

REQUEST = """
AlterClientQuotasRequest 0-1 flexible=1+
    entries              []EntryData   0+
        entity           []EntityData  0+
            entity_type  string        0+
            entity_name  string        0+  nullable
        ops              []OpData      0+
            key          string        0+
            value        float64       0+
            remove       bool          0+
    validate_only        bool          0+
"""

RESPONSE = """
AlterClientQuotasResponse 0-1 flexible=1+
    throttle_time_ms     int32         0+
    entries              []EntryData   0+
        error_code       int16         0+
        error_message    string        0+  nullable
        entity           []EntityData  0+
            entity_type  string        0+
            entity_name  string        0+  nullable
"""
