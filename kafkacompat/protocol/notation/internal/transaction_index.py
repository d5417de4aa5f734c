"""An entry of a segment's transaction index file, after its int16 version."""

FRAMING = "none"

RECORDS = """
AbortedTxn 0
    producer_id         int64  0+
    first_offset        int64  0+
    last_offset         int64  0+
    last_stable_offset  int64  0+
"""
