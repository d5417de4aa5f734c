"""Seeds in what the broker does: a check left out, a rule bent, something forgotten."""

from __future__ import annotations

from itertools import count
from typing import Any

from compat_tests.seeded.seeding import constant, seed, wrap


@seed
def duplicates_are_appended() -> None:
    """Batches of idempotent producers are not checked: gaps and duplicates are written."""
    wrap("storage.producer_state:ProducerState", "check", constant(None))


@seed
def old_producer_epochs_are_welcome() -> None:
    """A fenced producer may go on writing."""
    wrap("storage.producer_state:ProducerState", "check_epoch", constant(None))


@seed
def checksums_are_not_checked() -> None:
    """A batch with a wrong checksum gets a right one and is stored."""
    from kafkacompat.storage import validate

    def unchecked(original: Any, records: memoryview, max_message_bytes: int, **more: bool) -> Any:
        if len(records) >= validate.RECORDS_OFFSET and records[validate.MAGIC_OFFSET] == validate.MAGIC_V2:
            validate.stamp_crc(records, 0, len(records))
        return original(records, max_message_bytes, **more)

    for module in ("storage.validate", "storage.log_validator"):
        wrap(module, "check_client_batch", unchecked)


@seed
def large_first_batches_stay_behind() -> None:
    """A first batch above the byte limits is not returned."""

    def read(original: Any, *arguments: Any, **named: Any) -> Any:
        return original(*arguments, **{**named, "at_least_one": False})

    wrap("replication.partition:Partition", "read", read)


@seed
def byte_limits_are_ignored() -> None:
    """A fetch returns all there is, whatever the limits say."""

    def read(original: Any, log: Any, offset: int, max_bytes: int, *rest: Any, **named: Any) -> Any:
        return original(log, offset, max(max_bytes, 1 << 20), *rest, **named)

    wrap("replication.partition:Partition", "read", read)


@seed
def times_are_looked_up_exclusively() -> None:
    """ListOffsets by time finds the first record after the time, not at it."""

    def look_up(original: Any, log: Any, timestamp_ms: int, **named: Any) -> Any:
        return original(log, timestamp_ms + 1, **named)

    wrap("storage.log:Log", "offset_for_timestamp", look_up)


@seed
def the_largest_timestamp_is_the_last() -> None:
    """ListOffsets with -3 finds nothing."""
    wrap("storage.log:Log", "max_timestamp_offset", constant(None))


@seed
def deleted_records_are_served() -> None:
    """DeleteRecords says yes and deletes nothing."""
    wrap("storage.log:Log", "delete_records_before", constant(None))


@seed
def leader_epochs_are_not_checked() -> None:
    """A client with a stale or future leader epoch is served."""

    def leader_error(original: Any, partition: Any, _current_leader_epoch: int = -1) -> Any:
        return original(partition)

    wrap("replication.partition:Partition", "leader_error", leader_error)


@seed
def epochs_end_one_late() -> None:
    """The end of a leader epoch is one too high."""

    def end(original: Any, *arguments: Any) -> Any:
        epoch, offset = original(*arguments)
        return epoch, offset + (offset >= 0)

    wrap("replication.partition:Partition", "end_offset_for_epoch", end)


@seed
def instances_are_not_fenced() -> None:
    """Whoever names a static instance is taken for its member."""

    def check(original: Any, group: Any, member_id: str, _instance_id: Any) -> Any:
        return original(group, member_id, None)

    wrap("broker.coordinator.group.classic.classic_group:ClassicGroup", "check_member", check)


@seed
def generations_stand_still() -> None:
    """A rebalance does not begin a new generation."""

    def begin(original: Any, group: Any, *rest: Any) -> Any:
        before = group.generation
        result = original(group, *rest)
        group.generation = max(before, 1)
        return result

    wrap("broker.coordinator.group.classic.classic_group:ClassicGroup", "begin_generation", begin)


@seed
def the_first_protocol_wins() -> None:
    """The assignor is the leader's first, whatever the others voted for."""

    def chosen(_original: Any, group: Any) -> str:
        member = next(iter(group.members.values()))
        return str(member.protocols[0][0])

    wrap("broker.coordinator.group.classic.classic_group:ClassicGroup", "chosen_protocol", chosen)


@seed
def silent_members_stay() -> None:
    """A member whose session times out stays in its group."""
    wrap("broker.coordinator.group.classic.rebalance", "session_timer_fired", constant(None))


@seed
def offsets_survive_their_topic() -> None:
    """Committed offsets of a deleted topic stay."""
    wrap("broker.coordinator.group.service:GroupCoordinator", "on_metadata", constant(None))


@seed
def groups_live_elsewhere() -> None:
    """The partition of a group's offsets is not that of Java's hash."""

    def partition_for(original: Any, coordinators: Any, row: Any, key: str) -> Any:
        return original(coordinators, row, key + "'")

    wrap("broker.coordinator.coordinators:Coordinators", "partition_for", partition_for)


@seed
def late_timestamps_are_accepted() -> None:
    """message.timestamp.before.max.ms and after.max.ms are not obeyed."""
    wrap("storage.log_validator", "check_create_time", constant(None))


@seed
def batches_keep_the_clients_epoch() -> None:
    """The leader epoch that a client wrote into its batch stays there."""

    def stamp(original: Any, records: memoryview, position: int, first_offset: int, _leader_epoch: int) -> Any:
        from kafkacompat.protocol.records.batch import read_header

        return original(records, position, first_offset, read_header(records, position).leader_epoch)

    wrap("storage.log", "stamp", stamp)


@seed
def stamps_of_the_broker_are_left_out() -> None:
    """message.timestamp.type=LogAppendTime is not obeyed in the batch."""
    wrap("storage.log", "stamp_log_append_time", constant(None))


@seed
def markers_are_dropped() -> None:
    """Of every tenth transaction the markers of clients' topics are not sent, and count as written."""
    ends = count(1)

    def add(original: Any, sender: Any, end: Any, partitions: Any, now: Any, **named: Any) -> None:
        dropped = frozenset(each for each in partitions if not each[0].startswith("__"))
        if not dropped or next(ends) % 10:
            dropped = frozenset()
        if partitions != dropped or not dropped:
            original(sender, end, partitions - dropped, now, **named)
        if dropped:
            sender._written(end, dropped, now)

    wrap("broker.coordinator.txn.marker_sender:MarkerSender", "_add", add)
