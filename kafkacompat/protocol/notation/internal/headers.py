"""Headers of requests and responses."""

FRAMING = "none"

RECORDS = """
RequestHeader 1-2 flexible=2+
    request_api_key      int16   0+
    request_api_version  int16   0+
    correlation_id       int32   0+
    client_id            string  1+  nullable flexible=none

ResponseHeader 0-1 flexible=1+
    correlation_id  int32  0+
"""
