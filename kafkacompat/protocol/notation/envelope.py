"""Envelope."""

KEY = 58
LISTENERS = ("controller",)

REQUEST = """
EnvelopeRequest 0 flexible=0+
    request_data         bytes  0+
    request_principal    bytes  0+  nullable
    client_host_address  bytes  0+
"""

RESPONSE = """
EnvelopeResponse 0 flexible=0+
    response_data  bytes  0+  nullable default=null
    error_code     int16  0+
"""
