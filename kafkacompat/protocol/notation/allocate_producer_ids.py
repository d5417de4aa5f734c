"""AllocateProducerIds."""

KEY = 67
LISTENERS = ("controller",)

REQUEST = """
AllocateProducerIdsRequest 0 flexible=0+
    broker_id     int32  0+
    broker_epoch  int64  0+  default=-1
"""

RESPONSE = """
AllocateProducerIdsResponse 0 flexible=0+
    throttle_time_ms   int32  0+
    error_code         int16  0+
    producer_id_start  int64  0+
    producer_id_len    int32  0+
"""
