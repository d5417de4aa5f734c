"""RenewDelegationToken."""

KEY = 39
LISTENERS = ("broker", "controller")

REQUEST = """
RenewDelegationTokenRequest 1-2 flexible=2+
    hmac             bytes  0+
    renew_period_ms  int64  0+
"""

RESPONSE = """
RenewDelegationTokenResponse 1-2 flexible=2+
    error_code           int16  0+
    expiry_timestamp_ms  int64  0+
    throttle_time_ms     int32  0+
"""
