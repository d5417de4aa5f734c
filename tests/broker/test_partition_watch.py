from kafkacompat.broker.fetch_session import FetchSession
from kafkacompat.broker.partition_watch import PartitionWatch
from kafkacompat.now import Now
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchTopic

NOW = Now(0, 0)


class Watch(PartitionWatch):
    """Remembers whom it woke."""

    def __init__(self):
        super().__init__(lambda session, _now: self.woken.append(session))
        self.woken = []


def session_of(*indexes: int) -> FetchSession:
    session = FetchSession(
        [FetchTopic("t", partitions=[FetchPartition(index) for index in indexes])], 0,
        uses_topic_ids=False, is_privileged=False,
    )  # fmt: skip
    for cached in session.partitions.values():
        cached.key = ("t", cached.index)
    session.due.clear()
    return session


def test_what_moves_is_due_and_wakes_once():
    watch, session = Watch(), session_of(0, 1)
    watch.watch(session, session.partitions.values())
    for _ in range(3):
        watch.moved(("t", 1), NOW)
    watch.moved(("t", 2), NOW)
    assert [cached.index for cached in session.due] == [1]
    assert watch.woken == [session]
    assert len(watch) == 1


def test_all_that_watch_a_partition_are_told():
    watch, sessions = Watch(), [session_of(0) for _ in range(3)]
    for session in sessions:
        watch.watch(session, session.partitions.values())
        watch.watch(session, session.partitions.values())
    watch.forget(*sessions[1].partitions.values())
    watch.moved(("t", 0), NOW)
    assert watch.woken == [sessions[0], sessions[2]]
    assert [len(session.due) for session in sessions] == [1, 0, 1]
    assert len(watch) == 0


def test_who_is_woken_may_end_another_session():
    watch, first, second = Watch(), session_of(0), session_of(0)

    def wake(session, _now):
        watch.woken.append(session)
        watch.forget(*second.partitions.values())
        watch.watch(first, first.partitions.values())

    watch._wake = wake
    for session in (first, second):
        watch.watch(session, session.partitions.values())
    watch.moved(("t", 0), NOW)
    assert watch.woken == [first, second]
    assert len(watch) == 1


def test_nothing_is_left_of_what_is_forgotten():
    watch, sessions = Watch(), [session_of(0, 1) for _ in range(3)]
    for session in sessions:
        watch.watch(session, session.partitions.values())
    for session in sessions:
        for cached in session.partitions.values():
            watch.forget(cached)
            watch.forget(cached)
    assert len(watch) == 0
    watch.moved(("t", 0), NOW)
    assert watch.woken == []
