"""AddRaftVoter."""

KEY = 80
LISTENERS = ("controller", "broker")

REQUEST = """
AddRaftVoterRequest 0-1 flexible=0+
    cluster_id          string      0+  nullable
    timeout_ms          int32       0+
    voter_id            int32       0+
    voter_directory_id  uuid        0+
    listeners           []Listener  0+
        name            string      0+  key
        host            string      0+
        port            uint16      0+
    ack_when_committed  bool        1+  default=true
"""

RESPONSE = """
AddRaftVoterResponse 0-1 flexible=0+
    throttle_time_ms  int32   0+
    error_code        int16   0+
    error_message     string  0+  nullable ignorable
"""
