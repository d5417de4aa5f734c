"""StreamsGroupTopologyDescriptionUpdate."""

KEY = 93
LISTENERS = ("broker",)

REQUEST = """
StreamsGroupTopologyDescriptionUpdateRequest 0 flexible=0+
    group_id              string               0+
    member_id             string               0+
    topology_epoch        int32                0+
    topology_description  TopologyDescription  0+
TopologyDescription 0+
    subtopologies  []TopologyDescriptionSubtopology  0+
    global_stores  []TopologyDescriptionGlobalStore  0+
TopologyDescriptionSubtopology 0+
    subtopology_id  string                     0+
    nodes           []TopologyDescriptionNode  0+
TopologyDescriptionNode 0+
    name           string    0+
    node_type      int8      0+
    source_topics  []string  0+
    sink_topic     string    0+  nullable default=null
    stores         []string  0+
    successors     []string  0+
TopologyDescriptionGlobalStore 0+
    source     TopologyDescriptionNode  0+
    processor  TopologyDescriptionNode  0+
"""

RESPONSE = """
StreamsGroupTopologyDescriptionUpdateResponse 0 flexible=0+
    throttle_time_ms  int32   0+
    error_code        int16   0+
    error_message     string  0+  nullable default=null
"""
