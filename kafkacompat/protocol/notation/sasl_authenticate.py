"""SaslAuthenticate."""

KEY = 36
LISTENERS = ("broker", "controller")

REQUEST = """
SaslAuthenticateRequest 0-2 flexible=2+
    auth_bytes  bytes  0+
"""

RESPONSE = """
SaslAuthenticateResponse 0-2 flexible=2+
    error_code           int16   0+
    error_message        string  0+  nullable
    auth_bytes           bytes   0+
    session_lifetime_ms  int64   1+  ignorable
"""
