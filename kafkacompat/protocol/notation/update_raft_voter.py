"""UpdateRaftVoter."""

KEY = 82
LISTENERS = ("controller",)

REQUEST = """
UpdateRaftVoterRequest 0 flexible=0+
    cluster_id                 string               0+  nullable
    current_leader_epoch       int32                0+
    voter_id                   int32                0+
    voter_directory_id         uuid                 0+
    listeners                  []Listener           0+
        name                   string               0+  key
        host                   string               0+
        port                   uint16               0+
    kraft_version_feature      KRaftVersionFeature  0+
        min_supported_version  int16                0+
        max_supported_version  int16                0+
"""

RESPONSE = """
UpdateRaftVoterResponse 0 flexible=0+
    throttle_time_ms  int32          0+
    error_code        int16          0+
    current_leader    CurrentLeader  0+  tag=0
        leader_id     int32          0+  default=-1
        leader_epoch  int32          0+  default=-1
        host          string         0+
        port          int32          0+
"""
