"""Rare ways to lose committed records, step by step: leaders and followers on real logs, and the real controller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.alter_partition import AlterPartitionRequest, AlterPartitionRequestTopicData
from kafkacompat.replication.controller.alter_partition import alter_partition
from kafkacompat.replication.following import FETCH_AGAIN
from kafkacompat.replication.metadata.image import BrokerImage, PartitionImage, TopicImage
from tests.replication.quorum_world import after, image_with, settings
from tests.replication.test_following import NOW, Replicas
from tests.storage.support import batch, topic_config

if TYPE_CHECKING:
    from kafkacompat.protocol.messages.alter_partition import AlterPartitionResponsePartitionData
    from kafkacompat.replication.in_sync import Proposal

TOPIC_ID = bytes(16)


class Story(Replicas):
    """Brokers 1 to 3, the controller's state, and messages that are delivered when the schedule says so."""

    def __init__(self, min_isr: int = 2) -> None:
        super().__init__(min_isr)
        self.cluster = image_with(1, 2, 3)
        self.settings = settings(min_insync_replicas=str(min_isr))
        self.decide(self.image)

    def decide(self, partition: PartitionImage) -> None:
        """The controller's word; `tell` carries it."""
        self.image = partition
        topic = TopicImage("t", TOPIC_ID, (partition,))
        self.cluster = self.cluster.but(topics={"t": topic}, topics_by_id={TOPIC_ID: topic})

    def change(self, *node_ids: int, **changes: object) -> None:
        """Decide, and tell some."""
        self.decide(self.image.but(partition_epoch=self.image.partition_epoch + 1, **changes))
        self.tell(*node_ids)

    def restart(self, node_id: int, *, keeps: int) -> None:
        """A broker restarts as another incarnation with fewer records. The leader learns of that later."""
        brokers = {**self.cluster.brokers, node_id: BrokerImage(node_id, 90, bytes(16), fenced=False)}
        self.cluster = self.cluster.but(brokers=brokers)
        self[node_id].log.truncate_to(keeps)
        self[node_id].high_watermark = min(self[node_id].high_watermark, keeps)

    def fence(self, node_id: int, *, fenced: bool = True) -> None:
        """A broker is fenced, or unfenced again. It stays out of the ISR."""
        broker = BrokerImage(node_id, 10 + node_id, bytes(16), fenced=fenced)
        self.cluster = self.cluster.but(brokers={**self.cluster.brokers, node_id: broker})

    def send(self, leader: int, proposal: Proposal) -> AlterPartitionResponsePartitionData:
        """A proposal reaches the controller, which commits what it accepts."""
        topics = [AlterPartitionRequestTopicData(TOPIC_ID, [proposal.request(0)])]
        result = alter_partition(AlterPartitionRequest(leader, 10 + leader, topics), self.cluster, self.settings)
        if result.records:
            self.cluster = after(self.cluster, result.records)
            self.image = self.cluster.topics["t"].partitions[0]
        found: AlterPartitionResponsePartitionData = result.response.topics[0].partitions[0]
        return found

    def proposal(self, leader: int) -> Proposal:
        proposal = self[leader].take_proposal()
        assert proposal is not None
        return proposal

    def nobody_waits(self) -> None:
        """Make leaders commit without followers outside the ISR."""
        for node_id in (1, 2, 3):
            self.views[node_id].lag_time_max_ms = -1

    def must_be_whole(self) -> None:
        """In-sync and eligible replicas hold all records that any leader has committed."""
        committed = max(self.high_watermarks())
        for member in (*self.image.isr, *self.image.elr):
            assert self[member].log_end_offset >= committed, f"{member} lacks committed records: {self.image}"


def a_follower_that_lost_its_log_after_its_fetch_may_not_join() -> None:
    """KIP-903. The follower had all committed records; then its disk failed, and the proposal is still in flight."""
    story = Story()
    story.nobody_waits()
    story.change(1, 2, 3, isr=(1, 2))
    story.write(1, 3)
    story.sync(1, 2, 3)
    proposal = story.proposal(1)
    assert (3, 13) in proposal.members
    story.restart(3, keeps=0)
    answer = story.send(1, proposal)
    story.must_be_whole()
    assert answer.error_code == errors.INELIGIBLE_REPLICA


def what_is_proposed_again_is_the_same() -> None:
    """The request was lost. The follower has died and fetched again, with nothing: it is not what was proposed."""
    story = Story()
    story.nobody_waits()
    story.change(1, 2, 3, isr=(1, 2))
    story.write(1, 3)
    story.sync(1, 2, 3)
    proposal = story.proposal(1)
    story[1].in_sync.failed(proposal)
    story.restart(3, keeps=0)
    story[1].follower_fetched(3, 0, 90, NOW)
    story.send(1, story.proposal(1))
    story.must_be_whole()


def a_copy_of_what_was_refused_is_refused() -> None:
    """The request was sent twice, over two connections. One is refused, as 3 is fenced just then, and the leader goes
    on without 3; the other comes when 3 is back, in the same life.
    """
    story = Story()
    story.nobody_waits()
    story.change(1, 2, 3, isr=(1, 2))
    story.write(1, 3)
    story.sync(1, 2, 3)
    proposal = story.proposal(1)
    story.fence(3)
    answer = story.send(1, proposal)
    story[1].proposal_answered(proposal, answer, NOW)
    story.views[1].image = story.cluster
    story.write(1, 2)
    story.sync(1, 2)
    assert story[1].high_watermark == 5
    story.fence(3, fenced=False)
    story.send(1, proposal)
    story.must_be_whole()
    assert answer.error_code == errors.INELIGIBLE_REPLICA


def a_leader_that_resigned_counts_on_what_it_had_proposed() -> None:
    """It was told that its broker epoch is stale, by a controller that was none any more, and leads the same epoch
    again. What it proposed before is still on its way.
    """
    story = Story()
    story.nobody_waits()
    story.change(1, 2, 3, isr=(1, 2))
    story.write(1, 3)
    story.sync(1, 2, 3)
    proposal = story.proposal(1)
    story[1].resign()
    story.tell(1)
    story.write(1, 2)
    story.sync(1, 2)
    story[1].proposal_answered(proposal, story.send(1, proposal), NOW)
    story.must_be_whole()
    story.sync(1, 2, 3)
    assert story.image.isr == (1, 2, 3)
    assert story[1].high_watermark == 5


def a_former_life_gives_no_evidence() -> None:
    """A fetch of the life before was late: the leader knows of the new life, and the log that it told of is gone."""
    story = Story()
    story.nobody_waits()
    story.change(1, 2, 3, isr=(1, 2))
    story.write(1, 3)
    story.sync(1, 2)
    story.sync(1, 3)
    first = story.proposal(1)
    story.restart(3, keeps=0)
    story[1].proposal_answered(first, story.send(1, first), NOW)
    story.views[1].image = story.cluster
    story[1].follower_fetched(2, 3, 12, NOW)
    proposal = story[1].take_proposal()
    if proposal is not None:
        story.send(1, proposal)
    story.must_be_whole()
    assert proposal is None


def a_replica_that_was_removed_and_added_again_is_a_new_one() -> None:
    """Its earlier fetches refer to a log that was deleted since."""
    story = Story()
    story.nobody_waits()
    story.change(1, 2, 3, isr=(1, 2))
    story.write(1, 3)
    story.sync(1, 2, 3)
    story.send(1, story.proposal(1))
    story.change(1, 2, replicas=(1, 2), isr=(1, 2))
    story[3].log.truncate_to(0)
    story[3].high_watermark = 0
    story.change(1, 2, replicas=(1, 2, 3))
    story[1].follower_fetched(2, 3, 12, NOW)
    proposal = story[1].take_proposal()
    if proposal is not None:
        story.send(1, proposal)
    story.must_be_whole()


def a_new_minimum_is_not_overtaken_by_a_shrink() -> None:
    """C5: the leader does not know the new minimum, and 3 stays eligible: until it does, nothing goes without 3."""
    story = Story(min_isr=1)
    story.change(1, 2, 3, isr=(1, 3))
    story.sync(1, 3)
    story[1].in_sync.followers[3].caught_up_ms -= 100_000
    story.write(1, 2)
    story[1].check_lag(NOW)
    proposal = story.proposal(1)
    story.settings = settings(min_insync_replicas="2")
    story[1].proposal_answered(proposal, story.send(1, proposal), NOW)
    assert story.image.elr == (3,)
    story.must_be_whole()


def a_stale_shrink_is_refused() -> None:
    """The controller has changed the ISR since: compare-and-set by partition epoch."""
    story = Story()
    story.sync(1, 2, 3)
    story[1].in_sync.followers[3].caught_up_ms -= 100_000
    story.write(1, 2)
    story[1].check_lag(NOW)
    proposal = story.proposal(1)  # 1 and 2
    story.change(isr=(1, 3))  # 2 was fenced, and is back, and has lost its log
    story[2].log.truncate_to(0)
    story.write(1, 1)
    story.sync(1, 3)
    story.send(1, proposal)
    story[1].high_watermark = 3
    story.must_be_whole()


def an_answer_that_cuts_commits_nothing() -> None:
    """Of two epochs that only the follower has, the first cut takes one: what is left of its own is not committed."""
    story = Story()
    for node_id, epochs in ((1, (0, 2, 2, 2, 5, 5)), (2, (0, 1, 1, 3, 3))):
        for epoch in epochs:
            story[node_id].log.append_as_leader(batch(), leader_epoch=epoch, now=NOW)
    story.change(1, 2, isr=(1,), leader_epoch=6)
    story[1].high_watermark = 6
    for _ in range(3):
        assert story.fetch(2) == FETCH_AGAIN
        for offset in range(story[2].high_watermark):
            assert story[2].log.epochs.epoch_at(offset) == story[1].log.epochs.epoch_at(offset), "committed twice"
    assert story[2].log_end_offset == 6


def what_is_not_flushed_is_not_committed() -> None:
    """flush.messages=1 (F7): the leader counts itself once it has synced, a follower fetches on once it has."""
    story = Story()
    for node_id in (1, 2, 3):
        story[node_id].log.config = topic_config(flush_messages=1)
    story.write(1, 2)
    for follower in (2, 3):
        story.fetch(follower)
        assert story[follower].next_fetch(1) is None
        story[follower].log.flush()
        story.fetch(follower)
    assert story[1].high_watermark == 0
    story[1].log.flush()
    story[1].advance_high_watermark(NOW)
    assert story[1].high_watermark == 2


ALL = (
    a_follower_that_lost_its_log_after_its_fetch_may_not_join, what_is_proposed_again_is_the_same,
    a_copy_of_what_was_refused_is_refused, a_leader_that_resigned_counts_on_what_it_had_proposed,
    a_former_life_gives_no_evidence, a_replica_that_was_removed_and_added_again_is_a_new_one,
    a_new_minimum_is_not_overtaken_by_a_shrink, a_stale_shrink_is_refused, an_answer_that_cuts_commits_nothing,
    what_is_not_flushed_is_not_committed,
)  # fmt: skip
