"""A leader that lies: what it answers to a follower's fetches is made up, changed in its bytes, or about other things.

What belongs to no lie must go on: the follower catches up with a partition of which the leader has always told the
truth, says nothing that it calls a bug, and asks on.
"""

import logging
from random import Random
from typing import Any

from kafkacompat.protocol.messages import fetch, list_offsets
from kafkacompat.protocol.primitives import MalformedMessageError
from tests.broker.handlers.test_produce_fetch import batch, produce_request
from tests.broker.replica_node import Cluster
from tests.fuzz.batches import hostile_batch
from tests.fuzz.mutations import mutate
from tests.fuzz.session import BugWatch, FoundError

LEADER = "leader"
ROUNDS = 60
VERSIONS = {fetch.FetchResponse: (fetch, 18), list_offsets.ListOffsetsResponse: (list_offsets, 10)}
HONEST = 2
"""The partition of which only the truth is told."""
OFFSETS = (-(1 << 63), -2, -1, 0, 1, 2, 3, 1 << 40, (1 << 63) - 1)
CODES = (0, 0, 1, 2, 3, 6, 56, 74, 75, 76, 100, -1, 87, 999)


class LyingLeader:
    """Stands between a follower's network and the follower; `lies` while it does, and counts them in `told`."""

    def __init__(self, network: Any, rng: Random) -> None:
        self._network = network
        self._rng = rng
        self.lies = True
        self.told = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._network, name)

    def send(self, *asked: Any) -> None:
        """The last argument is who takes the answer."""
        *rest, done = asked
        self._network.send(*rest, lambda response, now: done(self._told(response) if self.lies else response, now))

    def _told(self, response: Any) -> Any:
        rng = self._rng
        if response is None or rng.random() < 0.2:
            return None if rng.random() < 0.5 else response
        self.told += 1
        module, version = VERSIONS[type(response)]
        if rng.random() < 0.3:
            return self._with_other_bytes(response, module, version)
        if module is fetch:
            self._with_other_facts(response)
        else:
            for topic in response.topics:
                for data in topic.partitions:
                    data.offset = rng.choice(OFFSETS)
        return response

    def _with_other_bytes(self, response: Any, module: Any, version: int) -> Any:
        out: list[Any] = []
        module.encode_response(response, version, out)
        try:
            told = module.decode_response(mutate(b"".join(map(bytes, out)), self._rng), 0, version)
        except MalformedMessageError:
            return None  # the connection is closed
        if module is fetch:
            for topic in told.responses:
                topic.partitions = [data for data in topic.partitions if data.partition_index != HONEST]
        return told

    def _with_other_facts(self, response: fetch.FetchResponse) -> None:
        rng = self._rng
        if rng.random() < 0.1:
            response.error_code = rng.choice(CODES)
        if rng.random() < 0.1:
            response.session_id = rng.choice((0, 1, -1, 1 << 30))
        if not response.responses:
            response.responses = [fetch.FetchableTopicResponse("", bytes(16), [fetch.PartitionData(0)])]
        topic = response.responses[0]
        topic.partitions = list(topic.partitions)
        for index in (0, 1, 0, 77):
            if rng.random() < 0.5:
                topic.partitions.append(self._lie(index))
        if rng.random() < 0.1:
            topic.topic_id = rng.randbytes(16)

    def _lie(self, index: int) -> fetch.PartitionData:
        rng = self._rng
        data = fetch.PartitionData(
            index, rng.choice(CODES), rng.choice(OFFSETS), rng.choice(OFFSETS), rng.choice(OFFSETS),
            aborted_transactions=None,
            records=memoryview(bytearray(hostile_batch(rng))) if rng.random() < 0.6 else b"",
        )  # fmt: skip
        if rng.random() < 0.3:
            data.diverging_epoch = fetch.EpochEndOffset(rng.choice((-7, -1, 0, 0, 5)), rng.choice(OFFSETS))
        return data


class LyingSession:
    """A follower and its leader, from one seed. As `Session`, for those who count."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.frames = self.malformed = self.closed = 0
        self.slowest_s = 0.0

    def run(self, requests: int = 2 * ROUNDS) -> None:
        """Write about half as often as the follower asks. Raises FoundError, which says how to see it again."""
        watch, logger = BugWatch(), logging.getLogger("kafkacompat")
        logger.addHandler(watch)
        try:
            self._run(requests // 2)
            assert not watch.bugs, watch.bugs[0]
        except FoundError:
            raise
        except Exception as error:
            raise FoundError(f"{error!r}\n{self.replay}") from error
        finally:
            logger.removeHandler(watch)

    @property
    def replay(self) -> str:
        """The command that does the same again."""
        return f"again: python -m tests.fuzz --seed {self.seed} --sessions 1 --listener {LEADER}"

    def _run(self, rounds: int) -> None:
        rng = Random(self.seed)
        cluster = Cluster(1, 2)
        cluster.create_topic("t", *([1, 2] for _ in range(HONEST + 1)))
        leader = LyingLeader(cluster[2].fetchers.network, rng)
        cluster[2].fetchers.network = leader
        for _ in range(rounds):
            cluster[1].ask(produce_request((rng.randrange(HONEST + 1), batch(b"v"))), 9)
            cluster.advance(rng.choice((20, 20, 100, 500)), 20)
        self.frames += len(cluster.requests)
        self.malformed += leader.told
        leader.lies = False
        cluster.advance(3_000, 50)
        cluster[1].ask(produce_request((HONEST, batch(b"last"))), 9)
        cluster.advance(1_000, 50)
        ends = [cluster[node_id].partition("t", HONEST).log_end_offset for node_id in (1, 2)]
        assert ends[0] == ends[1], f"the follower is at {ends[1]}, its leader at {ends[0]}"
        assert len(cluster[2].fetchers) == 1
