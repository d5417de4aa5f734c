"""F1 to F6 and R8 between partitions on real logs: what a follower fetches, truncates and refuses to truncate."""

import errno

import pytest

from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import ACKS_ALL
from kafkacompat.protocol.messages.alter_partition import AlterPartitionResponsePartitionData
from kafkacompat.protocol.messages.fetch import EpochEndOffset, PartitionData
from kafkacompat.replication.cluster_view import ENFORCE_ALL, ENFORCE_OFF, ClusterView
from kafkacompat.replication.following import BACK_OFF, FETCH_AGAIN, FIND_START, STOPPED
from kafkacompat.replication.metadata.image import RECOVERED, RECOVERING, PartitionImage
from kafkacompat.replication.partition import Partition
from kafkacompat.replication.serving import serve_follower
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.truncation import truncation_offset
from tests.replication.quorum_world import image_with
from tests.storage.support import batch, open_log, produced, topic_config

NOW = Now(1000, 1_700_000_000_000)
MAX_BYTES = 1 << 20


class Replicas:
    """Brokers 1 to 3 with a replica each; the test delivers the controller's images to them."""

    def __init__(self, min_isr: int = 2) -> None:
        self.min_isr = min_isr
        self.image = PartitionImage((1, 2, 3), (1, 2, 3), 1, 0, 0)
        self.all: dict[int, Partition] = {}
        self.views: dict[int, ClusterView] = {}
        for node_id in (1, 2, 3):
            fs = MemFs()
            fs.mkdir("/data")
            view = self.views[node_id] = ClusterView()
            view.image = image_with(1, 2, 3)
            self.all[node_id] = Partition("t", 0, bytes(16), node_id, open_log(fs), 0, view)
        self.tell(1, 2, 3)

    def __getitem__(self, node_id: int) -> Partition:
        return self.all[node_id]

    def tell(self, *node_ids: int, **changes: object) -> None:
        if changes:
            self.image = self.image.but(partition_epoch=self.image.partition_epoch + 1, **changes)
        for node_id in node_ids:
            self.all[node_id].apply(self.image, self.min_isr, NOW)

    def write(self, node_id: int, count: int = 1, acks: int = 1) -> None:
        for _ in range(count):
            self.all[node_id].append(batch(), acks, NOW)

    def ask(self, follower: int, leader: int) -> tuple[int, PartitionData]:
        """A follower's fetch and the answer to it, on their way."""
        asked = self.all[follower].next_fetch(MAX_BYTES)
        assert asked is not None
        ticket, fetch = asked
        answer = serve_follower(self.all[leader], follower, 10 + follower, fetch, MAX_BYTES, NOW)
        if len(answer.records):
            part = answer.records
            answer.records = memoryview(bytearray(part.read(0, len(part))))
            part.release()
        return ticket, answer

    def fetch(self, follower: int, leader: int = 1) -> str | None:
        ticket, answer = self.ask(follower, leader)
        return self.all[follower].fetch_answered(ticket, answer, NOW)

    def sync(self, leader: int, *followers: int) -> None:
        """Until all have everything and know that it is committed."""
        for _ in range(6):
            for follower in followers:
                assert self.fetch(follower, leader) == FETCH_AGAIN

    def ends(self) -> list[int]:
        return [self.all[node_id].log_end_offset for node_id in (1, 2, 3)]

    def high_watermarks(self) -> list[int]:
        return [self.all[node_id].high_watermark for node_id in (1, 2, 3)]


def test_records_are_committed_by_the_fetches_behind_them() -> None:
    world = Replicas()
    world.write(1, 3, ACKS_ALL)
    assert world[1].ack_error(2, ACKS_ALL, NOW, needs_sync=False) is None
    for follower in (2, 3):
        world.fetch(follower)
    assert (world.ends(), world.high_watermarks()) == ([3, 3, 3], [0, 0, 0])
    world.fetch(2)
    assert world[1].high_watermark == 0
    world.fetch(3)
    assert world[1].ack_error(2, ACKS_ALL, NOW, needs_sync=False) == errors.NONE
    assert world.high_watermarks() == [3, 0, 3]


def test_one_fetch_at_a_time_and_its_answer_once() -> None:
    world = Replicas()
    world.write(1)
    ticket, answer = world.ask(2, 1)
    assert world[2].next_fetch(MAX_BYTES) is None
    assert world[2].fetch_answered(ticket + 1, answer, NOW) is None
    assert world[2].fetch_answered(ticket, answer, NOW) == FETCH_AGAIN
    assert world[2].fetch_answered(ticket, answer, NOW) is None
    ticket, answer = world.ask(2, 1)
    assert world[2].fetch_failed(ticket)
    assert not world[2].fetch_failed(ticket)
    assert world[2].next_fetch(MAX_BYTES) is not None


def test_answers_of_an_earlier_epoch_are_not_taken() -> None:
    world = Replicas()
    world.write(1)
    ticket, answer = world.ask(2, 1)
    world.tell(2, leader=3, leader_epoch=1)
    assert world[2].fetch_answered(ticket, answer, NOW) is None
    assert world[2].log_end_offset == 0
    later = world[2].next_fetch(MAX_BYTES)
    assert later is not None
    assert later[0] != ticket


def test_a_ticket_is_used_once_even_if_the_replica_led_in_between() -> None:
    world = Replicas()
    world.write(1)
    ticket, answer = world.ask(2, 1)
    world.tell(2, leader=2, leader_epoch=1)
    world.tell(2, leader=1, leader_epoch=2)
    later = world[2].next_fetch(MAX_BYTES)
    assert later is not None
    assert later[0] != ticket
    assert world[2].fetch_answered(ticket, answer, NOW) is None
    assert world[2].log_end_offset == 0


def test_logs_that_part_are_cut_by_epoch() -> None:
    world = Replicas()
    world.write(1, 2)
    world.sync(1, 2, 3)
    world.write(1, 3)  # 1 alone has these
    world.tell(2, 3, leader=2, leader_epoch=1, isr=(2, 3))
    world.write(2, 1)
    world.sync(2, 3)
    world.tell(1)
    assert world[1].log_end_offset == 5
    assert world.fetch(1, 2) == FETCH_AGAIN
    assert world[1].log_end_offset == 2
    world.sync(2, 1)
    assert world.ends() == [3, 3, 3]
    assert [world[node].log.epochs.entries for node in (1, 2, 3)] == [[(0, 0), (1, 2)]] * 3
    world.fetch(3, 2)
    assert world[2].high_watermark == 3


def test_a_leader_that_wrote_nothing_leaves_no_trace() -> None:
    """Its epoch is in its own cache alone, at its log end: the fetch shows it, and the cut takes it away."""
    world = Replicas()
    world.write(1, 2)
    world.sync(1, 2, 3)
    world.tell(2, leader=2, leader_epoch=1)
    world.tell(1, 2, 3, leader=1, leader_epoch=2)
    world.write(1)
    assert world.fetch(2) == FETCH_AGAIN
    assert world[2].log.epochs.latest == 0
    world.sync(1, 2)
    assert world[2].log_end_offset == 3


def test_the_high_watermark_of_an_answer_that_cuts_is_not_taken() -> None:
    world = Replicas()
    world.write(1, 1)
    world.sync(1, 2, 3)
    world.write(1, 4)
    world.tell(2, 3, leader=2, leader_epoch=1, isr=(2, 3))
    world.write(2, 3)
    world.sync(2, 3)
    world.fetch(3, 2)
    world.tell(1)
    assert world[2].high_watermark == 4
    assert world.fetch(1, 2) == FETCH_AGAIN
    assert (world[1].log_end_offset, world[1].high_watermark) == (1, 1)


def with_a_forgetful_disk() -> Replicas:
    """Three records are committed, and replica 2 has lost all but the first of them."""
    world = Replicas()
    world.write(1, 3)
    world.sync(1, 2, 3)
    world[2].log.truncate_to(1)
    world[2].high_watermark = 1
    return world


def test_committed_records_are_not_cut() -> None:
    world = with_a_forgetful_disk()
    world.tell(1, 2, leader=2, leader_epoch=1)
    world.write(2, 1)
    assert world.fetch(1, 2) == STOPPED
    assert world[1].log_end_offset == 3
    assert world[1].leader_error() == errors.KAFKA_STORAGE_ERROR
    assert world[1].next_fetch(MAX_BYTES) is None


def test_who_keeps_them_follows_again_when_the_topic_allows_unclean_elections() -> None:
    world = with_a_forgetful_disk()
    world.tell(1, 2, leader=2, leader_epoch=1)
    world.write(2, 1)
    assert world.fetch(1, 2) == STOPPED
    world.tell(1, leader_epoch=2)
    assert world[1].next_fetch(MAX_BYTES) is None, "another election is no reason"
    world[1].log.config = topic_config(unclean_leader_election_enable="true")
    world.tell(1, 2)
    assert world[1].leader_error(needs_leader=False) == errors.NONE
    assert world.fetch(1, 2) == FETCH_AGAIN
    world[1].log.config = topic_config()
    world.fetch(1, 2)
    assert (world[1].log_end_offset, world[1].high_watermark) == (2, 1)


def test_after_an_unclean_election_they_are() -> None:
    world = with_a_forgetful_disk()
    world.tell(1, 2, leader=2, leader_epoch=1, isr=(2,), recovery_state=RECOVERING)
    world.write(2, 1)
    assert world.fetch(1, 2) == FETCH_AGAIN
    assert (world[1].log_end_offset, world[1].high_watermark) == (1, 1)


def test_who_missed_an_unclean_election_cuts_as_well() -> None:
    """The leader has said that it is RECOVERED before we heard of either: one image shows the second state alone."""
    world = with_a_forgetful_disk()
    image = PartitionImage((1, 2, 3), (2,), 2, 1, 7, recovery_state=RECOVERING)
    recovered = image.but(isr=(2, 3), partition_epoch=8, recovery_state=RECOVERED)
    world[2].apply(image, 1, NOW)
    world[2].apply(recovered, 1, NOW)
    world[1].apply(recovered, 1, NOW)
    world.write(2, 1)
    assert world.fetch(1, 2) == FETCH_AGAIN
    assert (world[1].log_end_offset, world[1].high_watermark) == (1, 1)
    world.fetch(1, 2)
    assert world[1].log_end_offset == 2
    later = recovered.but(leader_epoch=2, partition_epoch=9)
    world[2].apply(later, 1, NOW)
    world[1].apply(later, 1, NOW)
    world[2].log.truncate_to(0)  # nothing explains this
    world[1].high_watermark = 2
    world.write(2, 1)
    assert world.fetch(1, 2) == STOPPED


def test_who_led_since_an_unclean_election_keeps_what_is_committed_even_if_it_wrote_nothing() -> None:
    """Its epoch has a start without a record (R10): that election explains no loss that comes after it."""
    world = Replicas()
    world.write(1, 3)
    world.sync(1, 2, 3)
    world.tell(1, 2, leader_epoch=1, isr=(1,), recovery_state=RECOVERING)
    world.tell(1, 2, isr=(1, 2), recovery_state=RECOVERED, unclean_epoch=1)
    world[2].log.truncate_to(1)  # nothing explains this
    world[2].high_watermark = 1
    world.tell(1, 2, leader=2, leader_epoch=2)
    world.write(2, 1)
    assert world.fetch(1, 2) == STOPPED
    assert (world[1].log_end_offset, world[1].high_watermark) == (3, 3)


@pytest.mark.parametrize(
    ("epoch", "error"), [(0, errors.FENCED_LEADER_EPOCH), (2, errors.UNKNOWN_LEADER_EPOCH), (-1, errors.NONE)]
)
def test_whose_epoch_is_another_is_not_served(epoch: int, error: int) -> None:
    world = Replicas()
    world.tell(1, 2, leader=1, leader_epoch=1)
    _, fetch = world[2].next_fetch(MAX_BYTES)
    fetch.current_leader_epoch = epoch
    assert serve_follower(world[1], 2, 12, fetch, MAX_BYTES, NOW).error_code == error
    assert (world[1].in_sync.followers[2].end_offset == 0) is (error == errors.NONE)


def test_strangers_and_past_lives_are_not_served() -> None:
    world = Replicas()
    _, fetch = world[2].next_fetch(MAX_BYTES)
    assert serve_follower(world[1], 4, 14, fetch, MAX_BYTES, NOW).error_code == errors.UNKNOWN_LEADER_EPOCH
    assert serve_follower(world[1], 2, 11, fetch, MAX_BYTES, NOW).error_code == errors.NOT_LEADER_OR_FOLLOWER
    assert serve_follower(world[3], 2, 12, fetch, MAX_BYTES, NOW).error_code == errors.NOT_LEADER_OR_FOLLOWER
    fetch.current_leader_epoch = -1
    assert serve_follower(world[1], 4, 14, fetch, MAX_BYTES, NOW).error_code == errors.NOT_LEADER_OR_FOLLOWER
    assert world[1].in_sync.followers[2].end_offset == -1


def test_who_is_behind_the_log_start_begins_there() -> None:
    world = Replicas()
    world.write(1, 5)
    world.sync(1, 2)
    world.views[1].lag_time_max_ms = -1  # nobody outside of the isr is waited for
    world.tell(1, isr=(1, 2))
    world.sync(1, 2)
    world[1].delete_records_before(4, NOW)
    assert world.fetch(3) == FETCH_AGAIN
    assert (world[3].log_start_offset, world[3].log_end_offset, world[3].high_watermark) == (4, 4, 4)
    world.sync(1, 3)
    assert world[3].log_end_offset == 5


def test_kafka_leaders_are_asked_for_their_log_start() -> None:
    world = Replicas()
    asked = world[2].next_fetch(MAX_BYTES)
    assert asked is not None
    ticket, _ = asked
    answer = PartitionData(error_code=errors.OFFSET_OUT_OF_RANGE)
    assert world[2].fetch_answered(ticket, answer, NOW) == FIND_START


NO_OFFSETS = (
    PartitionData(error_code=errors.OFFSET_OUT_OF_RANGE, log_start_offset=-5),
    PartitionData(error_code=errors.OFFSET_OUT_OF_RANGE, log_start_offset=0),
    PartitionData(error_code=errors.OFFSET_OUT_OF_RANGE, log_start_offset=3),
    PartitionData(diverging_epoch=EpochEndOffset(0, -7)),
    PartitionData(diverging_epoch=EpochEndOffset(-3, -7), high_watermark=-9, log_start_offset=-4),
    PartitionData(high_watermark=1 << 62, log_start_offset=-1),
    PartitionData(error_code=-32768, high_watermark=1 << 62),
)


@pytest.mark.parametrize("answer", NO_OFFSETS)
@pytest.mark.parametrize("is_unclean", [False, True])
def test_what_no_leader_says_costs_no_records(answer: PartitionData, is_unclean: bool) -> None:
    world = Replicas()
    world.write(1, 3)
    world.sync(1, 2, 3)
    if is_unclean:
        world.tell(1, 2, 3, leader_epoch=1, recovery_state=RECOVERING)
    asked = world[2].next_fetch(MAX_BYTES)
    assert asked is not None
    assert world[2].fetch_answered(asked[0], answer, NOW) in (BACK_OFF, FIND_START, FETCH_AGAIN)
    follower = world[2]
    assert (follower.log_start_offset, follower.log_end_offset, follower.high_watermark) == (0, 3, 3)
    world.sync(1, 2)


def test_a_negative_start_is_none() -> None:
    world = Replicas()
    assert world[2].leader_starts_at(0, -2, NOW) == FIND_START
    assert world[2].log_end_offset == 0


def test_followers_drop_what_the_leader_has_deleted() -> None:
    world = Replicas()
    world.write(1, 4)
    world.sync(1, 2, 3)
    world[1].delete_records_before(2, NOW)
    world.fetch(2)
    assert world[2].log_start_offset == 2


def test_records_of_a_later_epoch_than_the_fetch_are_refused() -> None:
    """They can come when the leader's log changed under the fetch (KAFKA-18723)."""
    world = Replicas()
    world.tell(1, 3, leader=1, leader_epoch=1)
    world.write(1)
    ticket, answer = world.ask(3, 1)
    old_ticket, _ = world[2].next_fetch(MAX_BYTES)
    assert world[2].fetch_answered(old_ticket, answer, NOW) == BACK_OFF
    assert world[2].log_end_offset == 0
    assert world[3].fetch_answered(ticket, answer, NOW) == FETCH_AGAIN


def test_followers_know_the_producers() -> None:
    world = Replicas()
    world[1].append(produced(7, 0, 0, 2), 1, NOW)
    world.sync(1, 2, 3)
    world.tell(1, 2, 3, leader=2, leader_epoch=1)
    assert world[2].append(produced(7, 0, 0, 2), 1, NOW).duplicate


def test_a_follower_catches_up_and_is_proposed() -> None:
    world = Replicas()
    world.views[1].lag_time_max_ms = -1  # nobody outside of the isr is waited for
    world.tell(1, 2, 3, isr=(1, 2))
    world.write(1, 2)
    world.sync(1, 2)
    world.fetch(3)
    assert world[1].take_proposal() is None, "it had nothing of what is committed when it asked"
    world.fetch(3)
    proposal = world[1].take_proposal()
    assert proposal is not None
    answer = AlterPartitionResponsePartitionData(0, 0, 1, 0, [1, 2, 3], 0, 2)
    world[1].proposal_answered(proposal, answer, NOW)
    assert world[1].isr == (1, 2, 3)


def test_a_lease_that_is_over_stops_proposals_and_writes_that_nobody_confirms() -> None:
    world = Replicas()
    world.tell(1, 2, 3, isr=(1, 2))
    world.views[1].heartbeat_succeeded(NOW.monotonic_ms - 900, 1200)
    world.views[1].enforce = "acks01"
    world.write(1, 1, ACKS_ALL)
    with pytest.raises(LogError) as refused:
        world.write(1)
    assert refused.value.error_code == errors.NOT_LEADER_OR_FOLLOWER
    world.sync(1, 3)
    assert world[1].take_proposal() is None


@pytest.mark.parametrize(
    ("enforce", "acks", "is_refused"),
    [
        (ENFORCE_OFF, 0, False), (ENFORCE_OFF, 1, False), (ENFORCE_OFF, ACKS_ALL, False),
        ("acks01", 0, True), ("acks01", 1, True), ("acks01", ACKS_ALL, False),
        (ENFORCE_ALL, 0, True), (ENFORCE_ALL, 1, True), (ENFORCE_ALL, ACKS_ALL, True),
    ],
)  # fmt: skip
def test_a_lease_that_is_over_refuses_what_the_setting_says(enforce: str, acks: int, is_refused: bool) -> None:
    world = Replicas()
    world.views[1].heartbeat_succeeded(NOW.monotonic_ms - 60_000, 1200)
    world.views[1].enforce = enforce
    if is_refused:
        with pytest.raises(LogError) as refused:
            world.write(1, 1, acks)
        assert refused.value.error_code == errors.NOT_LEADER_OR_FOLLOWER
    else:
        world.write(1, 1, acks)
    assert world[1].log.log_end_offset == (0 if is_refused else 1)


def test_who_may_lead_no_more_does_not_say_that_an_offset_is_nowhere() -> None:
    """A consumer that has read on from the next leader would begin anew."""
    world = Replicas()
    leader = world[1]
    world.views[1].heartbeat_succeeded(NOW.monotonic_ms, 1200)
    world.write(1)
    later = Now(NOW.monotonic_ms + 900, NOW.wall_ms)
    for offset, now, expected in (
        (2, NOW, errors.OFFSET_OUT_OF_RANGE), (2, later, errors.NOT_LEADER_OR_FOLLOWER),
        (-1, later, errors.OFFSET_OUT_OF_RANGE),
    ):  # fmt: skip
        with pytest.raises(LogError) as refused:
            leader.read(offset, 1000, 0, now, at_least_one=True)
        assert refused.value.error_code == expected
    leader.read(1, 1000, 0, later, at_least_one=True).release()


def test_a_lease_that_ends_while_the_disk_is_waited_for_leaves_open_who_leads() -> None:
    """With acks=1: nobody else says that the record is there."""
    world = Replicas()
    leader = world[1]
    world.views[1].heartbeat_succeeded(NOW.monotonic_ms, 1200)
    world.views[1].enforce = "acks01"
    world.write(1)
    assert leader.ack_error(0, 1, NOW, needs_sync=True) is None
    leader.log.flush()
    later = Now(NOW.monotonic_ms + 900, NOW.wall_ms)
    assert leader.ack_error(0, 1, later, needs_sync=True) == errors.NOT_LEADER_OR_FOLLOWER
    assert leader.ack_error(0, 1, NOW, needs_sync=True) == errors.NONE
    for follower in (2, 3, 2, 3):
        world.fetch(follower)
    assert leader.ack_error(0, ACKS_ALL, later, needs_sync=True) == errors.NONE


def test_a_leader_that_repeats_itself_is_asked_again_after_a_pause() -> None:
    world = Replicas()
    world.write(1, 2)
    world.sync(1, 2)
    follower = world[2]
    for expected in (FETCH_AGAIN, BACK_OFF, BACK_OFF):  # first there is something to cut
        ticket, answer = world.ask(2, 1)
        follower.high_watermark = 0
        answer.records, answer.diverging_epoch = b"", EpochEndOffset(0, 1)
        assert follower.fetch_answered(ticket, answer, NOW) == expected
    assert follower.log_end_offset == 1


def test_an_empty_log_that_begins_where_the_leader_says_waits_if_that_is_refused() -> None:
    world = Replicas()
    for expected in (FETCH_AGAIN, BACK_OFF):
        ticket, _ = world.ask(2, 1)
        refused = PartitionData(0, errors.OFFSET_OUT_OF_RANGE, log_start_offset=7)
        assert world[2].fetch_answered(ticket, refused, NOW) == expected
    assert world[2].log_end_offset == 7


def test_who_has_resigned_takes_no_part() -> None:
    world = Replicas()
    for node_id in (1, 2):
        world[node_id].resign()
    assert world[1].leader_error() == errors.NOT_LEADER_OR_FOLLOWER
    assert world[2].next_fetch(MAX_BYTES) is None
    world.tell(2)
    assert world[2].next_fetch(MAX_BYTES) is not None


def test_a_fetch_that_has_waited_says_nothing_new() -> None:
    """Its broker may have died and lost records since it came: what it said then is all that it says."""
    world = Replicas()
    world.write(1)
    _, fetch = world[2].next_fetch(MAX_BYTES)
    serve_follower(world[1], 2, 12, fetch, MAX_BYTES, NOW)
    world[1].in_sync.begin_epoch(1, NOW)
    serve_follower(world[1], 2, 12, fetch, MAX_BYTES, NOW, has_waited=True)
    assert world[1].in_sync.followers[2].end_offset == -1


def test_a_follower_commits_no_more_than_it_holds() -> None:
    world = Replicas(min_isr=1)
    world.tell(1, 2, isr=(1,))
    world.views[1].lag_time_max_ms = -1  # nobody outside of the isr is waited for
    world.write(1, 3)
    ticket, answer = world.ask(2, 1)
    answer.records = answer.records[: len(answer.records) // 3]
    assert world[2].fetch_answered(ticket, answer, NOW) == FETCH_AGAIN
    assert (world[2].log_end_offset, world[2].high_watermark) == (1, 1)


def test_an_older_epoch_of_the_followers_own_is_tried_next() -> None:
    """The leader's answer names an epoch that the follower does not have: all before it may agree, and none is cut."""
    world = Replicas()
    log = world[2].log
    for epoch, start in ((0, 0), (4, 2)):
        world.write(1, 2)
        log.append_as_leader(batch(), leader_epoch=epoch, now=NOW)
        log.append_as_leader(batch(), leader_epoch=epoch, now=NOW)
        assert log.epochs.entries[-1] == (epoch, start)
    for epoch, end_offset, target in ((3, 1, 2), (4, 3, 3), (0, 1, 1)):
        own = log.epochs.end_offset_for(epoch, log.log_end_offset)
        assert truncation_offset(epoch, end_offset, own, log.log_end_offset) == target


def lacks_descriptors(world: Replicas, node_id: int, patch: pytest.MonkeyPatch) -> None:
    """A truncation by this broker finds none free."""

    def listdir(path: str) -> list[str]:
        raise OSError(errno.EMFILE, "too many open files", path)

    patch.setattr(world[node_id].log.fs, "listdir", listdir)


def test_a_truncation_waits_for_descriptors(caplog: pytest.LogCaptureFixture) -> None:
    world = Replicas()
    world.write(1, 2)
    world.sync(1, 2, 3)
    world.write(1, 3)  # 1 alone has these
    world.tell(2, 3, leader=2, leader_epoch=1, isr=(2, 3))
    world.tell(1)
    with pytest.MonkeyPatch.context() as patch:
        lacks_descriptors(world, 1, patch)
        assert [world.fetch(1, 2) for _ in range(2)] == [BACK_OFF] * 2
    assert (world[1].log_end_offset, world[1].log.offline, world[1].failure) == (5, False, None)
    assert [each.getMessage().split(":")[0] for each in caplog.records] == ["truncations wait for descriptors"]
    assert world.fetch(1, 2) == FETCH_AGAIN
    assert world[1].log_end_offset == 2


@pytest.mark.parametrize("is_asked", [True, False])
def test_who_begins_anew_waits_for_descriptors(is_asked: bool, caplog: pytest.LogCaptureFixture) -> None:
    world = Replicas()
    code = errors.OFFSET_OUT_OF_RANGE

    def start_at_four() -> str | None:
        asked = world[2].next_fetch(MAX_BYTES)
        assert asked is not None
        if not is_asked:
            return world[2].fetch_answered(asked[0], PartitionData(error_code=code, log_start_offset=4), NOW)
        assert world[2].fetch_answered(asked[0], PartitionData(error_code=code), NOW) == FIND_START
        return world[2].leader_starts_at(0, 4, NOW)

    with pytest.MonkeyPatch.context() as patch:
        lacks_descriptors(world, 2, patch)
        assert start_at_four() == BACK_OFF
    assert (world[2].log_end_offset, world[2].log.offline) == (0, False)
    assert [each.getMessage().split(":")[0] for each in caplog.records] == ["truncations wait for descriptors"]
    assert start_at_four() == FETCH_AGAIN
    assert world[2].log_end_offset == 4
