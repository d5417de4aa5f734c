"""SaslHandshake."""

KEY = 17
LISTENERS = ("broker", "controller")

REQUEST = """
SaslHandshakeRequest 0-1
    mechanism  string  0+
"""

RESPONSE = """
SaslHandshakeResponse 0-1
    error_code  int16     0+
    mechanisms  []string  0+
"""
