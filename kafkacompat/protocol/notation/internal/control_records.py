"""Control records.

A key is a ControlRecordTypeSchema after its int16 version. So is the value EndTxnMarker; the other values begin
with a field of their own for the version.
"""

FRAMING = "none"

RECORDS = """
ControlRecordTypeSchema 0
    type  int16  0+

EndTxnMarker 0
    coordinator_epoch  int32  0+

KRaftVersionRecord 0 flexible=0+
    version        int16  0+
    kraft_version  int16  0+

LeaderChangeMessage 0-1 flexible=0+
    version          int16    0+
    leader_id        int32    0+
    voters           []Voter  0+
    granting_voters  []Voter  0+
Voter 0+
    voter_id            int32  0+
    voter_directory_id  uuid   1+

SnapshotFooterRecord 0 flexible=0+
    version  int16  0+

SnapshotHeaderRecord 0 flexible=0+
    version                       int16  0+
    last_contained_log_timestamp  int64  0+

VotersRecord 0 flexible=0+
    version                        int16                0+
    voters                         []Voter              0+
        voter_id                   int32                0+
        voter_directory_id         uuid                 0+
        endpoints                  []Endpoint           0+
            name                   string               0+  key
            host                   string               0+
            port                   uint16               0+
        kraft_version_feature      KRaftVersionFeature  0+
            min_supported_version  int16                0+
            max_supported_version  int16                0+
"""
