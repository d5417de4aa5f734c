"""What a leader looks at when a follower asks."""

from collections import deque
from random import Random
from types import SimpleNamespace

from kafkacompat.broker.fetch_session import FollowerState
from kafkacompat.broker.fetch_session_cache import FetchSessionCache
from kafkacompat.broker.replicas.follower_fetch import _due
from kafkacompat.now import Now
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic

TOPIC_ID = bytes(15) + b"\x01"


def test_of_more_busy_partitions_than_an_answer_holds_all_have_their_turn() -> None:
    cache = FetchSessionCache(10, Random(1))
    now = Now(0, 0)

    def ask(indexes, session_id, epoch):
        partitions = [FetchPartition(index, 1, epoch, 1) for index in indexes]
        request = FetchRequest(
            session_id=session_id, session_epoch=epoch, topics=[FetchTopic("", TOPIC_ID, partitions)]
        )
        return cache.open(request, now, uses_topic_ids=True, is_privileged=True)

    session = ask(range(12), 0, 0).session
    state = session.follower = FollowerState(2, session.partitions, by_id=True)
    state.full_read_ms, state.broker_epoch = now.monotonic_ms, 7
    served, turns = list(range(12)), deque(maxlen=4)
    for epoch in range(1, 40):
        fetch = ask(served, session.id, epoch)
        this = SimpleNamespace(broker_epoch=7, state=state, fetch=fetch)
        moved, named = _due(this, SimpleNamespace(now=now))
        looked_at = [*moved, *named]
        assert sorted(each.index for each in looked_at) == list(range(12))
        state.moved = dict.fromkeys(looked_at)
        served = [each.index for each in looked_at[:3]]  # as much as an answer holds
        turns.append(served)
        if epoch > 4:
            assert sorted(index for turn in turns for index in turn) == list(range(12))
