"""PushTelemetry."""

KEY = 72
LISTENERS = ("broker",)

REQUEST = """
PushTelemetryRequest 0 flexible=0+
    client_instance_id  uuid   0+
    subscription_id     int32  0+
    terminating         bool   0+
    compression_type    int8   0+
    metrics             bytes  0+
"""

RESPONSE = """
PushTelemetryResponse 0 flexible=0+
    throttle_time_ms  int32  0+
    error_code        int16  0+
"""
