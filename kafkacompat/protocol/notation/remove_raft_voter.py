"""RemoveRaftVoter."""

KEY = 81
LISTENERS = ("controller", "broker")

REQUEST = """
RemoveRaftVoterRequest 0 flexible=0+
    cluster_id          string  0+  nullable
    voter_id            int32   0+
    voter_directory_id  uuid    0+
"""

RESPONSE = """
RemoveRaftVoterResponse 0 flexible=0+
    throttle_time_ms  int32   0+
    error_code        int16   0+
    error_message     string  0+  nullable ignorable
"""
