"""AddOffsetsToTxn."""

KEY = 25
LISTENERS = ("broker",)

REQUEST = """
AddOffsetsToTxnRequest 0-4 flexible=3+
    transactional_id  string  0+
    producer_id       int64   0+
    producer_epoch    int16   0+
    group_id          string  0+
"""

RESPONSE = """
AddOffsetsToTxnResponse 0-4 flexible=3+
    throttle_time_ms  int32  0+
    error_code        int16  0+
"""
