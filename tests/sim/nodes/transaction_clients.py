"""Instances of transactional ids that behave well and badly, and readers that check what they get."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import fetch, offset_fetch
from kafkacompat.protocol.records import control
from kafkacompat.protocol.records.batch import split
from kafkacompat.protocol.records.reader import read_records
from tests.sim.invariants import must
from tests.sim.nodes.clients import RETRY_MS, TOPIC, Client, NoAnswerError, whole_size
from tests.sim.nodes.transaction_protocol import (
    GROUP_TYPE,
    OFFSETS_TOPIC,
    AbortError,
    FencedError,
    GiveUpError,
    TransactionalClient,
)
from tests.sim.nodes.transaction_story import ReadBatch, check_read

if TYPE_CHECKING:
    from tests.sim.nodes.cluster import Cluster
    from tests.sim.nodes.transaction_ledger import Ledger, Told
    from tests.sim.nodes.transaction_story import PartitionStory

READ_COMMITTED = 1
ZOMBIE_PATIENCE_S = 3.0
LATE_ANSWER_S = 2.0


class VanishedError(Exception):
    """The process is gone, with its transaction open."""


class Instance(TransactionalClient):
    """Writes transactions of random sizes. Once it is fenced it begins a new life, sometimes after one as a zombie.

    changes_protocol: each of its lives may have another protocol, as after an upgrade; with `follows_version` it is
    the one of transaction.version. Two instances of one id never have different ones at once: under Kafka's rules an
    abort of protocol 2 then takes the epoch of an instance with protocol 1 that has just aborted for its own, of which
    this is a retry.
    """

    def __init__(
        self,
        cluster: Cluster,
        ledger: Ledger,
        name: str,
        transactional_id: str,
        *,
        protocol: int,
        timeout_ms: int,
        pause_ms: int,
        changes_protocol: bool = False,
        follows_version: bool = False,
        uses_doomed: bool = False,
        writes_at_once: bool = False,
    ) -> None:
        self._pause_ms = pause_ms
        self._follows_version = follows_version
        self._uses_doomed = uses_doomed
        self._changes_protocol = changes_protocol
        self._told: Told | None = None
        """The transaction that it began last."""
        self._writes_at_once = writes_at_once
        super().__init__(cluster, ledger, name, transactional_id, protocol=protocol, timeout_ms=timeout_ms)

    async def go(self) -> None:
        await self.leader_of(0)
        while not self.cluster.is_over:
            if self._changes_protocol:
                self.protocol = self.rng.choice((1, 2))
            try:
                await self.begin_life()
                while not self.cluster.is_over:
                    if self._follows_version:
                        await self.follow_version()
                    await self._transaction()
                    await self.pause(self._pause_ms)
            except FencedError:
                self.ledger.met["a fence met a producer"] += 1
                is_current = self.ledger.is_current(self.transactional_id, self.producer_id, self.epoch)
                if self.rng.random() < 0.4 and not is_current:  # else a former coordinator answered, from an old row
                    await self._be_a_zombie()
            except VanishedError:
                self.ledger.met["a client vanished from an open transaction"] += 1
            except (AbortError, GiveUpError):
                pass
            self.forget_transaction()
            await self.pause(self.rng.choice((200, 2_000, 6_000)))

    async def _transaction(self) -> None:
        told = self._told = self.ledger.begin(self.transactional_id)
        commits = self.rng.random() < 0.7
        try:
            await self._fill(told)
        except AbortError:
            commits = False
            self.is_unsure = True
        if commits or told.sent:
            await self.end(told, commits=commits)
        if self.protocol == 1 and self.is_unsure:
            await self.begin_life(keeps_producer=True)

    async def _fill(self, told: Told) -> None:
        rng = self.rng
        count = 0
        partitions = rng.sample(range(self.cluster.partition_count), k=rng.randint(1, self.cluster.partition_count))
        for _ in range(rng.choice((1, 1, 2, 4))):
            batches = []
            for partition in partitions:
                size = rng.choice((1, 2, 10))
                batches.append((partition, [f"{told.name}.{count + at}" for at in range(size)]))
                count += size
            await self._write_all(told, batches)
        if self._uses_doomed and rng.random() < 0.5:
            await self.write_to_doomed(f"{told.name}.doomed")
        if rng.random() < 0.5:
            await self.commit_offset(told)
        choice = rng.random()
        if choice < 0.04:
            raise VanishedError
        if choice < 0.08:  # the coordinator aborts it meanwhile
            self.ledger.met["a time-out met an open transaction"] += 1
            await asyncio.sleep(self.timeout_ms / 1000 * 2)
        elif choice < 0.3:
            await self.pause(self._pause_ms)

    async def _write_all(self, told: Told, batches: list[tuple[int, list[str]]]) -> None:
        """One after the other, or all at once if the brokers add partitions to the transaction."""
        if self.protocol == 1 or not self._writes_at_once:
            for partition, values in batches:
                await self.write(told, partition, values)
            return
        writes = [self.write(told, partition, values) for partition, values in batches]
        failures = [each for each in await asyncio.gather(*writes, return_exceptions=True) if each is not None]
        if failures:
            raise min(failures, key=_rank)

    async def _be_a_zombie(self) -> None:
        """Go on as if nothing had happened. Until its marker comes, a partition takes more of the transaction that is
        open there, as Kafka's do: it ends with it. Nothing may begin anew.
        """
        told = self._told or self.ledger.begin(self.transactional_id)
        assert self.loop is not None
        end_s = self.loop.time() + ZOMBIE_PATIENCE_S
        if self.rng.random() < 0.5:  # else the coordinator refuses it first
            self._added = set(range(self.cluster.partition_count))
        number = 0
        while self.loop.time() < end_s:
            number += 1
            asked, at = told.asked, self.rng.randrange(3)
            try:
                await self._zombie_step(told, at, f"{told.name}.zombie{number}")
            except (FencedError, AbortError, GiveUpError):
                self.ledger.met["a zombie was refused"] += 1
            finally:
                told.asked = asked
            await self.pause(RETRY_MS)

    async def _zombie_step(self, told: Told, at: int, value: str) -> None:
        who = f"the zombie {self.name} ({self.producer_id}, {self.epoch})"
        if at == 0:
            partition = self.rng.randrange(self.cluster.partition_count)
            await self.write(told, partition, [value])
            first = self.cluster.invariants.stories[TOPIC, partition].first_value(told.name)
            must(first not in (None, value), f"{who} begins a transaction in {TOPIC}-{partition}")
        elif at == 1:
            had_offset = f"{told.name}.offset" in told.sent
            await self.commit_offset(told)
            must(had_offset, f"{who} begins a transaction in {OFFSETS_TOPIC}-0")
        else:
            await self.end(told, commits=True)
            must(False, f"{who} ends a transaction")


def _rank(failure: BaseException) -> tuple[bool, bool]:
    """Of several failures the first one counts: what nobody expects (an invariant is violated) before all others."""
    return isinstance(failure, AbortError), isinstance(failure, (FencedError, GiveUpError))


class LastInstance(Instance):
    """After all faults: one transaction with all partitions and an offset, which commits."""

    async def go(self) -> None:
        await self.begin_life()
        told = self.ledger.begin(self.transactional_id)
        for partition in range(self.cluster.partition_count):
            await self.write(told, partition, [f"{told.name}.{partition}"])
        await self.commit_offset(told)
        await self.end(told, commits=True)


class LateRequests(Client):
    """The network's memory: a request whose sender lost its connection arrives much later, when nobody expects it.

    on_the_way: how many have not arrived. One that comes after all faults would fence those who come last.
    """

    on_the_way = 0

    async def go(self) -> None:
        """It does nothing by itself."""

    def deliver(self, node_id: int, frame: bytes, delay_us: int) -> None:
        """Send a frame to a node after a delay, whatever that answers."""
        self.on_the_way += 1
        self.cluster.world.after(delay_us, self._begin, node_id, frame)

    def _begin(self, node_id: int, frame: bytes) -> None:
        if self.loop is not None and not self.loop.is_closed():
            self.loop.create_task(self._send(node_id, frame))
            self.loop.plan()
        else:
            self.on_the_way -= 1

    async def _send(self, node_id: int, frame: bytes) -> None:
        with suppress(NoAnswerError, OSError):
            exchange = await self.connect(node_id)
            async with asyncio.timeout(LATE_ANSWER_S):
                await exchange.ask(frame)
            exchange.transport.abort()
        self.on_the_way -= 1


class CommittedReader(Client):
    """A read_committed consumer: what it is given and not given is compared with what the logs say."""

    def __init__(self, cluster: Cluster, name: str, story: PartitionStory, partition: int) -> None:
        self.partition = partition
        self.story = story
        self.seen: list[tuple[int, str]] = []
        self.position = 0
        self._stable: dict[tuple[int, int], int] = {}
        super().__init__(cluster, name)

    async def go(self) -> None:
        while not self.cluster.is_over:
            await self.read()
            if self.rng.random() < 0.03:
                self.position = 0
                self.seen = []
            await self.pause(RETRY_MS)

    async def read(self) -> None:
        """Fetch once from the position, of random size; the list of aborted ones is often for a part of the log."""
        leader, epoch = await self.leader_of(self.partition)
        size = self.rng.choice((1, 300, 2_000, 1 << 16))
        asked = fetch.FetchPartition(self.partition, epoch, self.position, partition_max_bytes=size)
        request = fetch.FetchRequest(
            max_wait_ms=300, min_bytes=1, max_bytes=1 << 20, isolation_level=READ_COMMITTED,
            topics=[fetch.FetchTopic(TOPIC, partitions=[asked])],
        )  # fmt: skip
        try:
            answer = await self.ask(leader, fetch, 12, request)
        except NoAnswerError:
            self.forget_leader(self.partition)
            return
        data = answer.responses[0].partitions[0] if answer.responses else None
        if data is None or data.error_code != errors.NONE:
            self.forget_leader(self.partition)
            return
        self._take(data, (leader, epoch))

    def _take(self, data: Any, leader: tuple[int, int]) -> None:
        stable = data.last_stable_offset
        must(
            stable >= self._stable.get(leader, 0), f"T4: the last stable offset of {self.story.name} falls to {stable}"
        )
        self._stable[leader] = stable
        batches = batches_of(data.records)
        aborted = [(each.first_offset, each.producer_id) for each in data.aborted_transactions or ()]
        may_know_more = self.cluster.invariants.is_inherited(TOPIC, self.partition, leader[1], data.high_watermark)
        visible = check_read(self.story, stable, batches, aborted, may_know_more=may_know_more)
        for batch in visible:
            if batch.is_transactional:
                reads = [(batch.first_offset + at, value) for at, value in enumerate(batch.values)]
                self.seen += [read for read in reads if read[0] >= self.position]
        if batches:
            must(
                batches[0].first_offset <= self.position, f"{self.story.name}: records before {batches[0]} are left out"
            )
            self.position = batches[-1].last_offset + 1


class LastCommittedReader(CommittedReader):
    """Reads to an end, and finds all committed values, each once."""

    def __init__(self, cluster: Cluster, name: str, story: PartitionStory, partition: int, end_offset: int) -> None:
        self._end_offset = end_offset
        super().__init__(cluster, name, story, partition)

    async def go(self) -> None:
        while self.position < self._end_offset:
            await self.read()
        must(self.seen == self.story.visible(), f"{self.name} has not seen what is committed in {self.story.name}")


def batches_of(found: Any) -> list[ReadBatch]:
    """The whole batches of a fetch."""
    data = b"".join(map(bytes, found)) if isinstance(found, list) else bytes(found or b"")
    batches = []
    for at, header in split(data[: whole_size(data)]):
        records = list(read_records(data, at, header))
        marker = control.decode_key(records[0].key) == control.COMMIT if header.is_control else None
        values = () if header.is_control else tuple((record.value or b"").decode() for record in records)
        batches.append(
            ReadBatch(
                header.base_offset, header.last_offset, header.producer_id, header.is_transactional, marker, values
            )
        )
    return batches


class OffsetReader(TransactionalClient):
    """Asks for the stable offset of an id's group, which never goes back and is never of an aborted transaction."""

    def __init__(self, cluster: Cluster, ledger: Ledger, name: str, transactional_id: str) -> None:
        self.newest = 0
        super().__init__(cluster, ledger, name, transactional_id, protocol=2, timeout_ms=1_000)

    async def go(self) -> None:
        while not self.cluster.is_over:
            with suppress(GiveUpError):
                await self.look()
            await self.pause(10 * RETRY_MS)

    def _coordinator_now(self) -> int:
        """The leader of the offsets in the newest committed metadata."""
        image = self.cluster.invariants.partitions[OFFSETS_TOPIC, 0].image
        return -1 if image is None else image.leader_id

    async def look(self) -> int | None:
        """One OffsetFetch. Returns the offset; None while it is not stable."""
        before = max(self.newest, self.ledger.committed_offsets[self.transactional_id])
        topics = [offset_fetch.OffsetFetchRequestTopic(TOPIC, [0])]
        request = offset_fetch.OffsetFetchRequest(self.transactional_id, topics, require_stable=True)
        code, answer = await self.coordinated(
            GROUP_TYPE, offset_fetch, 7, request,
            lambda answer: int(answer.error_code or answer.topics[0].partitions[0].error_code),
        )  # fmt: skip
        if code == errors.UNSTABLE_OFFSET_COMMIT:
            self.ledger.met["a reader was told to wait for an offset"] += 1
            return None
        must(code == errors.NONE, f"OffsetFetch is answered {errors.name(code)}")
        found = max(0, int(answer.topics[0].partitions[0].committed_offset))
        if self._coordinators.get(GROUP_TYPE) != self._coordinator_now():
            # it was paused or cut off, has not heard that it is replaced, and answers what it knows, as Kafka's do
            self.ledger.met["a former coordinator was asked for an offset"] += 1
            return None
        self.ledger.offset_found(self.transactional_id, found, before)
        self.newest = found
        return found
