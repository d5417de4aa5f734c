"""Records of __remote_log_metadata."""

FRAMING = "metadata"

RECORDS = """
RemoteLogSegmentMetadataRecord 0 flexible=0+ key=0
    remote_log_segment_id     RemoteLogSegmentIdEntry    0+
        topic_id_partition    TopicIdPartitionEntry      0+
            name              string                     0+
            id                uuid                       0+
            partition         int32                      0+
        id                    uuid                       0+
    start_offset              int64                      0+
    end_offset                int64                      0+
    broker_id                 int32                      0+
    max_timestamp_ms          int64                      0+
    event_timestamp_ms        int64                      0+
    segment_leader_epochs     []SegmentLeaderEpochEntry  0+
        leader_epoch          int32                      0+
        offset                int64                      0+
    segment_size_in_bytes     int32                      0+
    custom_metadata           bytes                      0+  nullable default=null
    remote_log_segment_state  int8                       0+
    txn_index_empty           bool                       0+  tag=0

RemoteLogSegmentMetadataUpdateRecord 0 flexible=0+ key=1
    remote_log_segment_id     RemoteLogSegmentIdEntry  0+
        topic_id_partition    TopicIdPartitionEntry    0+
            name              string                   0+
            id                uuid                     0+
            partition         int32                    0+
        id                    uuid                     0+
    broker_id                 int32                    0+
    event_timestamp_ms        int64                    0+
    custom_metadata           bytes                    0+  nullable default=null
    remote_log_segment_state  int8                     0+

RemotePartitionDeleteMetadataRecord 0 flexible=0+ key=2
    topic_id_partition             TopicIdPartitionEntry  0+
        name                       string                 0+
        id                         uuid                   0+
        partition                  int32                  0+
    broker_id                      int32                  0+
    event_timestamp_ms             int64                  0+
    remote_partition_delete_state  int8                   0+

RemoteLogSegmentMetadataSnapshotRecord 0 flexible=0+ key=3
    segment_id                uuid                       0+
    start_offset              int64                      0+
    end_offset                int64                      0+
    broker_id                 int32                      0+
    max_timestamp_ms          int64                      0+
    event_timestamp_ms        int64                      0+
    segment_leader_epochs     []SegmentLeaderEpochEntry  0+
        leader_epoch          int32                      0+
        offset                int64                      0+
    segment_size_in_bytes     int32                      0+
    custom_metadata           bytes                      0+  nullable default=null
    remote_log_segment_state  int8                       0+
    txn_index_empty           bool                       0+  tag=0
"""
