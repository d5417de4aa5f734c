"""EndTxn."""

KEY = 26
LISTENERS = ("broker",)

REQUEST = """
EndTxnRequest 0-5 flexible=3+
    transactional_id  string  0+
    producer_id       int64   0+
    producer_epoch    int16   0+
    committed         bool    0+
"""

RESPONSE = """
EndTxnResponse 0-5 flexible=3+
    throttle_time_ms  int32  0+
    error_code        int16  0+
    producer_id       int64  5+  default=-1 ignorable
    producer_epoch    int16  5+  default=-1 ignorable
"""
