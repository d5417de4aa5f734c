import logging

import pytest

from kafkacompat.broker.replicas.partition_events import PartitionEvents
from kafkacompat.broker.replicas.replica_manager import PARTITIONS_PER_ITERATION, ReplicaManager
from kafkacompat.protocol.error_codes import INVALID_CONFIG, KAFKA_STORAGE_ERROR, MESSAGE_TOO_LARGE
from kafkacompat.protocol.internal.cluster_metadata import ConfigRecord
from kafkacompat.protocol.messages import alter_configs, incremental_alter_configs
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from kafkacompat.replication.metadata.result import Result
from kafkacompat.storage.manager import LogManager
from tests.broker.handlers.test_produce_fetch import batch, only, produce_request
from tests.broker.harness import BrokerHarness

BROKER = 4
HEARTBEAT = 63


def test_it_says_where_it_runs():
    broker = BrokerHarness()
    names = ["advertised.listeners", "listeners", "log.dirs"]
    response = broker.ask(DescribeConfigsRequest(resources=[DescribeConfigsResource(BROKER, "1", names)]), 4)
    assert {entry.name: entry.value for entry in response.results[0].configs} == {
        "advertised.listeners": "PLAINTEXT://localhost:9092",
        "listeners": "PLAINTEXT://localhost:9092",
        "log.dirs": "/data",
    }


@pytest.mark.parametrize("clean", [True, False], ids=["stopped", "killed"])
def test_a_start_gives_each_partition_its_role_once(monkeypatch, clean):
    broker = BrokerHarness()
    broker.create_topic("t", 5)
    broker.close(clean=clean)
    broker.fs.restart()
    roles: list[tuple[str, int]] = []
    elected = PartitionEvents.elected
    monkeypatch.setattr(
        PartitionEvents,
        "elected",
        lambda self, partition, now: (roles.append(partition.watch_key), elected(self, partition, now)),
    )
    again = BrokerHarness(broker.fs)
    assert sorted(roles) == [("t", index) for index in range(5)]
    assert all(partition.is_leader for partition in again.broker.partitions)


def test_the_controller_hears_of_metadata_when_all_partitions_follow_it(monkeypatch):
    broker = BrokerHarness()
    node = broker.broker
    node.partitions.max_per_iteration = 2
    told: list[int] = []
    request = node.channel.request

    def listen(channel, api_key, version, message, *args, **kwargs):
        if api_key == HEARTBEAT:
            told.append(message.current_metadata_offset)
        request(channel, api_key, version, message, *args, **kwargs)

    monkeypatch.setattr(node.channel, "request", listen)
    broker.advance(5000)
    before = node.image.offset
    monkeypatch.setattr(broker, "settle", lambda: node.background.run_inline(broker.now))
    answer = broker.begin(CreateTopicsRequest(topics=[CreatableTopic("t", 5, 1)]), 7)
    node.lifecycle.controller_changed(broker.now)
    broker.advance(0)
    assert not answer.is_there
    broker.advance(0)
    assert answer.is_there
    node.lifecycle.controller_changed(broker.now)
    assert len(node.partitions) == 5
    assert told[-2:] == [before, node.image.offset]


def test_a_failed_disk_is_no_proof_that_nothing_was_lost():
    node = BrokerHarness().broker
    assert node.lifecycle.has_all()
    node.logs.metadata_directory.take_offline(OSError(5, "I/O error"))
    assert not node.lifecycle.has_all()


SET, DELETE = 0, 1
PROTECTION = {
    "super.users": "User:me",
    "authorizer.class.name": "Acls",
    "allow.everyone.if.no.acl.found": "false",
    "security.inter.broker.protocol": "SSL",
    "listener.security.protocol.map": "PLAINTEXT:SSL",
    "listener.name.plaintext.ssl.keystore.location": "/keys",
    "listener.name.plaintext.plain.sasl.jaas.config": "PlainLoginModule required;",
}


def alter(broker: BrokerHarness, resource: str, name: str, value: str | None, connection=None) -> list[int]:
    """The error codes of IncrementalAlterConfigs, and of AlterConfigs where there is a value."""
    kind = SET if value is not None else DELETE
    config = incremental_alter_configs.AlterableConfig(name, kind, value)
    resources = [incremental_alter_configs.AlterConfigsResource(BROKER, resource, [config])]
    answers = [broker.ask(incremental_alter_configs.IncrementalAlterConfigsRequest(resources), 1, connection)]
    if value is not None:
        wanted = [alter_configs.AlterConfigsResource(BROKER, resource, [alter_configs.AlterableConfig(name, value)])]
        answers.append(broker.ask(alter_configs.AlterConfigsRequest(wanted), 2, connection))
    return [answer.responses[0].error_code for answer in answers]


@pytest.mark.parametrize("name", PROTECTION)
def test_no_client_sets_what_would_protect_nothing(name):
    broker = BrokerHarness()
    for resource in ("1", ""):
        assert alter(broker, resource, name, PROTECTION[name]) == [INVALID_CONFIG, INVALID_CONFIG]
    for_controller = incremental_alter_configs.AlterableConfig(name, SET, PROTECTION[name])
    resources = [incremental_alter_configs.AlterConfigsResource(BROKER, "7", [for_controller])]
    request = incremental_alter_configs.IncrementalAlterConfigsRequest(resources)
    answer = broker.ask(request, 1, broker.controller_connection)
    assert answer.responses[0].error_code == INVALID_CONFIG
    assert not any(name in configs for configs in broker.broker.image.configs.values())


def test_protection_in_the_metadata_log_is_an_error_line_and_ends_no_start(caplog):
    broker = BrokerHarness()
    records = [ConfigRecord(BROKER, resource, name, PROTECTION[name]) for name in PROTECTION for resource in ("1", "")]
    broker.broker.quorum.submit(lambda _image, _now: Result(records), broker.now)
    broker.settle()
    broker.close()
    caplog.clear()
    with caplog.at_level(logging.ERROR):
        again = BrokerHarness(broker.fs)
    (line,) = [record.getMessage() for record in caplog.records]
    assert "super.users" not in line  # five of seven are named
    assert "the metadata log sets allow.everyone.if.no.acl.found, authorizer.class.name" in line
    assert "and 2 more" in line
    assert "required" not in line
    assert alter(again, "1", "num.io.threads", "9") == [0, 0]
    assert [code for name in PROTECTION for code in alter(again, "", name, None)] == [0] * len(PROTECTION)
    assert not set(PROTECTION) & set(again.broker.image.config(BROKER, ""))
    assert len(caplog.records) == 1  # what is taken out is no news


def test_without_controlled_shutdown_a_broker_may_stop_at_once():
    broker = BrokerHarness(controlled_shutdown_enable="false")
    stopped = []
    broker.broker.shut_down(broker.now, stopped.append)
    assert stopped == [broker.now]
    assert not broker.broker.image.brokers[1].in_controlled_shutdown


def test_a_broker_whose_metadata_log_fails_while_it_hands_over_stops_at_once():
    broker = BrokerHarness()
    stopped = []
    broker.broker.shut_down(broker.now, stopped.append)
    assert not stopped
    broker.broker.quorum.failed(OSError(5, "Input/output error"), broker.now)
    broker.broker.after_event(broker.now)
    assert stopped == [broker.now]


def test_what_clients_alter_of_all_brokers_is_obeyed_at_once():
    broker = BrokerHarness()
    broker.create_topic("t")
    request = produce_request((0, batch(b"v" * 2_000)))
    assert only(broker.ask(request, 9)).error_code == 0
    alteration = incremental_alter_configs.AlterableConfig("message.max.bytes", 0, "1000")
    resource = incremental_alter_configs.AlterConfigsResource(BROKER, "", [alteration])
    assert (
        broker.ask(incremental_alter_configs.IncrementalAlterConfigsRequest([resource]), 1).responses[0].error_code == 0
    )
    assert only(broker.ask(request, 9)).error_code == MESSAGE_TOO_LARGE


def partitions_done_a_turn(broker, monkeypatch):
    """How many partitions were opened, or deleted, by each turn."""
    turns = []

    def counted(cls, name):
        method = getattr(cls, name)

        def call(*args, **kwargs):
            turns[-1] += 1
            return method(*args, **kwargs)

        monkeypatch.setattr(cls, name, call)

    take_turn = ReplicaManager._apply_some

    def turn(partitions, now):
        turns.append(0)
        take_turn(partitions, now)

    monkeypatch.setattr(ReplicaManager, "_apply_some", turn)
    counted(LogManager, "open_log")
    counted(LogManager, "delete_log")
    return turns


def test_a_broker_alone_opens_and_deletes_partitions_in_turns(monkeypatch):
    broker, count = BrokerHarness(), 5 * PARTITIONS_PER_ITERATION
    turns = partitions_done_a_turn(broker, monkeypatch)
    broker.create_topic("t", count)
    assert len(broker.broker.partitions) == sum(turns) == count  # when CreateTopics is answered
    assert max(turns) == PARTITIONS_PER_ITERATION
    turns.clear()
    delete_topic(broker)
    assert len(broker.broker.partitions) == 0
    assert turns == [PARTITIONS_PER_ITERATION]
    while len(broker.broker.logs.all_logs()) > 0:
        broker.advance(0)
    assert sum(turns) == count
    assert max(turns) == PARTITIONS_PER_ITERATION


def amid_a_deletion() -> BrokerHarness:
    """Half of the partitions of a deleted topic are still there."""
    broker = BrokerHarness()
    broker.create_topic("t", 2 * PARTITIONS_PER_ITERATION)
    delete_topic(broker)
    assert len(broker.broker.logs.all_logs()) == PARTITIONS_PER_ITERATION
    return broker


def delete_topic(broker: BrokerHarness) -> None:
    deletion = DeleteTopicsRequest(topics=[DeleteTopicState("t")], timeout_ms=1000)
    assert broker.ask(deletion, 6).responses[0].error_code == 0


def test_a_topic_of_the_same_name_comes_after_the_deleted_one():
    broker = amid_a_deletion()
    broker.create_topic("t", 2 * PARTITIONS_PER_ITERATION)
    broker.advance(0)
    names = broker.fs.listdir("/data")
    assert not [name for name in names if name.endswith("-stray")]
    assert len([name for name in names if name.endswith("-delete")]) == 2 * PARTITIONS_PER_ITERATION
    assert len(broker.broker.logs.all_logs()) == 2 * PARTITIONS_PER_ITERATION


def test_a_clean_stop_deletes_what_waits_for_that():
    broker = amid_a_deletion()
    broker.broker.close(broker.now)  # at once: while it hands over the deletion goes on
    again = BrokerHarness(broker.fs)
    assert not [name for name in again.fs.listdir("/data") if name.endswith("-stray")]


def test_a_config_of_many_partitions_is_taken_in_turns_and_then_answered():
    broker, count = BrokerHarness(), 2 * PARTITIONS_PER_ITERATION
    broker.create_topic("t", count)
    resource = alter_configs.AlterConfigsResource(
        2, "t", [alter_configs.AlterableConfig("min.insync.replicas", "3")]
    )  # fmt: skip
    assert broker.ask(alter_configs.AlterConfigsRequest(resources=[resource]), 2).responses[0].error_code == 0
    assert [each.log.config.min_insync_replicas for each in broker.broker.partitions] == [3] * count


def test_a_broker_that_opens_many_partitions_on_a_slow_machine_is_not_fenced(monkeypatch):
    broker = BrokerHarness()
    monkeypatch.setattr(broker, "settle", lambda: broker.broker.background.run_inline(broker.now))
    answer = broker.begin(CreateTopicsRequest(topics=[CreatableTopic("t", 60 * PARTITIONS_PER_ITERATION, 1)]), 7)
    turns = 0
    while not answer.is_there:
        broker.advance(200)
        turns += 1
        assert not broker.broker.image.brokers[1].fenced
    assert turns * 200 > broker.broker.config.get_int("broker.session.timeout.ms")


def test_without_room_for_the_metadata_log_a_change_is_refused_and_can_be_made_again_later():
    broker = BrokerHarness()
    broker.advance(1_000)
    broker.broker.logs.give_up_reserves()
    broker.fs.free_bytes = 0
    creation = CreateTopicsRequest(topics=[CreatableTopic("t", 1, 1)], timeout_ms=1_000)
    assert broker.ask(creation, 7).topics[0].error_code == KAFKA_STORAGE_ERROR
    broker.fs.free_bytes = None
    broker.advance(2_000)
    assert broker.ask(creation, 7).topics[0].error_code == 0
    assert only(broker.ask(produce_request((0, batch(b"a"))), 9)).error_code == 0
