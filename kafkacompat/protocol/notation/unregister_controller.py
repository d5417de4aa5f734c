"""UnregisterController."""

KEY = 94
LISTENERS = ("broker", "controller")

REQUEST = """
UnregisterControllerRequest 0 flexible=0+
    controller_id  int32  0+
"""

RESPONSE = """
UnregisterControllerResponse 0 flexible=0+
    throttle_time_ms  int32   0+
    error_code        int16   0+
    error_message     string  0+  nullable
"""
