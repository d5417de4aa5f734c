"""Records of __consumer_offsets."""

FRAMING = "coordinator"

RECORDS = """
LegacyOffsetCommitKey 0 key=0
    group      string  0
    topic      string  0
    partition  int32   0

LegacyOffsetCommitValue 0 key=0
    offset            int64   0
    metadata          string  0
    commit_timestamp  int64   0

OffsetCommitKey 0 key=1
    group      string  0
    topic      string  0
    partition  int32   0

OffsetCommitValue 0-4 flexible=4+ key=1
    offset            int64   0+
    leader_epoch      int32   3+  default=-1 ignorable
    metadata          string  0+
    commit_timestamp  int64   0+
    expire_timestamp  int64   1   default=-1 ignorable
    topic_id          uuid    4+  tag=0 ignorable

GroupMetadataKey 0 key=2
    group  string  0

GroupMetadataValue 0-4 flexible=4+ key=2
    protocol_type            string            0+
    generation               int32             0+
    protocol                 string            0+  nullable
    leader                   string            0+  nullable
    current_state_timestamp  int64             2+  default=-1 ignorable
    members                  []MemberMetadata  0+
MemberMetadata 0+
    member_id          string  0+
    group_instance_id  string  3+  nullable default=null ignorable
    client_id          string  0+
    client_host        string  0+
    rebalance_timeout  int32   1+  default=-1 ignorable
    session_timeout    int32   0+
    subscription       bytes   0+
    assignment         bytes   0+

ConsumerGroupMetadataKey 0 key=3
    group_id  string  0

ConsumerGroupMetadataValue 0 flexible=0+ key=3
    epoch          int32  0+
    metadata_hash  int64  0+  tag=0

ConsumerGroupPartitionMetadataKey 0 key=4
    group_id  string  0

ConsumerGroupPartitionMetadataValue 0 flexible=0+ key=4
    topics                  []TopicMetadata      0+
        topic_id            uuid                 0+
        topic_name          string               0+
        num_partitions      int32                0+
        partition_metadata  []PartitionMetadata  0+
            partition       int32                0+
            racks           []string             0+

ConsumerGroupMemberMetadataKey 0 key=5
    group_id   string  0
    member_id  string  0

ConsumerGroupMemberMetadataValue 0 flexible=0+ key=5
    instance_id              string                 0+  nullable
    rack_id                  string                 0+  nullable
    client_id                string                 0+
    client_host              string                 0+
    subscribed_topic_names   []string               0+
    subscribed_topic_regex   string                 0+  nullable
    rebalance_timeout_ms     int32                  0+  default=-1
    server_assignor          string                 0+  nullable
    classic_member_metadata  ClassicMemberMetadata  0+  nullable tag=0
        session_timeout_ms   int32                  0+
        supported_protocols  []ClassicProtocol      0+
            name             string                 0+
            metadata         bytes                  0+

ConsumerGroupTargetAssignmentMetadataKey 0 key=6
    group_id  string  0

ConsumerGroupTargetAssignmentMetadataValue 0 flexible=0+ key=6
    assignment_epoch      int32  0+
    assignment_timestamp  int64  0+  tag=0 ignorable

ConsumerGroupTargetAssignmentMemberKey 0 key=7
    group_id   string  0
    member_id  string  0

ConsumerGroupTargetAssignmentMemberValue 0 flexible=0+ key=7
    topic_partitions  []TopicPartition  0+
        topic_id      uuid              0+
        partitions    []int32           0+

ConsumerGroupCurrentMemberAssignmentKey 0 key=8
    group_id   string  0
    member_id  string  0

ConsumerGroupCurrentMemberAssignmentValue 0 flexible=0+ key=8
    member_epoch                   int32              0+
    previous_member_epoch          int32              0+
    state                          int8               0+
    assigned_partitions            []TopicPartitions  0+
    partitions_pending_revocation  []TopicPartitions  0+
TopicPartitions 0+
    topic_id           uuid     0+
    partitions         []int32  0+
    assignment_epochs  []int32  0+  nullable tag=0

ShareGroupMemberMetadataKey 0 key=10
    group_id   string  0
    member_id  string  0

ShareGroupMemberMetadataValue 0 flexible=0+ key=10
    rack_id                 string    0+  nullable
    client_id               string    0+
    client_host             string    0+
    subscribed_topic_names  []string  0+

ShareGroupMetadataKey 0 key=11
    group_id  string  0

ShareGroupMetadataValue 0 flexible=0+ key=11
    epoch          int32  0+
    metadata_hash  int64  0+

ShareGroupTargetAssignmentMetadataKey 0 key=12
    group_id  string  0

ShareGroupTargetAssignmentMetadataValue 0 flexible=0+ key=12
    assignment_epoch      int32  0+
    assignment_timestamp  int64  0+  tag=0 ignorable

ShareGroupTargetAssignmentMemberKey 0 key=13
    group_id   string  0
    member_id  string  0

ShareGroupTargetAssignmentMemberValue 0 flexible=0+ key=13
    topic_partitions  []TopicPartition  0+
        topic_id      uuid              0+
        partitions    []int32           0+

ShareGroupCurrentMemberAssignmentKey 0 key=14
    group_id   string  0
    member_id  string  0

ShareGroupCurrentMemberAssignmentValue 0 flexible=0+ key=14
    member_epoch           int32              0+
    previous_member_epoch  int32              0+
    state                  int8               0+
    assigned_partitions    []TopicPartitions  0+
TopicPartitions 0+
    topic_id    uuid     0+
    partitions  []int32  0+

ShareGroupStatePartitionMetadataKey 0 key=15
    group_id  string  0

ShareGroupStatePartitionMetadataValue 0 flexible=0+ key=15
    initializing_topics  []TopicPartitionsInfo  0+
    initialized_topics   []TopicPartitionsInfo  0+
    deleting_topics      []TopicInfo            0+
TopicPartitionsInfo 0+
    topic_id    uuid     0+
    topic_name  string   0+
    partitions  []int32  0+
TopicInfo 0+
    topic_id    uuid    0+
    topic_name  string  0+

ConsumerGroupRegularExpressionKey 0 key=16
    group_id            string  0
    regular_expression  string  0

ConsumerGroupRegularExpressionValue 0 flexible=0+ key=16
    topics     []string  0+
    version    int64     0+
    timestamp  int64     0+

StreamsGroupMetadataKey 0 key=17
    group_id  string  0

StreamsGroupMetadataValue 0 flexible=0+ key=17
    epoch                              int32                   0+
    metadata_hash                      int64                   0+
    validated_topology_epoch           int32                   0+  tag=0 default=-1
    last_assignment_configs            []LastAssignmentConfig  0+  nullable tag=1
    stored_description_topology_epoch  int32                   0+  tag=2 default=-1
    failed_description_topology_epoch  int32                   0+  tag=3 default=-1
LastAssignmentConfig 0+
    key    string  0+
    value  string  0+

StreamsGroupMemberMetadataKey 0 key=19
    group_id   string  0
    member_id  string  0

StreamsGroupMemberMetadataValue 0 flexible=0+ key=19
    instance_id           string      0+  nullable
    rack_id               string      0+  nullable
    client_id             string      0+
    client_host           string      0+
    rebalance_timeout_ms  int32       0+  default=-1
    topology_epoch        int32       0+
    process_id            string      0+
    user_endpoint         Endpoint    0+  nullable default=null
    client_tags           []KeyValue  0+
Endpoint 0+
    host  string  0+
    port  uint16  0+
KeyValue 0+
    key    string  0+
    value  string  0+

StreamsGroupTargetAssignmentMetadataKey 0 key=20
    group_id  string  0

StreamsGroupTargetAssignmentMetadataValue 0 flexible=0+ key=20
    assignment_epoch      int32  0+
    assignment_timestamp  int64  0+  tag=0 ignorable

StreamsGroupTargetAssignmentMemberKey 0 key=21
    group_id   string  0
    member_id  string  0

StreamsGroupTargetAssignmentMemberValue 0 flexible=0+ key=21
    active_tasks   []TaskIds  0+
    standby_tasks  []TaskIds  0+
    warmup_tasks   []TaskIds  0+
TaskIds 0+
    subtopology_id  string   0+
    partitions      []int32  0+

StreamsGroupCurrentMemberAssignmentKey 0 key=22
    group_id   string  0
    member_id  string  0

StreamsGroupCurrentMemberAssignmentValue 0 flexible=0+ key=22
    member_epoch                      int32      0+
    previous_member_epoch             int32      0+
    state                             int8       0+
    active_tasks                      []TaskIds  0+
    standby_tasks                     []TaskIds  0+
    warmup_tasks                      []TaskIds  0+
    active_tasks_pending_revocation   []TaskIds  0+
    standby_tasks_pending_revocation  []TaskIds  0+
    warmup_tasks_pending_revocation   []TaskIds  0+
TaskIds 0+
    subtopology_id     string   0+
    partitions         []int32  0+
    assignment_epochs  []int32  0+  nullable tag=0

StreamsGroupTopologyKey 0 key=23
    group_id  string  0

StreamsGroupTopologyValue 0 flexible=0+ key=23
    epoch                              int32               0+
    subtopologies                      []Subtopology       0+
        subtopology_id                 string              0+
        source_topics                  []string            0+
        source_topic_regex             []string            0+
        state_changelog_topics         []TopicInfo         0+
        repartition_sink_topics        []string            0+
        repartition_source_topics      []TopicInfo         0+
        copartition_groups             []CopartitionGroup  0+
            source_topics              []int16             0+
            source_topic_regex         []int16             0+
            repartition_source_topics  []int16             0+
TopicConfig 0+
    key    string  0+
    value  string  0+
TopicInfo 0+
    name                string         0+
    partitions          int32          0+
    replication_factor  int16          0+
    topic_configs       []TopicConfig  0+
"""
