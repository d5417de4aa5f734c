"""``cordoned.log.dirs`` (KIP-1066): what is not made there any more, what stays, and who is told."""

from __future__ import annotations

import pytest

from kafkacompat.broker.connection import Connection
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from kafkacompat.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from kafkacompat.replication.metadata.image import BROKER_RESOURCE
from tests.broker.harness import BrokerHarness
from tests.broker.replicas.test_replica_alter_log_dirs import alter, places, wait
from tests.broker.test_several_directories import DIRECTORIES, described, fetched, harness, produce

SET, DELETE = 0, 1


def cordon(broker: BrokerHarness, paths: str | None, connection: Connection | None = None) -> int:
    """Change the dynamic config; the error code."""
    config = AlterableConfig("cordoned.log.dirs", DELETE if paths is None else SET, paths)
    request = IncrementalAlterConfigsRequest([AlterConfigsResource(BROKER_RESOURCE, "1", [config])])
    return broker.ask(request, 1, connection).responses[0].error_code


def cordoned(broker: BrokerHarness) -> list[str]:
    """The directories that DescribeLogDirs calls cordoned."""
    results = broker.ask(DescribeLogDirsRequest(topics=None), 5).results
    return [each.log_dir for each in results if each.is_cordoned]


def told(broker: BrokerHarness) -> list[str]:
    """The directories that the metadata calls cordoned."""
    paths = {each.directory_id: each.path for each in broker.broker.logs.directories}
    return [paths[each] for each in broker.broker.image.brokers[1].cordoned_log_dirs or ()]


def create(broker: BrokerHarness, name: str, partitions: int) -> int:
    request = CreateTopicsRequest(topics=[CreatableTopic(name, partitions, 1)])
    return broker.ask(request, 7).topics[0].error_code


@pytest.mark.parametrize("is_dynamic", [False, True])
def test_new_replicas_go_to_other_directories(is_dynamic: bool) -> None:
    broker = harness() if is_dynamic else harness(cordoned_log_dirs="/b")
    if is_dynamic:
        assert cordon(broker, "/b") == errors.NONE
    assert cordoned(broker) == told(broker) == ["/b"]
    broker.create_topic("t", 4)
    assert {path: found for path, (_, found) in described(broker).items()}["/b"] == []
    assert cordon(broker, "") == errors.NONE
    assert cordoned(broker) == told(broker) == []
    broker.create_topic("u", 1)
    assert list(places(broker, 0, "u")) == ["/b"]


def test_what_is_there_stays_and_is_served() -> None:
    broker = harness()
    broker.create_topic("t", 3)
    before = described(broker)
    assert cordon(broker, "/a,/b") == errors.NONE
    wait(broker)
    assert described(broker) == before
    assert [produce(broker, index) for index in range(3)] == [errors.NONE] * 3
    assert fetched(broker, 0) == (errors.NONE, 1)


def test_nothing_moves_there_and_what_is_there_may_move_away() -> None:
    broker = harness()
    broker.create_topic("t", 1)
    assert alter(broker, "/a", 0) == [errors.NONE]
    assert cordon(broker, "/a,/b") == errors.NONE
    assert alter(broker, "/b", 0, 9) == [errors.INVALID_REPLICA_ASSIGNMENT] * 2
    assert alter(broker, "/a", 0) == [errors.INVALID_REPLICA_ASSIGNMENT], "though it is there"
    assert alter(broker, "/b", 0, topic="x" * 214) == [errors.INVALID_TOPIC_EXCEPTION]
    assert places(broker, 0) == {"/a": (False, 0)}
    assert alter(broker, "/c", 0) == [errors.NONE]
    wait(broker)
    assert places(broker, 0) == {"/c": (False, 0)}


def test_a_move_that_has_begun_goes_on_and_a_directory_that_was_chosen_before_counts() -> None:
    broker = harness()
    broker.create_topic("t", 1)
    assert produce(broker, 0) == errors.NONE
    assert alter(broker, "/b", 0) == [errors.NONE]
    assert alter(broker, "/b", 0, topic="later") == [errors.UNKNOWN_TOPIC_OR_PARTITION]
    assert cordon(broker, "/b") == errors.NONE
    wait(broker)
    assert places(broker, 0) == {"/b": (False, 0)}
    broker.create_topic("later", 1)
    assert places(broker, 0, "later") == {"/b": (False, 0)}


@pytest.mark.parametrize("all_of_them", ["*", ",".join(DIRECTORIES)])
def test_a_broker_whose_directories_are_all_cordoned_gets_no_new_replicas(all_of_them: str) -> None:
    broker = harness()
    assert cordon(broker, all_of_them) == errors.NONE
    assert cordoned(broker) == sorted(told(broker)) == list(DIRECTORIES)
    assert create(broker, "t", 1) == errors.INVALID_REPLICATION_FACTOR
    assert cordon(broker, None) == errors.NONE
    assert create(broker, "t", 1) == errors.NONE


def test_a_replica_that_was_assigned_before_goes_to_the_first_directory() -> None:
    """The controller did not know yet (``LogManager.nextLogDirs``)."""
    broker = harness()
    broker.create_topic("t", 1)
    broker.broker.logs.cordon(["*"])
    broker.create_topic("u", 2)
    assert [places(broker, index, "u") for index in (0, 1)] == [{"/a": (False, 0)}] * 2


def test_only_log_directories_are_cordoned() -> None:
    broker = harness()
    assert cordon(broker, "/elsewhere") != errors.NONE
    assert cordon(broker, "*,/a") != errors.NONE
    assert cordoned(broker) == told(broker) == []


def test_a_directory_is_cordoned_by_the_name_that_it_was_configured_with() -> None:
    """``log.dirs=/b/`` is told as ``/b``."""
    logs = harness().broker.logs
    logs.cordon(["/b/"])
    assert logs.cordoned_paths == {"/b"}


def test_a_client_of_the_controller_can_only_take_entries_out() -> None:
    """It does not know the paths of other brokers (``ConfigurationControlManager.isCordonedLogDirsInvalid``)."""
    broker = harness()
    controller = broker.controller_connection
    assert cordon(broker, "/b", controller) == errors.INVALID_CONFIG
    assert cordon(broker, "*", controller) == errors.INVALID_CONFIG
    assert cordon(broker, "/b, /c") == errors.NONE
    assert cordon(broker, " /c ,/b ", controller) == errors.NONE
    assert cordon(broker, "/c", controller) == errors.NONE
    assert cordoned(broker) == told(broker) == ["/c"]
    assert cordon(broker, "/b", controller) == errors.INVALID_CONFIG
    assert cordon(broker, "", controller) == errors.NONE
    assert cordoned(broker) == told(broker) == []
    assert cordon(broker, None, controller) == errors.NONE
