"""Rules C3 and C4: sessions, registration, fencing."""

import pytest

from kafkacompat.now import NEVER, Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest
from kafkacompat.replication.controller.broker_heartbeat_manager import BrokerHeartbeatManager
from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage, TopicImage
from kafkacompat.replication.metadata.result import Result
from tests.replication.quorum_world import after, image_with, settings

ID = bytes(range(16))
TIMEOUT_MS = 9000
NEW = b"n" * 16


class Controller:
    """An active controller with brokers 1 to 3, epochs 11 to 13, and a partition that 1 leads; commits at once."""

    def __init__(self, *isr: int) -> None:
        partition = PartitionImage((1, 2, 3), isr or (1, 2, 3), 1)
        topic = TopicImage("t", ID, (partition,))
        self.image: MetadataImage = image_with(1, 2, 3).but(topics={"t": topic}, topics_by_id={ID: topic}, offset=50)
        self.settings = settings(min_insync_replicas="2")
        self.sessions = BrokerHeartbeatManager(self.image, TIMEOUT_MS, Now(0, 0))

    @property
    def partition(self) -> PartitionImage:
        return self.image.topics["t"].partitions[0]

    def commit(self, result: Result):
        if result.records:
            self.image = after(self.image, result.records)
        return result.response

    def beat(self, broker_id: int, ms: int, *, epoch: int | None = None, **said: object):
        fields = {"current_metadata_offset": self.image.offset, **said}
        request = BrokerHeartbeatRequest(broker_id, 10 + broker_id if epoch is None else epoch, **fields)
        return self.commit(self.sessions.heartbeat(request, self.image, self.settings, Now(ms, ms)))

    def register(self, broker_id: int, ms: int, *, incarnation: bytes = NEW, previous_epoch: int = -1):
        request = BrokerRegistrationRequest(
            broker_id, incarnation_id=incarnation, log_dirs=[ID], previous_broker_epoch=previous_epoch
        )
        offset = self.image.offset + 1
        return self.commit(self.sessions.register(request, self.image, self.settings, offset, Now(ms, ms)))

    def fence_all(self, ms: int) -> list[int]:
        while (result := self.sessions.fence_next(self.image, self.settings, Now(ms, ms))) is not None:
            self.commit(result)
        return [broker.id for broker in self.image.brokers.values() if broker.fenced]


def test_who_is_silent_for_a_session_is_fenced_and_leaves_every_isr() -> None:
    world = Controller()
    world.beat(2, 5000)
    world.beat(3, 5000)
    assert world.sessions.deadline_ms(world.image) == TIMEOUT_MS
    assert world.fence_all(TIMEOUT_MS - 1) == []
    assert world.fence_all(TIMEOUT_MS) == [1]
    assert (world.partition.isr, world.partition.leader, world.partition.leader_epoch) == ((2, 3), 2, 1)
    assert world.sessions.deadline_ms(world.image) == 5000 + TIMEOUT_MS


def test_each_removal_sees_who_was_eligible_before() -> None:
    world = Controller()
    assert world.fence_all(TIMEOUT_MS) == [1, 2, 3]
    assert (world.partition.isr, world.partition.elr, world.partition.leader) == ((), (2, 3), -1)
    assert world.sessions.deadline_ms(world.image) == NEVER


def test_a_heartbeat_that_has_seen_its_registration_unfences_and_elects() -> None:
    world = Controller()
    world.fence_all(TIMEOUT_MS)
    late = world.beat(3, TIMEOUT_MS, current_metadata_offset=12)
    assert (late.is_caught_up, late.is_fenced) == (False, True)
    assert world.beat(3, TIMEOUT_MS, want_fence=True).is_fenced
    answer = world.beat(3, TIMEOUT_MS)
    assert (answer.error_code, answer.is_caught_up, answer.is_fenced) == (errors.NONE, True, False)
    assert (world.partition.leader, world.partition.isr, world.partition.elr) == (3, (3,), (2,))


@pytest.mark.parametrize(("broker_id", "epoch"), [(1, 10), (1, 12), (9, 19)])
def test_heartbeats_of_past_lives_count_for_nothing(broker_id: int, epoch: int) -> None:
    world = Controller()
    assert world.beat(broker_id, 8000, epoch=epoch).error_code == errors.STALE_BROKER_EPOCH
    assert 1 in world.fence_all(TIMEOUT_MS)


def test_a_broker_may_ask_to_be_fenced() -> None:
    world = Controller()
    answer = world.beat(1, 0, want_fence=True)
    assert (answer.is_fenced, answer.should_shut_down) == (True, False)
    assert world.image.brokers[1].fenced


@pytest.mark.parametrize("is_fenced", [False, True])
def test_another_process_waits_until_the_session_of_the_present_one_is_over(is_fenced: bool) -> None:
    world = Controller()
    if is_fenced:
        world.beat(1, 0, want_fence=True)
    assert world.register(1, TIMEOUT_MS - 1).error_code == errors.DUPLICATE_BROKER_REGISTRATION
    answer = world.register(1, TIMEOUT_MS)
    assert answer.error_code == errors.NONE
    assert world.image.brokers[1].epoch == answer.broker_epoch > 50
    assert world.image.brokers[1].fenced
    assert 1 not in world.partition.isr
    refused = world.register(1, TIMEOUT_MS + 1, incarnation=b"o" * 16)
    assert refused.error_code == errors.DUPLICATE_BROKER_REGISTRATION, "the new one has a session from the start"


def test_evidence_of_death_ends_a_session() -> None:
    world = Controller()
    world.sessions.died(1)
    world.sessions.died(9)
    assert world.fence_all(0) == [1]
    assert world.register(1, 1).error_code == errors.NONE


def test_who_asks_again_gets_the_same_epoch() -> None:
    world = Controller()
    world.sessions.died(1)
    epoch = world.register(1, 0).broker_epoch
    offset = world.image.offset
    assert world.register(1, 1).broker_epoch == epoch
    assert world.image.offset == offset


@pytest.mark.parametrize(("previous_epoch", "elr"), [(13, (2, 3)), (12, (2,)), (-1, (2,))])
def test_who_cannot_prove_that_nothing_was_lost_is_not_eligible(previous_epoch: int, elr: tuple[int, ...]) -> None:
    world = Controller()
    world.fence_all(TIMEOUT_MS)
    assert world.partition.elr == (2, 3)
    world.register(3, TIMEOUT_MS, previous_epoch=previous_epoch)
    assert world.partition.elr == elr


def test_a_new_controller_gives_all_a_session() -> None:
    world = Controller()
    world.sessions = BrokerHeartbeatManager(world.image, TIMEOUT_MS, Now(100_000, 0))
    assert world.fence_all(100_000 + TIMEOUT_MS - 1) == []


def test_controlled_shutdown() -> None:
    world = Controller()
    for broker_id in (2, 3):
        world.beat(broker_id, 0)
    answer = world.beat(1, 0, want_shut_down=True)
    assert (answer.should_shut_down, answer.is_fenced) == (False, False)
    assert (world.partition.leader, world.partition.isr) == (2, (2, 3))
    assert not world.beat(1, 100, want_shut_down=True).should_shut_down, "the others do not know yet"
    world.beat(2, 200)
    assert not world.beat(1, 200, want_shut_down=True).should_shut_down
    world.beat(3, 300)
    answer = world.beat(1, 300, want_shut_down=True)
    assert (answer.should_shut_down, answer.is_fenced) == (True, True)
    assert world.image.brokers[1].fenced


def test_who_leads_nothing_may_stop_at_once() -> None:
    world = Controller()
    assert world.beat(3, 0, want_shut_down=True).should_shut_down
    assert 3 not in world.partition.isr


def test_a_fenced_broker_may_stop_at_once() -> None:
    world = Controller()
    world.beat(1, 0, want_fence=True)
    assert world.beat(1, 0, want_shut_down=True).should_shut_down
