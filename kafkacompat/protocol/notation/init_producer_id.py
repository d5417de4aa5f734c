"""InitProducerId."""

KEY = 22
LISTENERS = ("broker",)

REQUEST = """
InitProducerIdRequest 0-6 flexible=2+ unstable
    transactional_id        string  0+  nullable
    transaction_timeout_ms  int32   0+
    producer_id             int64   3+  default=-1
    producer_epoch          int16   3+  default=-1
    enable2_pc              bool    6+
    keep_prepared_txn       bool    6+
"""

RESPONSE = """
InitProducerIdResponse 0-6 flexible=2+
    throttle_time_ms            int32  0+  ignorable
    error_code                  int16  0+
    producer_id                 int64  0+  default=-1
    producer_epoch              int16  0+
    ongoing_txn_producer_id     int64  6+  default=-1
    ongoing_txn_producer_epoch  int16  6+  default=-1
"""
