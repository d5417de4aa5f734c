"""What changes under open transactions: transaction.version goes up and down, a topic is deleted and made again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import create_topics, delete_topics, update_features
from tests.sim.nodes.clients import RETRY_MS, TIMEOUT_MS, Client, NoAnswerError
from tests.sim.nodes.transaction_protocol import DOOMED
from tests.sim.nodes.transaction_story import ONGOING, PREPARED

if TYPE_CHECKING:
    from tests.sim.nodes.cluster import Cluster
    from tests.sim.nodes.transaction_invariants import TransactionInvariants
    from tests.sim.nodes.transaction_ledger import Ledger

LEVELS = (0, 1, 2)
FEATURE = "transaction.version"
UPGRADE, SAFE_DOWNGRADE = 1, 2
"""Types of updates (KIP-584)."""
UP, DOWN = "an upgrade met a transaction", "a downgrade met a transaction"
DELETED = "the deletion of a topic met its transaction"
CHANGES = (UP, DOWN, DELETED)


class VersionChanger(Client):
    """Finalizes one level of transaction.version after the other, from 2 at the start."""

    def __init__(
        self, cluster: Cluster, name: str, ledger: Ledger, invariants: TransactionInvariants, pause_ms: int
    ) -> None:  # fmt: skip
        self._ledger = ledger
        self._invariants = invariants
        self._pause_ms = pause_ms
        super().__init__(cluster, name)

    async def go(self) -> None:
        level = LEVELS[-1]
        while not self.cluster.is_over:
            await self.pause(self._pause_ms)
            wanted = self.rng.choice([each for each in LEVELS if each != level])
            if await self._finalize(wanted, UPGRADE if wanted > level else SAFE_DOWNGRADE):
                if not self._invariants.is_settled():
                    self._ledger.met[UP if wanted > level else DOWN] += 1
                level = wanted

    async def _finalize(self, level: int, kind: int) -> bool:
        """Ask until it is done, or the run ends. A level that is there already is done, by an answer that was lost."""
        update = update_features.FeatureUpdateKey(FEATURE, level, upgrade_type=kind)
        while not self.cluster.is_over:
            try:
                answer = await self.ask(
                    self.any_node(), update_features, 1, update_features.UpdateFeaturesRequest(TIMEOUT_MS, [update])
                )
            except NoAnswerError:
                await self.pause(RETRY_MS)
                continue
            codes = [answer.error_code, *(each.error_code for each in answer.results)]
            if not any(codes) or errors.INVALID_UPDATE_VERSION in codes:
                return True
            await self.pause(RETRY_MS)
        return False


class TopicDeleter(Client):
    """Makes a topic that transactions write to, and deletes it, again and again."""

    def __init__(
        self, cluster: Cluster, name: str, ledger: Ledger, invariants: TransactionInvariants, pause_ms: int
    ) -> None:  # fmt: skip
        self._ledger = ledger
        self._invariants = invariants
        self._pause_ms = pause_ms
        super().__init__(cluster, name)

    async def go(self) -> None:
        configs = [create_topics.CreatableTopicConfig(*config) for config in self.cluster.topic_configs.items()]
        topic = create_topics.CreatableTopic(DOOMED, 1, 3, configs=configs)
        while not self.cluster.is_over:
            await self._until_done(create_topics, 7, create_topics.CreateTopicsRequest([topic], TIMEOUT_MS))
            await self.pause(self._pause_ms)
            rows = self._invariants.rows.rows.values()
            has_open = any(row.state in (ONGOING, *PREPARED) and (DOOMED, 0) in row.partitions for row in rows)
            request = delete_topics.DeleteTopicsRequest(topic_names=[DOOMED], timeout_ms=TIMEOUT_MS)
            if await self._until_done(delete_topics, 5, request) and has_open:
                self._ledger.met[DELETED] += 1
            await self.pause(self.rng.choice((20, 1_000)))

    async def _until_done(self, api: object, version: int, request: object) -> bool:
        """Ask until the topic is there, or is not; False when the run ends before."""
        while not self.cluster.is_over:
            try:
                answer = await self.ask(self.any_node(), api, version, request)
            except NoAnswerError:
                await self.pause(RETRY_MS)
                continue
            found = (answer.topics if api is create_topics else answer.responses)[0]
            if found.error_code in (errors.NONE, errors.TOPIC_ALREADY_EXISTS, errors.UNKNOWN_TOPIC_OR_PARTITION):
                return True
            await self.pause(RETRY_MS)
        return False
