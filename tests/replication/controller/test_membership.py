"""Unregistering brokers, registering controllers, levels of features."""

from typing import Any

import pytest

from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.cluster_metadata import NoOpRecord
from kafkacompat.protocol.messages.controller_registration import ControllerRegistrationRequest, Feature, Listener
from kafkacompat.protocol.messages.unregister_broker import UnregisterBrokerRequest
from kafkacompat.protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from kafkacompat.replication.metadata.image import ControllerImage, PartitionImage
from kafkacompat.replication.raft.voters import Voter
from tests.replication.controller.active_world import World

NOW = Now(0, 0)


def test_a_broker_is_forgotten() -> None:
    world = World(PartitionImage((1, 2), (1, 2), 1))
    answer = world.controller.unregister(UnregisterBrokerRequest(1), NOW).response
    assert (answer.error_code, answer.error_message) == (errors.NONE, "")
    assert sorted(world.image.brokers) == [2, 3]
    partition = world.partition()
    assert (partition.replicas, partition.isr, partition.leader, partition.elr) == ((1, 2), (2,), 2, (1,))
    assert world.register(1, 0).error_code == errors.NONE
    assert world.partition().elr == (), "nobody knows what it has lost meanwhile"


def test_who_is_not_there_cannot_be_forgotten() -> None:
    answer = World().controller.unregister(UnregisterBrokerRequest(9), NOW).response
    assert (answer.error_code, answer.error_message) == (
        errors.BROKER_ID_NOT_REGISTERED, "Broker ID 9 is not currently registered",
    )  # fmt: skip


def test_a_controller_registers() -> None:
    world = World()
    request = ControllerRegistrationRequest(
        7, b"c" * 16, False, [Listener("CONTROLLER", "host", 9093, 0)], [Feature("metadata.version", 7, 30)]
    )
    assert world.controller.register_controller(request, NOW).response.error_message == ""
    found = world.image.controllers[7]
    assert (found.incarnation_id, found.endpoints[0].address) == (b"c" * 16, "host:9093")
    assert found.features == {"metadata.version": (7, 30)}


ALL = "The update failed for all features since the following feature had an error: Invalid update version"
LOSES = ALL.partition("Invalid")[0] + "Unsupported metadata.version downgrade from 30 to 29."
DOWNGRADE = (
    "Can't downgrade the version of this feature without setting the upgrade type to either safe or unsafe downgrade."
)


@pytest.mark.parametrize(
    ("name", "level", "kind", "message"),
    [
        ("metadata.version", 30, 1, None),
        ("metadata.version", 30, 2, None),
        ("metadata.version", 30, 0, f"{ALL} 30 for feature metadata.version. The controller does not support the given "
         "upgrade type."),
        ("metadata.version", 31, 1, f"{ALL} 31 for feature metadata.version. Local controller 1 only supports versions "
         "29-30"),
        ("metadata.version", 29, 2, f"{LOSES} Refusing to perform the requested downgrade because it might delete "
         "metadata information."),
        ("metadata.version", 29, 3, f"{LOSES} Unsafe metadata downgrade is not supported in this version."),
        ("metadata.version", -1, 1, f"{ALL} -1 for feature metadata.version. A feature version cannot be less than 0."),
        ("nope", 1, 1, f"{ALL} 1 for feature nope. Local controller 1 does not support this feature."),
        ("share.version", 0, 2, None),
        ("kraft.version", 1, 1, None),
        ("kraft.version", 2, 1, f"{ALL} 2 for feature kraft.version. Local controller 1 only supports versions 0-1"),
        ("kraft.version", 0, 1, f"{ALL} 0 for feature kraft.version. {DOWNGRADE}"),
        ("kraft.version", 0, 2, f"{ALL} 0 for feature kraft.version. Can't downgrade the version of this feature."),
    ],
)  # fmt: skip
def test_levels_of_features(name: str, level: int, kind: int, message: str | None) -> None:
    world = World()
    answer = update(world, [FeatureUpdateKey(name, level, upgrade_type=kind)])
    assert answer.error_message == message
    assert answer.error_code == (errors.NONE if message is None else errors.INVALID_UPDATE_VERSION)
    waits_for_the_quorum = (name, kind, message) == ("kraft.version", 1, None)
    assert world.quorum.records == ([NoOpRecord()] if waits_for_the_quorum else [])


@pytest.mark.parametrize("tries", [True, False])
@pytest.mark.parametrize("is_known", [True, False])
def test_static_voters_move_into_the_log(tries: bool, is_known: bool) -> None:
    """When all that is to be written of them is known; an answer waits for a record behind theirs, as in Kafka."""
    world = World()
    world.quorum.kraft_level = 0
    world.quorum.voters = (Voter(1, b"d" * 16),) if is_known else None
    answer = update(world, [FeatureUpdateKey("kraft.version", 1)], validate_only=tries)
    assert answer.error_code == (errors.NONE if is_known else errors.INVALID_UPDATE_VERSION)
    assert ("voters are not known" in (answer.error_message or "")) is not is_known
    is_done = is_known and not tries
    assert [voter.id for voter in world.quorum.written] == ([1] if is_done else [])
    assert [type(record) for record in world.quorum.records] == ([NoOpRecord] if is_done else [])


@pytest.mark.parametrize(("level", "kind", "error"), [(0, 1, None), (0, 2, None), (1, 3, "to a newer version")])
def test_static_voters_stay_in_the_configuration(level: int, kind: int, error: str | None) -> None:
    world = World()
    world.quorum.kraft_level = 0
    world.quorum.voters = (Voter(1, b"d" * 16),)
    answer = update(world, [FeatureUpdateKey("kraft.version", level, upgrade_type=kind)])
    assert (answer.error_code == errors.NONE) is (error is None)
    assert error is None or error in answer.error_message
    assert world.quorum.written == ()


def test_one_bad_level_keeps_static_voters_where_they_are() -> None:
    world = World()
    world.quorum.kraft_level = 0
    world.quorum.voters = (Voter(1, b"d" * 16),)
    assert update(world, [FeatureUpdateKey("kraft.version", 1), FeatureUpdateKey("nope", 1)]).error_code != errors.NONE
    assert (world.quorum.written, world.quorum.records) == ((), [])


@pytest.fixture
def world_at_29() -> World:
    """A cluster of Apache Kafka 4.2: brokers and controllers support metadata.version 29 and 30, and it is at 29."""
    ranges = {"metadata.version": (29, 30)}
    world = World()
    brokers = {broker.id: broker.but(features=ranges) for broker in world.image.brokers.values()}
    controllers = {1: ControllerImage(1, b"c" * 16, (), ranges)}
    levels = {"metadata.version": 29}
    world.quorum.image = world.image.but(brokers=brokers, controllers=controllers, features=levels)
    world.quorum.newest = world.quorum.image
    return world


def test_a_level_is_raised(world_at_29: World) -> None:
    wanted = [FeatureUpdateKey("metadata.version", 30)]
    assert update(world_at_29, wanted, validate_only=True).error_code == errors.NONE
    assert world_at_29.image.features["metadata.version"] == 29
    assert update(world_at_29, wanted).error_code == errors.NONE
    assert world_at_29.image.features["metadata.version"] == 30


@pytest.mark.parametrize(
    ("level", "kind", "reason"),
    [(30, 2, "Can't downgrade to a newer version."), (28, 2, "Local controller 1 only supports versions 29-30")],
)
def test_a_level_that_is_not_raised(world_at_29: World, level: int, kind: int, reason: str) -> None:
    answer = update(world_at_29, [FeatureUpdateKey("metadata.version", level, upgrade_type=kind)])
    assert answer.error_message == f"{ALL} {level} for feature metadata.version. {reason}"


def test_a_level_is_lowered_only_on_purpose() -> None:
    world = World()
    ranges = {"transaction.version": (0, 2)}
    brokers = {broker.id: broker.but(features=ranges) for broker in world.image.brokers.values()}
    world.quorum.newest = world.quorum.image = world.image.but(brokers=brokers, features={"transaction.version": 2})
    answer = update(world, [FeatureUpdateKey("transaction.version", 1)])
    assert answer.error_message == f"{ALL} 1 for feature transaction.version. {DOWNGRADE}"
    assert update(world, [FeatureUpdateKey("transaction.version", 1, upgrade_type=2)]).error_code == errors.NONE
    assert world.image.features["transaction.version"] == 1


@pytest.mark.parametrize(("map_name", "who"), [("brokers", "Broker 2"), ("controllers", "Controller 1")])
def test_everybody_must_support_a_level(world_at_29: World, map_name: str, who: str) -> None:
    members = dict(getattr(world_at_29.image, map_name))
    key = int(who[-1])
    members[key] = members[key].but(features={"metadata.version": (7, 29)})
    world_at_29.quorum.newest = world_at_29.image.but(**{map_name: members})
    answer = update(world_at_29, [FeatureUpdateKey("metadata.version", 30)])
    assert answer.error_message == f"{ALL} 30 for feature metadata.version. {who} only supports versions 7-29"


def test_all_or_nothing(world_at_29: World) -> None:
    answer = update(world_at_29, [FeatureUpdateKey("metadata.version", 30), FeatureUpdateKey("nope", 1)], version=1)
    assert (answer.error_code, answer.results) == (errors.INVALID_UPDATE_VERSION, ())
    assert world_at_29.quorum.records == []


@pytest.mark.parametrize(("version", "results"), [(0, 1), (1, 1), (2, 0)])
def test_old_versions_answer_each_feature(version: int, results: int) -> None:
    answer = update(World(), [FeatureUpdateKey("metadata.version", 30)], version=version)
    assert [(each.feature, each.error_code, each.error_message) for each in answer.results] == [
        ("metadata.version", errors.NONE, "NONE")
    ] * results


def update(world: World, wanted: list[FeatureUpdateKey], *, version: int = 2, validate_only: bool = False) -> Any:
    request = UpdateFeaturesRequest(1000, wanted, validate_only)
    return world.controller.update_features(request, version, NOW).response
