"""What enters a log in a transaction: only what its coordinator was asked about, and has not ended since."""

import pytest

from kafkacompat.protocol.error_codes import (
    INVALID_PRODUCER_EPOCH,
    INVALID_TXN_STATE,
    NONE,
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    TRANSACTION_COORDINATOR_FENCED,
)
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_end_transaction, encode_key
from kafkacompat.steps import at_once
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.producer_state import MAX_EPOCH
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF, VERIFICATIONS_MAX, VerificationEntry
from tests.storage.support import START_MS, append, batch, open_log, produced

P = 7


class Conversation:
    """One producer and its partition: each verb returns an error code."""

    def __init__(self, *, is_v2=True):
        self.log = open_log(MemFs())
        self.is_v2 = is_v2

    def ask(self, epoch=0, sequence=0, producer=P, ms=0):
        """The guard for a batch; None if its transaction is open."""
        return self.log.producers.begin_verification(
            producer, epoch, sequence, START_MS + ms, supports_epoch_bump=self.is_v2
        )

    def write(self, sequence=0, epoch=0, guard=None, producer=P, *, internal=False):
        data = batch(producer_id=producer, producer_epoch=epoch, base_sequence=sequence, is_transactional=True)
        return self._append(data, guard=guard, internal=internal)

    def end(self, epoch=0, kind=COMMIT, coordinator_epoch=0, producer=P, version=None):
        record = Record(0, START_MS, encode_key(kind), encode_end_transaction(coordinator_epoch))
        data = build_batch(
            [record], producer_id=producer, producer_epoch=epoch, is_transactional=True, is_control=True
        )  # fmt: skip
        version = (2 if self.is_v2 else 0) if version is None else version
        return self._append(memoryview(data), internal=True, transaction_version=version)

    def _append(self, data, guard=None, **how):
        end = self.log.log_end_offset
        try:
            append(self.log, data, guard=guard, **how)
        except LogError as refused:
            assert self.log.log_end_offset == end
            return refused.error_code
        return NONE


@pytest.fixture(params=[False, True], ids=["tv1", "tv2"])
def either(request):
    return Conversation(is_v2=request.param)


@pytest.fixture
def v1():
    return Conversation(is_v2=False)


@pytest.fixture
def v2():
    return Conversation()


def test_without_a_guard_nothing_opens_a_transaction(either):
    assert either.write() == INVALID_TXN_STATE
    assert either.write(internal=True) == INVALID_TXN_STATE  # offsets of groups
    foreign = VerificationEntry(0, 0, 0, supports_epoch_bump=either.is_v2)
    assert either.write(guard=foreign) == INVALID_TXN_STATE
    assert either.write(guard=VERIFICATION_IS_OFF) == NONE


def test_the_first_batch_needs_the_guard_and_later_ones_need_none(either):
    guard = either.ask()
    assert either.ask() is guard  # a retry continues the same question
    assert either.write(guard=guard) == NONE
    assert either.ask(sequence=1) is None
    assert either.write(1) == NONE
    assert either.write(guard=guard) == NONE  # a duplicate
    assert either.log.log_end_offset == 2


def test_a_guard_is_worth_nothing_once_its_transaction_has_ended(v1):
    guard = v1.ask()
    assert v1.end(kind=ABORT) == NONE
    assert v1.write(guard=guard) == INVALID_TXN_STATE
    assert v1.ask() is not guard
    assert v1.write(guard=v1.ask()) == NONE


def test_with_version_2_a_question_may_be_the_next_transactions(v2):
    assert v2.write(guard=v2.ask()) == NONE
    guard = v2.ask(epoch=1)  # the commit was answered, and its marker is on its way
    assert v2.end(epoch=1) == NONE
    assert v2.write(epoch=1, guard=guard) == NONE
    guard = v2.ask(epoch=2)
    assert v2.end(epoch=3, kind=ABORT) == NONE
    assert v2.write(epoch=3, guard=guard) == INVALID_TXN_STATE


def test_an_old_epoch_is_told_so_before_its_guard_is_looked_at(either):
    guard = either.ask(epoch=3)
    assert either.write(epoch=3, guard=guard) == NONE
    assert either.end(epoch=4) == NONE
    assert either.write(epoch=3, guard=guard) == INVALID_PRODUCER_EPOCH
    with pytest.raises(LogError) as refused:
        either.ask(epoch=3)
    assert refused.value.error_code == INVALID_PRODUCER_EPOCH
    assert either.write(epoch=3, internal=True) == INVALID_PRODUCER_EPOCH


def test_a_new_epoch_asks_again_while_the_old_transaction_is_open(either):
    assert either.write(guard=either.ask()) == NONE
    assert either.write(epoch=1) == INVALID_TXN_STATE
    assert either.write(epoch=1, guard=either.ask(epoch=1)) == NONE
    assert either.log.producers.first_unstable_offset == 0


def test_no_batch_overtakes_one_that_has_to_come_again(either):
    guard = either.ask(sequence=5)
    assert either.ask(sequence=3) is guard
    assert either.write(5, guard=guard) == OUT_OF_ORDER_SEQUENCE_NUMBER
    first = NONE if not either.is_v2 else OUT_OF_ORDER_SEQUENCE_NUMBER  # nothing is known of the producer here
    assert either.write(3, guard=guard) == first


def test_a_higher_epoch_forgets_the_sequences_of_the_lower(v1):
    guard = v1.ask(sequence=0)
    assert v1.ask(epoch=1, sequence=4) is guard
    assert v1.ask(epoch=0, sequence=2).lowest_sequence == 4
    assert v1.write(4, epoch=1, guard=guard) == NONE


def test_with_version_2_an_unknown_producer_begins_with_0(v2):
    assert v2.write(1, guard=v2.ask(sequence=1)) == OUT_OF_ORDER_SEQUENCE_NUMBER
    assert v2.write(0, guard=v2.ask(sequence=0)) == NONE


def test_the_entry_concerns_batches_outside_of_transactions_too(v2):
    v2.ask(sequence=3)
    assert v2._append(produced(P, 0, 4)) == OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_marker_of_version_2_is_above_the_data(v2):
    assert v2.write(guard=v2.ask(), epoch=0) == NONE
    assert v2.end(epoch=0) == INVALID_PRODUCER_EPOCH
    assert v2.end(epoch=1) == NONE
    assert v2.end(epoch=1) == NONE  # sent once more, and written once more
    assert v2.end(epoch=0) == INVALID_PRODUCER_EPOCH
    assert v2.write(epoch=1, guard=v2.ask(epoch=1)) == NONE
    assert v2.end(epoch=1) == INVALID_PRODUCER_EPOCH  # late: another transaction is open
    assert v2.end(epoch=1, version=0) == NONE  # as tools send it
    assert v2.log.producers.first_unstable_offset == 0  # not replicated yet


def test_the_last_epoch_is_taken_though_a_transaction_is_open(v2):
    assert v2.write(epoch=MAX_EPOCH, guard=v2.ask(epoch=MAX_EPOCH)) == NONE
    assert v2.end(epoch=MAX_EPOCH) == NONE


@pytest.mark.parametrize("version", [0, 1])
def test_an_older_marker_may_have_the_epoch_of_the_data(v1, version):
    assert v1.write(guard=v1.ask(epoch=2), epoch=2) == NONE
    assert v1.end(epoch=1, version=version) == INVALID_PRODUCER_EPOCH
    assert v1.end(epoch=2, version=version) == NONE


def test_an_older_coordinator_is_fenced(either):
    assert either.end(epoch=1, coordinator_epoch=5) == NONE
    assert either.end(epoch=2, coordinator_epoch=4) == TRANSACTION_COORDINATOR_FENCED
    assert either.end(epoch=2, coordinator_epoch=5) == NONE


def test_questions_without_an_answer_expire(either):
    guard = either.ask(ms=10)
    at_once(either.log.producers.expire(START_MS + 109, 100))
    assert either.ask(ms=10) is guard
    at_once(either.log.producers.expire(START_MS + 110, 100))
    assert not either.log.producers.verifications
    assert either.write(guard=guard) == INVALID_TXN_STATE


def test_questions_are_bounded(v1):
    first = v1.ask(producer=0)
    for producer in range(1, VERIFICATIONS_MAX + 1):
        v1.ask(producer=producer)
    assert len(v1.log.producers.verifications) == VERIFICATIONS_MAX
    assert v1.write(producer=0, guard=first) == INVALID_TXN_STATE
