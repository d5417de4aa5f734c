import random

import pytest

from kafkacompat.broker.fetch_session_cache import EVICTION_MS, FetchSessionCache
from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.fetch import (
    EpochEndOffset,
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
    PartitionData,
)


def at(monotonic_ms: int = 0) -> Now:
    return Now(monotonic_ms, 0)


def cache(slots: int = 10) -> FetchSessionCache:
    return FetchSessionCache(slots, random.Random(1))


def ask(session_id: int, epoch: int, *partitions: int, offset: int = 0, forget: tuple[int, ...] = ()) -> FetchRequest:
    topics = [FetchTopic("t", partitions=[FetchPartition(index, fetch_offset=offset) for index in partitions])]
    forgotten = [ForgottenTopic("t", partitions=list(forget))] if forget else ()
    return FetchRequest(
        session_id=session_id, session_epoch=epoch, topics=topics if partitions else (), forgotten_topics_data=forgotten
    )


def indexes(context) -> list[int]:
    return [cached.index for cached in context.partitions]


def test_without_a_session_every_request_stands_alone():
    sessions = cache()
    context = sessions.open(ask(0, -1, 0, 1), at(), uses_topic_ids=False)
    assert (indexes(context), context.session_id, context.incremental) == ([0, 1], 0, False)
    assert len(sessions) == 0


def test_a_session_remembers_partitions_and_takes_changes():
    sessions = cache()
    made = sessions.open(ask(0, 0, 0, 1), at(), uses_topic_ids=False)
    assert made.session_id > 0
    assert not made.incremental
    second = sessions.open(ask(made.session_id, 1, 1, 2, offset=7, forget=(0,)), at(), uses_topic_ids=False)
    assert second.incremental
    assert [(cached.index, cached.fetch_offset) for cached in second.partitions] == [(1, 7), (2, 7)]
    third = sessions.open(ask(made.session_id, 2), at(), uses_topic_ids=False)
    assert indexes(third) == [1, 2]


def test_wrong_ids_epochs_and_a_change_to_topic_ids_are_refused():
    sessions = cache()
    assert sessions.open(ask(5, 1), at(), uses_topic_ids=False).error_code == errors.FETCH_SESSION_ID_NOT_FOUND
    made = sessions.open(ask(0, 0, 0), at(), uses_topic_ids=False)
    for epoch in (2, 7):
        refused = sessions.open(ask(made.session_id, epoch), at(), uses_topic_ids=False)
        assert refused.error_code == errors.INVALID_FETCH_SESSION_EPOCH
    refused = sessions.open(ask(made.session_id, 1), at(), uses_topic_ids=True)
    assert refused.error_code == errors.FETCH_SESSION_TOPIC_ID_ERROR


def test_the_final_epoch_and_a_new_start_drop_the_session():
    sessions = cache()
    made = sessions.open(ask(0, 0, 0), at(), uses_topic_ids=False)
    sessions.open(ask(made.session_id, -1), at(), uses_topic_ids=False)
    assert len(sessions) == 0
    made = sessions.open(ask(0, 0, 0), at(), uses_topic_ids=False)
    again = sessions.open(ask(made.session_id, 0, 3), at(), uses_topic_ids=False)
    assert again.session_id != made.session_id
    assert len(sessions) == 1


def test_a_full_cache_refuses_until_its_oldest_session_is_idle():
    sessions = cache(slots=2)
    first = sessions.open(ask(0, 0, 0), at(0), uses_topic_ids=False)
    second = sessions.open(ask(0, 0, 0), at(1), uses_topic_ids=False)
    sessions.open(ask(first.session_id, 1), at(2), uses_topic_ids=False)
    assert sessions.open(ask(0, 0, 0), at(EVICTION_MS), uses_topic_ids=False).session_id == 0
    assert sessions.open(ask(0, 0, 0), at(EVICTION_MS + 1), uses_topic_ids=False).session_id != 0
    gone = sessions.open(ask(second.session_id, 1), at(EVICTION_MS + 1), uses_topic_ids=False)
    assert gone.error_code == errors.FETCH_SESSION_ID_NOT_FOUND


def test_all_sessions_together_hold_a_bounded_number_of_partitions(monkeypatch):
    monkeypatch.setattr("kafkacompat.broker.fetch_session_cache.MAX_CACHED_PARTITIONS", 3)
    sessions = cache()
    made = sessions.open(ask(0, 0, 0, 1), at(), uses_topic_ids=False)
    assert sessions.open(ask(0, 0, 0, 1), at(), uses_topic_ids=False).session_id == 0
    refused = sessions.open(ask(made.session_id, 1, 2, 3), at(), uses_topic_ids=False)
    assert refused.error_code == errors.FETCH_SESSION_ID_NOT_FOUND
    assert len(sessions) == 0


def test_forgetting_all_partitions_ends_the_session():
    sessions = cache()
    made = sessions.open(ask(0, 0, 0), at(), uses_topic_ids=False)
    ended = sessions.open(ask(made.session_id, 1, forget=(0,)), at(), uses_topic_ids=False)
    assert (ended.session_id, len(sessions)) == (0, 0)
    assert ended.partitions == []


def test_a_session_that_ends_serves_what_was_named():
    sessions = cache()
    made = sessions.open(ask(0, 0), at(), uses_topic_ids=False)
    ended = sessions.open(ask(made.session_id, 1, 5, forget=(5,)), at(), uses_topic_ids=False)
    assert (ended.session_id, [cached.index for cached in ended.partitions]) == (0, [5])


def test_the_epoch_wraps_to_one():
    sessions = cache()
    made = sessions.open(ask(0, 0, 0), at(), uses_topic_ids=False)
    made.session.epoch = 0x7FFFFFFF
    sessions.open(ask(made.session_id, 0x7FFFFFFF), at(), uses_topic_ids=False)
    assert made.session.epoch == 1


def test_what_a_client_was_told_is_no_news():
    sessions = cache()
    cached = sessions.open(ask(0, 0, 0), at(), uses_topic_ids=False).partitions[0]

    def is_told(answer: PartitionData) -> bool:
        news = cached.has_changes(answer)
        cached.note_sent(answer)
        return news

    good = PartitionData(0, high_watermark=5, log_start_offset=0)
    assert is_told(good)
    assert not is_told(good)
    assert is_told(PartitionData(0, high_watermark=5, log_start_offset=2))
    assert is_told(PartitionData(0, high_watermark=6, log_start_offset=2))
    assert is_told(PartitionData(0, errors.UNKNOWN_TOPIC_ID, high_watermark=-1))
    assert is_told(PartitionData(0, high_watermark=6, log_start_offset=-1))


def test_a_follower_that_truncates_is_told_the_high_watermark_again():
    cached = cache().open(ask(0, 0, 0), at(), uses_topic_ids=False).partitions[0]
    diverging = PartitionData(0, high_watermark=5, log_start_offset=0, diverging_epoch=EpochEndOffset(3, 4))
    cached.note_sent(diverging)
    assert cached.has_changes(PartitionData(0, high_watermark=5, log_start_offset=0))


def test_a_partition_that_had_data_goes_to_the_end():
    sessions = cache()
    made = sessions.open(ask(0, 0, 0, 1, 2), at(), uses_topic_ids=False)
    made.session.move_to_end(made.partitions[0])
    assert indexes(sessions.open(ask(made.session_id, 1), at(), uses_topic_ids=False)) == [1, 2, 0]
    assert indexes(sessions.open(ask(made.session_id, 2, 3), at(), uses_topic_ids=False)) == [1, 2, 0, 3]


def test_a_partition_that_is_named_twice_keeps_its_place():
    context = cache().open(ask(0, 0, 0, 1, 0, 2), at(), uses_topic_ids=False)
    assert indexes(context) == [0, 1, 2]


def test_what_is_named_is_due_and_what_is_forgotten_is_not():
    sessions = cache()
    made = sessions.open(ask(0, 0, 0, 1), at(), uses_topic_ids=False)
    made.session.due.clear()
    sessions.open(ask(made.session_id, 1, 1, 2, forget=(2,)), at(), uses_topic_ids=False)
    assert [cached.index for cached in made.session.due] == [1]


def test_with_other_terms_all_partitions_are_due():
    sessions = cache()
    session = sessions.open(ask(0, 0, 0, 1), at(), uses_topic_ids=False).session
    for terms, due in [((0,), 0), ((0,), 0), ((1,), 2)]:
        session.due.clear()
        session.set_terms(terms)
        assert len(session.due) == due


@pytest.mark.parametrize("end", ["closed", "made anew", "evicted", "forgotten", "too many"])
def test_a_session_that_ends_watches_nothing(monkeypatch, end):
    sessions = cache(slots=1)
    made = sessions.open(ask(0, 0, 0, 1), at(), uses_topic_ids=False)
    for cached in made.partitions:
        cached.key = ("t", cached.index)
    sessions.watch.watch(made.session, made.partitions)
    assert len(sessions.watch) == 2
    if end == "closed":
        sessions.open(ask(made.session_id, -1), at(), uses_topic_ids=False)
    elif end == "made anew":
        sessions.open(ask(made.session_id, 0, 0), at(), uses_topic_ids=False)
    elif end == "evicted":
        sessions.open(ask(0, 0, 0), at(EVICTION_MS), uses_topic_ids=False)
    elif end == "forgotten":
        sessions.open(ask(made.session_id, 1, forget=(0, 1)), at(), uses_topic_ids=False)
    else:
        monkeypatch.setattr("kafkacompat.broker.fetch_session_cache.MAX_CACHED_PARTITIONS", 2)
        sessions.open(ask(made.session_id, 1, 2), at(), uses_topic_ids=False)
    assert len(sessions.watch) == 0


def test_partitions_of_ended_sessions_make_room(monkeypatch):
    monkeypatch.setattr("kafkacompat.broker.fetch_session_cache.MAX_CACHED_PARTITIONS", 3)
    sessions = cache()
    for _ in range(3):
        made = sessions.open(ask(0, 0, 0, 1), at(), uses_topic_ids=False)
        assert made.session_id > 0
        sessions.open(ask(made.session_id, 1, 2, forget=(0,)), at(), uses_topic_ids=False)
        sessions.open(ask(made.session_id, -1), at(), uses_topic_ids=False)
