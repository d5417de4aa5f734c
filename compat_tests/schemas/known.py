"""Where the notation says otherwise than a release of Kafka, and why. Every line here has to be met."""

from __future__ import annotations

from typing import NamedTuple


class Known(NamedTuple):
    """Differences with one reason, each as the comparison prints it."""

    why: str
    differences: tuple[str, ...]


QUORUM_STATE = Known(
    "Kafka describes the quorum-state file as a message, but writes it as JSON: there is nothing to encode.",
    ("QuorumStateData: message none, in Kafka there",),
)

KNOWN = {
    "4.4.0": (QUORUM_STATE,),
    "4.3.1": (
        QUORUM_STATE,
        Known(
            "ApiVersions 5: the client says which cluster and node it means (KIP-1242), since 4.4.",
            (
                "ApiVersionsRequest: versions 0-5, in Kafka 0-4",
                "ApiVersionsRequest.cluster_id: field here, in Kafka none",
                "ApiVersionsRequest.node_id: field here, in Kafka none",
                "ApiVersionsResponse: versions 0-5, in Kafka 0-4",
            ),
        ),
        Known(
            "DeleteGroups 3: a message with each error, since 4.4.",
            (
                "DeleteGroupsRequest: versions 0-3, in Kafka 0-2",
                "DeleteGroupsResponse: versions 0-3, in Kafka 0-2",
                "DeleteGroupsResponse DeletableGroupResult.error_message: field here, in Kafka none",
            ),
        ),
        Known(
            "TxnOffsetCommit 6: topics by id; and the generation's field got another name (KIP-1319), since 4.4.",
            (
                "TxnOffsetCommitRequest: versions 0-6, in Kafka 0-5",
                "TxnOffsetCommitRequest TxnOffsetCommitRequestTopic.name: versions 0-5, in Kafka 0+",
                "TxnOffsetCommitRequest TxnOffsetCommitRequestTopic.name: ignorable True, in Kafka False",
                "TxnOffsetCommitRequest TxnOffsetCommitRequestTopic.topic_id: field here, in Kafka none",
                "TxnOffsetCommitRequest.generation_id_or_member_epoch: field here, in Kafka none",
                "TxnOffsetCommitRequest.generation_id: field none, in Kafka there",
                "TxnOffsetCommitResponse: versions 0-6, in Kafka 0-5",
                "TxnOffsetCommitResponse TxnOffsetCommitResponseTopic.name: versions 0-5, in Kafka 0+",
                "TxnOffsetCommitResponse TxnOffsetCommitResponseTopic.name: ignorable True, in Kafka False",
                "TxnOffsetCommitResponse TxnOffsetCommitResponseTopic.topic_id: field here, in Kafka none",
            ),
        ),
        Known(
            "StreamsGroupDescribe 1: the topology's description and the assignor (KIP-1331, KIP-1357), since 4.4.",
            (
                "StreamsGroupDescribeRequest: versions 0-1, in Kafka 0",
                "StreamsGroupDescribeRequest.include_topology_description: field here, in Kafka none",
                "StreamsGroupDescribeResponse: versions 0-1, in Kafka 0",
                "StreamsGroupDescribeResponse TopologyDescriptionNode: struct here, in Kafka none",
                "StreamsGroupDescribeResponse TopologyDescriptionSubtopology: struct here, in Kafka none",
                "StreamsGroupDescribeResponse TopologyDescriptionGlobalStore: struct here, in Kafka none",
                "StreamsGroupDescribeResponse TopologyDescription: struct here, in Kafka none",
                "StreamsGroupDescribeResponse DescribedGroup.topology_description: field here, in Kafka none",
                "StreamsGroupDescribeResponse DescribedGroup.topology_description_status: field here, in Kafka none",
                "StreamsGroupDescribeResponse DescribedGroup.assignor_name: field here, in Kafka none",
            ),
        ),
        Known(
            "StreamsGroupHeartbeat 1: the lag as int64 in another place (the old one got another name) and whether a"
            " description is wanted (KIP-1331), since 4.4.",
            (
                "StreamsGroupHeartbeatRequest: versions 0-1, in Kafka 0",
                "StreamsGroupHeartbeatResponse: versions 0-1, in Kafka 0",
                "StreamsGroupHeartbeatResponse: order task_offset_interval_ms, in Kafka acceptable_recovery_lag",
                "StreamsGroupHeartbeatResponse.acceptable_recovery_lag_legacy: field here, in Kafka none",
                "StreamsGroupHeartbeatResponse.acceptable_recovery_lag: type int64, in Kafka int32",
                "StreamsGroupHeartbeatResponse.acceptable_recovery_lag: versions 1+, in Kafka 0+",
                "StreamsGroupHeartbeatResponse.acceptable_recovery_lag: default -1, in Kafka 0",
                "StreamsGroupHeartbeatResponse.acceptable_recovery_lag: ignorable True, in Kafka False",
                "StreamsGroupHeartbeatResponse.topology_description_required: field here, in Kafka none",
            ),
        ),
        Known(
            "StreamsGroupTopologyDescriptionUpdate is new in 4.4 (KIP-1331).",
            (
                "StreamsGroupTopologyDescriptionUpdateRequest: message here, in Kafka none",
                "StreamsGroupTopologyDescriptionUpdateResponse: message here, in Kafka none",
            ),
        ),
        Known(
            "Tagged fields that a streams group's record has since 4.4 (KIP-1331); readers of 4.3 pass over them.",
            (
                "StreamsGroupMetadataValue.stored_description_topology_epoch: field here, in Kafka none",
                "StreamsGroupMetadataValue.failed_description_topology_epoch: field here, in Kafka none",
            ),
        ),
        Known(
            "Controllers can be unregistered since 4.4.",
            (
                "UnregisterControllerRecord: message here, in Kafka none",
                "UnregisterControllerRequest: message here, in Kafka none",
                "UnregisterControllerResponse: message here, in Kafka none",
            ),
        ),
        Known(
            "The key of an array, said since 4.4; nothing on the wire.",
            ("DescribeProducersRequest TopicRequest.name: map_key True, in Kafka False",),
        ),
        Known(
            "Since 4.4 an entry of the transaction index is described as a message; its bytes are the same before.",
            ("AbortedTxn: message here, in Kafka none",),
        ),
    ),
}
"""By release."""
