"""What `Cluster`'s views return: named tuples, made of the plain values of `control_api/views/views.py`."""

from __future__ import annotations

from typing import Any, NamedTuple

from kafkacompat.protocol.constants import UNKNOWN_OFFSET

Plain = dict[str, Any]


class Config(NamedTuple):
    """A config's value, and its source: "topic", "broker", "all_brokers", "static" or "default"."""

    value: str | None
    source: str


class Follower(NamedTuple):
    """A follower as its leader sees it. `log_end_offset` is -1 before its first fetch; `behind_ms` is None while it has
    not caught up in this leader epoch.
    """

    broker: int
    log_end_offset: int
    behind_ms: int | None


class ReplicaLog(NamedTuple):
    """One replica of a partition, with its log. `leader_epochs` are (epoch, first offset) pairs, oldest first.

    `directory` has its files. `dirty_ratio` is the share that was never compacted, from 0 to 1, when the cleaner last
    looked; None for a log that it did not look at.
    """

    broker: int
    is_leader: bool
    leader_epoch: int
    log_start_offset: int
    high_watermark: int
    last_stable_offset: int
    log_end_offset: int
    size_bytes: int
    segment_count: int
    directory: str
    dirty_ratio: float | None
    leader_epochs: list[tuple[int, int]]
    failure: str | None
    followers: list[Follower]


class Partition(NamedTuple):
    """A partition; `leader` is -1 while it has none. `logs` are the replicas on running brokers, the leader's first."""

    partition: int
    leader: int
    leader_epoch: int
    partition_epoch: int
    replicas: list[int]
    isr: list[int]
    elr: list[int]
    adding: list[int]
    removing: list[int]
    logs: list[ReplicaLog]

    @property
    def leader_log(self) -> ReplicaLog | None:
        """The leader's replica; None while there is no leader."""
        return next((log for log in self.logs if log.is_leader and log.broker == self.leader), None)

    @property
    def start_offset(self) -> int:
        """The first offset that consumers can read; 0 without a leader."""
        return 0 if self.leader_log is None else self.leader_log.log_start_offset

    @property
    def end_offset(self) -> int:
        """The leader's high watermark, up to which consumers can read; 0 without a leader."""
        return 0 if self.leader_log is None else self.leader_log.high_watermark


class Topic(NamedTuple):
    """A topic. `configs` has those that are not Kafka's defaults."""

    name: str
    topic_id: str
    is_internal: bool
    configs: dict[str, Config]
    partitions: list[Partition]


class Record(NamedTuple):
    """A record. `timestamp` is in ms; `timestamp_type` is "create_time" or "log_append_time".

    `state` is "committed", "aborted", "open" (its transaction has not ended) or "above_hw" (not replicated yet).
    `control` names a marker ("commit", "abort"); None for a client's record. `producer_id` is -1 without idempotence.
    """

    topic: str
    partition: int
    offset: int
    timestamp: int
    timestamp_type: str
    leader_epoch: int
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes | None]]
    producer_id: int
    producer_epoch: int
    is_transactional: bool
    control: str | None
    state: str
    codec: str

    @property
    def json(self) -> Any:
        """The value, decoded from JSON. Raises ValueError if it is none."""
        import json

        return json.loads(self.value or b"")


class Member(NamedTuple):
    """A member of a group. `subscription` and `assignment` are None unless they are of the consumer protocol."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    protocols: list[str]
    subscription: list[str] | None
    assignment: dict[str, list[int]] | None
    session_timeout_ms: int
    session_left_ms: int
    rebalance_timeout_ms: int
    has_joined: bool
    has_synced: bool


class GroupOffset(NamedTuple):
    """A committed offset; -1 and a `pending_offset` if the commit is not replicated. `lag` is None without an end.

    open_transactions: the offset that the open transaction of each producer id would commit, by producer id. If that is
    all there is, `metadata` and `committed_at_ms` are None.
    """

    topic: str
    partition: int
    committed_offset: int
    pending_offset: int | None
    end_offset: int | None
    lag: int | None
    leader_epoch: int
    metadata: str | None
    committed_at_ms: int | None
    open_transactions: dict[int, int]


class Rebalance(NamedTuple):
    """A rebalance: when it began (wall clock), the generation that it ended, and why."""

    at_ms: int
    generation: int
    reason: str


class Group(NamedTuple):
    """A group; `coordinator` is a broker id, `leader` a member id."""

    group_id: str
    type: str
    coordinator: int
    protocol_type: str
    state: str
    generation: int
    protocol: str | None
    leader: str | None
    members: list[Member]
    offsets: list[GroupOffset]
    rebalances: list[Rebalance]

    @property
    def lag(self) -> int:
        """The sum of all lags that are known."""
        return sum(offset.lag or 0 for offset in self.offsets)

    def offset(self, topic: str, partition: int = 0) -> int:
        """The committed offset of a partition; -1 without one."""
        found = (each.committed_offset for each in self.offsets if (each.topic, each.partition) == (topic, partition))
        return next(found, UNKNOWN_OFFSET)


class Producer(NamedTuple):
    """A producer in the state of a partition's leader. Without an open transaction `transaction_start_offset` is -1
    and the timestamp of its first record, `transaction_start_ms`, is None.
    """

    topic: str
    partition: int
    producer_id: int
    epoch: int
    last_sequence: int
    last_offset: int
    last_timestamp_ms: int
    transaction_start_offset: int
    transaction_start_ms: int | None


class Transaction(NamedTuple):
    """A transactional id as its coordinator has it. `state` is Kafka's name of it; `age_ms` is the time since the open
    transaction began, None without one.

    coordinator: a broker id, with the epoch since which it is that. is_committed: whether the newest record is
    replicated. partitions: of the open transaction, by topic, at most 100 of `partition_count`; once it is prepared,
    those that lack their marker. offset_partitions: those of __consumer_offsets; the offsets are in `Group.offsets`.
    """

    transactional_id: str
    coordinator: int
    coordinator_epoch: int
    producer_id: int
    epoch: int
    state: str
    is_committed: bool
    timeout_ms: int
    age_ms: int | None
    partition_count: int
    partitions: dict[str, list[int]]
    offset_partitions: list[int]


class Wait(NamedTuple):
    """A delayed request: it waits for a change of one of `keys`, at most `left_ms` longer."""

    keys: list[str]
    left_ms: int


class Connection(NamedTuple):
    """An open connection. Client id, software name and version are those of its ApiVersions request."""

    broker: int
    connection: int
    peer: str
    listener: str
    client_id: str
    client_software_name: str
    client_software_version: str
    request_count: int
    in_flight: int
    received_bytes: int
    unsent_bytes: int
    idle_ms: int
    waits: list[Wait]


class RequestError(NamedTuple):
    """An error in a response: its code and name, and the topic, partition or group that it is about."""

    code: int
    error: str
    entity: str
    message: str | None


class Request(NamedTuple):
    """A client's request in the journal. `number` counts the requests of its broker. `took_ms` is None until it is
    answered; `errors` is None if the response was too large to be kept. `closed` says why the connection was closed
    instead of an answer; `fault` has the labels of the fault rules that it met.
    """

    broker: int
    number: int
    connection: int
    peer_host: str
    client_id: str
    api: str
    version: int | None
    names: list[str]
    at_ms: int
    took_ms: float | None
    request_bytes: int
    response_bytes: int
    errors: list[RequestError] | None
    closed: str | None
    fault: str | None


def topic_of(plain: Plain) -> Topic:
    """A topic of `views.topics`."""
    configs = {name: Config(**config) for name, config in plain["configs"].items()}
    return Topic(**{**plain, "configs": configs, "partitions": [_partition(each) for each in plain["partitions"]]})


def _partition(plain: Plain) -> Partition:
    lists = {name: list(plain[name]) for name in ("replicas", "isr", "elr", "adding", "removing")}
    return Partition(**{**plain, **lists, "logs": [_log(each) for each in plain["logs"]]})


def _log(plain: Plain) -> ReplicaLog:
    epochs = [(epoch, offset) for epoch, offset in plain["leader_epochs"]]
    return ReplicaLog(
        **{**plain, "leader_epochs": epochs, "followers": [Follower(**each) for each in plain["followers"]]}
    )


def record_of(topic: str, partition: int, plain: Plain) -> Record:
    """A record of `views.records`."""
    fields = dict(plain)
    key, value = _bytes(plain["key"], fields.pop("key_encoding")), _bytes(plain["value"], fields.pop("value_encoding"))
    headers = [(name, _bytes(content, *encoding)) for name, content, *encoding in plain["headers"]]
    return Record(topic, partition, **{**fields, "key": key, "value": value, "headers": headers})


def _bytes(text: str | None, encoding: str | None = None) -> bytes | None:
    if text is None:
        return None
    if encoding == "base64":
        from binascii import a2b_base64

        return a2b_base64(text)
    return text.encode()


def group_of(plain: Plain) -> Group:
    """A group of `views.groups`."""
    return Group(
        **{
            **plain,
            "members": [Member(**each) for each in plain["members"]],
            "offsets": [_group_offset(each) for each in plain["offsets"]],
            "rebalances": [Rebalance(**each) for each in plain["rebalances"]],
        }
    )


def _group_offset(plain: Plain) -> GroupOffset:
    opened = {each["producer_id"]: each["offset"] for each in plain["open_transactions"]}
    return GroupOffset(**{**plain, "open_transactions": opened})


def connection_of(plain: Plain) -> Connection:
    """A connection of `views.connections`."""
    return Connection(**{**plain, "waits": [Wait(**each) for each in plain["waits"]]})


def request_of(plain: Plain) -> Request:
    """A request of `views.requests`."""
    errors = plain["errors"]
    return Request(**{**plain, "errors": None if errors is None else [RequestError(**each) for each in errors]})
