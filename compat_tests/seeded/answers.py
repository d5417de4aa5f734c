"""Seeds in what the broker answers: a wrong code, a wrong number, a field that is another's."""

from __future__ import annotations

import os
from typing import Any

from compat_tests.seeded.seeding import answer, each, seed
from kafkacompat.protocol.api_keys import FETCH

NONE, OFFSET_OUT_OF_RANGE, UNKNOWN_TOPIC = 0, 1, 3


def recode(api: str, wrong: dict[int, int], *path: str) -> None:
    """Error codes of an API's answers replaced by others."""

    def change(message: Any) -> None:
        for item in each(message, *path) if path else [message]:
            item.error_code = wrong.get(item.error_code, item.error_code)

    answer(api, change)


def assign(api: str, path: tuple[str, ...], **values: Any) -> None:
    """Fields of an API's answers set to a value, or to what a function of the item gives."""

    def change(message: Any) -> None:
        for item in each(message, *path) if path else [message]:
            for name, value in values.items():
                setattr(item, name, value(item) if callable(value) else value)

    answer(api, change)


FETCHED = ("responses", "partitions")
LISTED = ("topics", "partitions")


@seed
def high_watermark_off_by_one() -> None:
    """Fetch tells a high watermark that is one too high."""
    assign("fetch", FETCHED, high_watermark=lambda part: part.high_watermark + 1)


@seed
def last_stable_offset_missing() -> None:
    """Fetch tells no last stable offset."""
    assign("fetch", FETCHED, last_stable_offset=-1)


@seed
def log_start_is_always_zero() -> None:
    """Fetch tells log start offset 0 whatever was deleted."""
    assign("fetch", FETCHED, log_start_offset=lambda part: min(part.log_start_offset, 0))


@seed
def offset_out_of_range_is_unknown_topic() -> None:
    """Fetch answers UNKNOWN_TOPIC_OR_PARTITION for an offset out of range."""
    recode("fetch", {OFFSET_OUT_OF_RANGE: UNKNOWN_TOPIC}, *FETCHED)


@seed
def no_fetch_sessions() -> None:
    """Fetch never gives a session."""
    assign("fetch", (), session_id=0)


@seed
def preferred_replica_is_set() -> None:
    """Fetch sends consumers to replica 0."""
    assign("fetch", FETCHED, preferred_read_replica=0)


@seed
def latest_offset_one_less() -> None:
    """ListOffsets answers one less than the offset."""
    assign("list_offsets", LISTED, offset=lambda part: part.offset - (part.offset > 0))


@seed
def list_offsets_without_epoch() -> None:
    """ListOffsets answers no leader epoch."""
    assign("list_offsets", LISTED, leader_epoch=-1)


@seed
def list_offsets_without_timestamp() -> None:
    """ListOffsets answers timestamp -1 for a record that was found."""
    assign("list_offsets", LISTED, timestamp=-1)


@seed
def unstable_topic_id() -> None:
    """Metadata gives a topic another id each time."""
    assign("metadata", ("topics",), topic_id=lambda _: os.urandom(16))


@seed
def metadata_without_isr() -> None:
    """Metadata lists no in-sync replica."""
    assign("metadata", LISTED, isr_nodes=lambda _: [])


@seed
def metadata_epoch_minus_one() -> None:
    """Metadata gives no leader epoch."""
    assign("metadata", LISTED, leader_epoch=-1)


@seed
def unknown_topic_is_invalid() -> None:
    """Metadata answers INVALID_TOPIC_EXCEPTION for a topic that is not there."""
    recode("metadata", {UNKNOWN_TOPIC: 17}, "topics")


@seed
def internal_topics_hidden() -> None:
    """Metadata says of no topic that it is internal."""
    assign("metadata", ("topics",), is_internal=False)


@seed
def controller_is_nobody() -> None:
    """DescribeCluster names no controller."""
    assign("describe_cluster", (), controller_id=-1)


@seed
def coordinator_of_another_node() -> None:
    """FindCoordinator names a node that is not there."""

    def change(message: Any) -> None:
        message.node_id += 1
        for one in message.coordinators or ():
            one.node_id += 1

    answer("find_coordinator", change)


@seed
def no_offset_is_offset_zero() -> None:
    """OffsetFetch answers 0 where nothing was committed."""

    def change(message: Any) -> None:
        for part in (*each(message, "topics", "partitions"), *each(message, "groups", "topics", "partitions")):
            part.committed_offset = max(part.committed_offset, 0)

    answer("offset_fetch", change)


@seed
def offset_metadata_lost() -> None:
    """OffsetFetch answers without the text that was committed."""

    def change(message: Any) -> None:
        for part in (*each(message, "topics", "partitions"), *each(message, "groups", "topics", "partitions")):
            part.metadata = ""

    answer("offset_fetch", change)


@seed
def commit_of_unknown_partition_succeeds() -> None:
    """OffsetCommit answers no error for a partition that is not there."""
    recode("offset_commit", {UNKNOWN_TOPIC: NONE}, *LISTED)


@seed
def fenced_instance_is_unknown_member() -> None:
    """OffsetCommit and Heartbeat answer UNKNOWN_MEMBER_ID for a fenced instance."""
    recode("offset_commit", {82: 25}, *LISTED)
    recode("heartbeat", {82: 25})


@seed
def join_without_protocol_type() -> None:
    """JoinGroup leaves the protocol type out."""
    assign("join_group", (), protocol_type=None)


@seed
def every_member_sees_the_members() -> None:
    """JoinGroup swaps the leader's id and the member's."""

    def change(message: Any) -> None:
        message.leader, message.member_id = message.member_id, message.leader

    answer("join_group", change)


@seed
def empty_assignments() -> None:
    """SyncGroup hands out nothing."""
    assign("sync_group", (), assignment=b"")


@seed
def rebalance_is_kept_secret() -> None:
    """Heartbeat never says that the group rebalances."""
    recode("heartbeat", {27: NONE})


@seed
def leaving_strangers_are_fine() -> None:
    """LeaveGroup answers no error for a member that is not there."""
    recode("leave_group", {25: NONE}, "members")


@seed
def client_id_and_host_swapped() -> None:
    """DescribeGroups swaps two fields of a member."""

    def change(message: Any) -> None:
        for member in each(message, "groups", "members"):
            member.client_id, member.client_host = member.client_host, member.client_id

    answer("describe_groups", change)


@seed
def groups_without_a_type() -> None:
    """ListGroups says of no group which type it is."""
    assign("list_groups", ("groups",), group_type="")


@seed
def living_groups_are_said_to_be_deleted() -> None:
    """DeleteGroups answers no error for a group with members."""
    recode("delete_groups", {68: NONE}, "results")


@seed
def created_topics_without_configs() -> None:
    """CreateTopics lists no configs of what it made (a null array, where Java clients stumble)."""
    assign("create_topics", ("topics",), configs=lambda _: None)


@seed
def created_topics_without_id() -> None:
    """CreateTopics answers the zero id."""
    assign("create_topics", ("topics",), topic_id=bytes(16))


@seed
def deleted_topics_without_name() -> None:
    """DeleteTopics leaves the names out."""
    assign("delete_topics", ("responses",), name=lambda _: None if _.name is None else _.name[::-1])


@seed
def too_few_partitions_is_another_error() -> None:
    """CreatePartitions answers INVALID_REQUEST where INVALID_PARTITIONS is right."""
    recode("create_partitions", {37: 42}, "results")


@seed
def configs_without_synonyms() -> None:
    """DescribeConfigs leaves the synonyms out."""
    assign("describe_configs", ("results", "configs"), synonyms=lambda _: [])


@seed
def every_config_is_a_default() -> None:
    """DescribeConfigs gives DEFAULT_CONFIG as the source of everything."""
    assign("describe_configs", ("results", "configs"), config_source=5)


@seed
def bad_configs_are_accepted_in_words() -> None:
    """IncrementalAlterConfigs answers no error for a bad value."""
    recode("incremental_alter_configs", {40: NONE}, "responses")


@seed
def empty_log_dirs() -> None:
    """DescribeLogDirs gives every partition no size."""
    assign("describe_log_dirs", ("results", "topics", "partitions"), partition_size=0)


@seed
def fetch_version_too_low() -> None:
    """ApiVersions offers one version of Fetch less."""

    def change(message: Any) -> None:
        for one in message.api_keys:
            one.max_version -= one.api_key == FETCH

    answer("api_versions", change)


@seed
def producers_begin_at_epoch_one() -> None:
    """InitProducerId gives epoch 1 to a new producer."""
    assign("init_producer_id", (), producer_epoch=lambda one: one.producer_epoch + 1)


@seed
def end_of_epoch_unknown() -> None:
    """OffsetForLeaderEpoch knows no epoch's end."""
    assign("offset_for_leader_epoch", LISTED, end_offset=-1)


@seed
def low_watermark_off_by_one() -> None:
    """DeleteRecords answers a low watermark that is one too high."""
    assign("delete_records", LISTED, low_watermark=lambda part: part.low_watermark + (part.low_watermark >= 0))


@seed
def producers_without_sequence() -> None:
    """DescribeProducers gives no last sequence."""
    assign("describe_producers", ("topics", "partitions", "active_producers"), last_sequence=-1)


@seed
def null_eligible_replicas() -> None:
    """DescribeTopicPartitions sends a null array, where Java clients stumble."""
    assign("describe_topic_partitions", LISTED, eligible_leader_replicas=lambda _: None)


@seed
def config_resources_of_another_type() -> None:
    """ListConfigResources calls everything a topic."""
    assign("list_config_resources", ("config_resources",), resource_type=2)
