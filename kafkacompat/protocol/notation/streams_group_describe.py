"""StreamsGroupDescribe."""

KEY = 89
LISTENERS = ("broker",)

REQUEST = """
StreamsGroupDescribeRequest 0-1 flexible=0+
    group_ids                      []string  0+
    include_authorized_operations  bool      0+
    include_topology_description   bool      1+
"""

RESPONSE = """
StreamsGroupDescribeResponse 0-1 flexible=0+
    throttle_time_ms                       int32                0+
    groups                                 []DescribedGroup     0+
        error_code                         int16                0+
        error_message                      string               0+  nullable default=null
        group_id                           string               0+
        group_state                        string               0+
        group_epoch                        int32                0+
        assignment_epoch                   int32                0+
        topology                           Topology             0+  nullable default=null
            epoch                          int32                0+
            subtopologies                  []Subtopology        0+  nullable default=null
                subtopology_id             string               0+
                source_topics              []string             0+
                repartition_sink_topics    []string             0+
                state_changelog_topics     []TopicInfo          0+
                repartition_source_topics  []TopicInfo          0+
        members                            []Member             0+
            member_id                      string               0+
            member_epoch                   int32                0+
            instance_id                    string               0+  nullable default=null
            rack_id                        string               0+  nullable default=null
            client_id                      string               0+
            client_host                    string               0+
            topology_epoch                 int32                0+
            process_id                     string               0+
            user_endpoint                  Endpoint             0+  nullable default=null
            client_tags                    []KeyValue           0+
            task_offsets                   []TaskOffset         0+
            task_end_offsets               []TaskOffset         0+
            assignment                     Assignment           0+
            target_assignment              Assignment           0+
            is_classic                     bool                 0+
        authorized_operations              int32                0+  default=-2147483648
        topology_description               TopologyDescription  1+  nullable default=null
        topology_description_status        int8                 1+
        assignor_name                      string               1+  nullable default=null ignorable
Endpoint 0+
    host  string  0+
    port  uint16  0+
TaskOffset 0+
    subtopology_id  string  0+
    partition       int32   0+
    offset          int64   0+
Assignment 0+
    active_tasks   []TaskIds  0+
    standby_tasks  []TaskIds  0+
    warmup_tasks   []TaskIds  0+
TaskIds 0+
    subtopology_id  string   0+
    partitions      []int32  0+
KeyValue 0+
    key    string  0+
    value  string  0+
TopicInfo 0+
    name                string      0+
    partitions          int32       0+
    replication_factor  int16       0+
    topic_configs       []KeyValue  0+
TopologyDescription 1+
    subtopologies  []TopologyDescriptionSubtopology  1+
    global_stores  []TopologyDescriptionGlobalStore  1+
TopologyDescriptionSubtopology 1+
    subtopology_id  string                     1+
    nodes           []TopologyDescriptionNode  1+
TopologyDescriptionNode 1+
    name           string    1+
    node_type      int8      1+
    source_topics  []string  1+
    sink_topic     string    1+  nullable default=null
    stores         []string  1+
    successors     []string  1+
TopologyDescriptionGlobalStore 1+
    source     TopologyDescriptionNode  1+
    processor  TopologyDescriptionNode  1+
"""
