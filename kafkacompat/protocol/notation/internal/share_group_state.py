"""Records of __share_group_state."""

FRAMING = "coordinator"

RECORDS = """
ShareSnapshotKey 0 key=0
    group_id   string  0
    topic_id   uuid    0
    partition  int32   0

ShareSnapshotValue 0 flexible=0+ key=0
    snapshot_epoch           int32         0+
    state_epoch              int32         0+
    leader_epoch             int32         0+
    start_offset             int64         0+
    delivery_complete_count  int32         0+  tag=0 default=-1
    create_timestamp         int64         0+
    write_timestamp          int64         0+
    state_batches            []StateBatch  0+
        first_offset         int64         0+
        last_offset          int64         0+
        delivery_state       int8          0+
        delivery_count       int16         0+

ShareUpdateKey 0 key=1
    group_id   string  0
    topic_id   uuid    0
    partition  int32   0

ShareUpdateValue 0 flexible=0+ key=1
    snapshot_epoch           int32         0+
    leader_epoch             int32         0+
    start_offset             int64         0+
    delivery_complete_count  int32         0+  tag=0 default=-1
    state_batches            []StateBatch  0+
        first_offset         int64         0+
        last_offset          int64         0+
        delivery_state       int8          0+
        delivery_count       int16         0+
"""
