"""UnregisterBroker."""

KEY = 64
LISTENERS = ("broker", "controller")

REQUEST = """
UnregisterBrokerRequest 0 flexible=0+
    broker_id  int32  0+
"""

RESPONSE = """
UnregisterBrokerResponse 0 flexible=0+
    throttle_time_ms  int32   0+
    error_code        int16   0+
    error_message     string  0+  nullable
"""
