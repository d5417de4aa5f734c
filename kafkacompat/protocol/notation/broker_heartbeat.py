"""BrokerHeartbeat."""

KEY = 63
LISTENERS = ("controller",)

REQUEST = """
BrokerHeartbeatRequest 0-2 flexible=0+
    broker_id                int32   0+
    broker_epoch             int64   0+  default=-1
    current_metadata_offset  int64   0+
    want_fence               bool    0+
    want_shut_down           bool    0+
    offline_log_dirs         []uuid  1+  tag=0
    cordoned_log_dirs        []uuid  2+  nullable tag=1 default=null
"""

RESPONSE = """
BrokerHeartbeatResponse 0-2 flexible=0+
    throttle_time_ms  int32  0+
    error_code        int16  0+
    is_caught_up      bool   0+
    is_fenced         bool   0+  default=true
    should_shut_down  bool   0+
"""
