"""R3 to R7: the leader's state of its followers, and its proposals."""

import pytest

from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.alter_partition import AlterPartitionResponsePartitionData
from kafkacompat.replication.cluster_view import ClusterView
from kafkacompat.replication.in_sync import InSync
from kafkacompat.replication.metadata.image import BrokerImage, PartitionImage
from tests.replication.quorum_world import image_with

LAG_MS = 1000


def at(ms: int) -> Now:
    return Now(ms, ms)


def view_of_three() -> ClusterView:
    view = ClusterView(lag_time_max_ms=LAG_MS)
    view.image = image_with(1, 2, 3)
    return view


def leading(
    isr: tuple[int, ...] = (1, 2, 3), *, start: int = 10, min_isr: int = 2, view: ClusterView | None = None
) -> InSync:
    """Node 1 leads epoch 5 of a partition on 1, 2 and 3, whose brokers have epochs 11, 12 and 13."""
    books = InSync(1, view or view_of_three())
    books.apply(PartitionImage((1, 2, 3), isr, 1, 5, 7), min_isr)
    books.begin_epoch(start, at(0))
    return books


def fetch(books: InSync, replica: int, offset: int, *, end: int = 10, ms: int = 1, epoch: int | None = None) -> None:
    books.fetched(replica, offset, 10 + replica if epoch is None else epoch, end, at(ms))


def high_watermark(books: InSync, end: int, *, current: int = 3, ms: int = 1) -> int:
    return books.next_high_watermark(current, end, end, at(ms))


def answer(error: int = errors.NONE, isr: tuple[int, ...] = (1, 2, 3), leader_epoch: int = 5, epoch: int = 8):
    return AlterPartitionResponsePartitionData(0, error, 1, leader_epoch, list(isr), 0, epoch)


def test_nothing_is_committed_before_all_in_sync_replicas_have_fetched() -> None:
    books = leading()
    fetch(books, 2, 10)
    assert high_watermark(books, 10) == 3
    fetch(books, 3, 8)
    assert high_watermark(books, 10) == 8


def test_nothing_is_committed_under_the_minimum() -> None:
    books = leading((1,))
    assert high_watermark(books, 10) == 3
    books = leading((1,), min_isr=1)
    assert high_watermark(books, 10) == 10


def test_a_joining_follower_counts_from_its_proposal_on() -> None:
    books = leading((1, 2))
    fetch(books, 2, 20, end=20)
    fetch(books, 3, 12, end=20)
    books.propose_expand(12)
    assert books.maximal_isr == (1, 2, 3)
    assert high_watermark(books, 20) == 12
    assert books.isr == (1, 2)


def test_a_follower_that_is_caught_up_is_waited_for() -> None:
    books = leading((1, 2))
    fetch(books, 2, 20, end=20)
    fetch(books, 3, 9, end=9)
    assert high_watermark(books, 20, ms=LAG_MS) == 9
    assert high_watermark(books, 20, ms=LAG_MS + 2) == 20


def test_who_shrinks_counts_on_the_larger_set() -> None:
    books = leading()
    fetch(books, 2, 10, ms=LAG_MS)
    books.propose_shrink(10, at(LAG_MS + 1))
    assert books.take_proposal().members == [(1, 11), (2, 12)]
    assert books.maximal_isr == (1, 2, 3)
    assert books.answered(books.pending, answer(isr=(1, 2))) is False
    assert books.maximal_isr == (1, 2, 3), "the metadata log has not shown it yet"
    books.apply(PartitionImage((1, 2, 3), (1, 2), 1, 5, 8), 2)
    assert books.pending is None
    assert high_watermark(books, 10) == 10


@pytest.mark.parametrize(
    ("offset", "epoch", "joins"),
    [(10, 13, True), (9, 13, False), (10, 12, False), (10, 14, False), (10, -1, False)],
)
def test_who_may_join(offset: int, epoch: int, joins: bool) -> None:
    """A follower may join with all records up to the start of our epoch, and the current broker epoch (R5)."""
    books = leading((1, 2))
    fetch(books, 3, offset, epoch=epoch)
    books.propose_expand(3)
    assert (books.pending is not None) is joins


def test_who_is_behind_the_high_watermark_may_not_join() -> None:
    books = leading((1, 2))
    fetch(books, 3, 14, end=20)
    books.propose_expand(15)
    assert books.pending is None


def test_fenced_brokers_and_strangers_may_not_join() -> None:
    view = view_of_three()
    books = leading((1, 2), view=view)
    fetch(books, 3, 10)
    brokers = view.image.brokers
    view.image = view.image.but(brokers={**brokers, 3: BrokerImage(3, 13, bytes(16), fenced=True)})
    books.propose_expand(3)
    assert books.pending is None
    assert books.may_join(4, 3) is False


def test_a_new_epoch_forgets_what_followers_said() -> None:
    books = leading((1, 2))
    fetch(books, 3, 10)
    books.apply(PartitionImage((1, 2, 3), (1, 2), 1, 6, 8), 2)
    books.begin_epoch(10, at(5))
    assert books.may_join(3, 3) is False
    assert high_watermark(books, 10) == 3


def test_a_replica_that_is_removed_and_added_again_is_a_new_one() -> None:
    books = leading((1, 2))
    fetch(books, 3, 10)
    for replicas, epoch in (((1, 2), 8), ((1, 2, 3), 9)):
        books.apply(PartitionImage(replicas, (1, 2), 1, 5, epoch), 2)
        books.set_followers(at(5))
    assert books.may_join(3, 3) is False


def test_one_proposal_at_a_time_and_it_is_sent_once() -> None:
    books = leading((1, 2))
    fetch(books, 3, 10)
    books.propose_expand(3)
    proposal = books.take_proposal()
    assert books.take_proposal() is None
    books.propose_shrink(10, at(LAG_MS * 9))
    books.propose_expand(3)
    assert books.pending is proposal
    books.failed(proposal)
    assert books.take_proposal() is proposal


def test_what_is_sent_again_has_the_old_evidence() -> None:
    """The follower has restarted and lost records between the first sending and the second."""
    books = leading((1, 2))
    fetch(books, 3, 10)
    books.propose_expand(3)
    fetch(books, 3, 0, epoch=99)
    assert [(each.broker_id, each.broker_epoch) for each in books.take_proposal().request(0).new_isr_with_epochs] == [
        (1, 11),
        (2, -1),
        (3, 13),
    ]


def test_an_accepted_expansion_counts_at_once() -> None:
    books = leading((1, 2))
    fetch(books, 3, 10)
    books.propose_expand(3)
    assert books.answered(books.pending, answer()) is True
    assert (books.isr, books.partition_epoch, books.pending) == ((1, 2, 3), 8, None)


@pytest.mark.parametrize(
    ("said", "is_open", "is_sent_again"),
    [
        (answer(errors.INELIGIBLE_REPLICA), False, False),
        (answer(errors.OPERATION_NOT_ATTEMPTED), False, False),
        (answer(errors.FENCED_LEADER_EPOCH), True, False),
        (answer(errors.INVALID_UPDATE_VERSION), True, False),
        (answer(errors.INVALID_REQUEST), True, False),
        (answer(errors.UNKNOWN_TOPIC_ID), True, False),
        (answer(errors.NEW_LEADER_ELECTED), True, False),
        (answer(errors.NOT_CONTROLLER), True, True),
        (answer(errors.REQUEST_TIMED_OUT), True, True),
        (answer(leader_epoch=6), True, False),
        (answer(epoch=6), True, False),
    ],
)
def test_other_answers(said: AlterPartitionResponsePartitionData, is_open: bool, is_sent_again: bool) -> None:
    books = leading((1, 2))
    fetch(books, 3, 10)
    books.propose_expand(3)
    assert books.answered(books.take_proposal(), said) is False
    assert books.isr == (1, 2)
    assert (books.pending is not None) is is_open
    assert (books.take_proposal() is not None) is is_sent_again


def test_late_answers_are_ignored() -> None:
    books = leading((1, 2))
    fetch(books, 3, 10)
    books.propose_expand(3)
    proposal = books.take_proposal()
    books.apply(PartitionImage((1, 2, 3), (1,), 1, 5, 8), 2)
    assert books.answered(proposal, answer(epoch=9)) is False
    assert books.isr == (1,)


def test_lagging_is_measured_from_the_last_time_a_follower_had_everything() -> None:
    books = leading()
    for ms in range(0, LAG_MS * 3, LAG_MS // 2):  # always one record behind, but never by more than one fetch
        end = 10 + ms
        fetch(books, 2, end - LAG_MS // 2, end=end, ms=ms)
        fetch(books, 3, 5, end=end, ms=ms)
    books.propose_shrink(10 + LAG_MS * 3, at(LAG_MS * 3 - 1))
    proposal = books.take_proposal()
    assert proposal is not None
    assert proposal.members == [(1, 11), (2, 12)]


def test_stale_fetches_are_those_of_an_earlier_life() -> None:
    books = leading()
    assert [books.is_stale(3, epoch) for epoch in (12, 13, 14, -1)] == [True, False, False, False]
