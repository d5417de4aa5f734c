"""What clients of transactions were told, and whether the logs bear it out at the end of a run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.sim.invariants import must
from tests.sim.nodes.transaction_story import LAST_CLIENT_EPOCH, STATE_NAMES, RowStory, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.sim.nodes.transaction_story import PartitionStory, Results


class Told:
    """A transaction as its client knows it. `sent` are values with their partition, `acknowledged` those answered.

    asked: whether it was asked to commit, None before. outcome: whether it committed, None while that is not known.
    """

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        self.sent: dict[str, str] = {}
        self.acknowledged: dict[str, str] = {}
        self.asked: bool | None = None
        self.outcome: bool | None = None


class Ledger:
    """The transactions of all clients of one run."""

    def __init__(self, rows: RowStory | None = None) -> None:
        self.rows = rows or RowStory()
        self.last_epoch = LAST_CLIENT_EPOCH
        self.transactions: dict[str, Told] = {}
        self.met: Counter[str] = Counter()
        """How often a named fault met a named state."""
        self.committed_offsets: Counter[str] = Counter()
        """By transactional id: the newest offset that a client knows to be committed."""
        self._numbers: Counter[str] = Counter()
        self._owners: dict[tuple[int, int], str] = {}
        self._with_seen_offsets: set[str] = set()

    def begin(self, transactional_id: str) -> Told:
        """A new transaction of an id; its instances count together."""
        self._numbers[transactional_id] += 1
        number = self._numbers[transactional_id]
        told = Told(f"{transactional_id}.{number}", number)
        self.transactions[told.name] = told
        return told

    def given(self, producer_id: int, epoch: int, owner: str) -> None:
        """T9: a producer id and epoch are given to one life of one instance; the epoch kept for fencing to nobody."""
        must(0 <= epoch <= self.last_epoch, f"T9: {owner} is given the epoch {epoch}")
        first = self._owners.setdefault((producer_id, epoch), owner)
        must(first == owner, f"T9: {owner} is given ({producer_id}, {epoch}), which {first} has")

    def must_have_had(self, transactional_id: str, producer_id: int, epoch: int, state: int) -> None:
        """T10: what a coordinator answers is committed, so it was the only one of its epoch."""
        must(
            self.rows.has_had(transactional_id, producer_id, epoch, state),
            f"T10: {transactional_id} ({producer_id}, {epoch}) was told to be {STATE_NAMES[state]}, not committed so",
        )

    def is_used_up(self, transactional_id: str, producer_id: int, epoch: int) -> bool:
        """Whether the id has had the last epoch of this producer id or the one for fencing, other than `epoch`: Kafka's
        coordinator fails then (UNKNOWN_SERVER_ERROR) when `epoch` is named to InitProducerId, as a retry or by whoever
        was fenced.
        """
        known = self.rows.epochs_at_rest(transactional_id, producer_id)
        return any(last >= self.last_epoch and last != epoch for last in known)

    def is_told_the_fence(self, epoch: int, answered: int) -> bool:
        """Whether the end of a transaction in the last epoch is answered with the epoch that is kept for fencing.

        Kafka's coordinator takes an EndTxn of protocol 2 for a retry then, and answers what the row has: after it has
        aborted the transaction itself under protocol 1, or has read its log, which under transaction.version 0 does not
        have the producer id that comes next.
        """
        return epoch == self.last_epoch and answered == epoch + 1

    def is_current(self, transactional_id: str, producer_id: int, epoch: int) -> bool:
        """Whether this is the id's producer by what is committed, whatever a former coordinator has told it."""
        row = self.rows.rows.get(transactional_id)
        return row is not None and (row.producer_id, row.epoch) == (producer_id, epoch)

    def ended(self, told: Told) -> None:
        """The client was told that the transaction ends as it asked."""
        told.outcome = told.asked
        if told.outcome and f"{told.name}.offset" in told.acknowledged:
            transactional_id = told.name.rpartition(".")[0]
            self.committed_offsets[transactional_id] = max(self.committed_offsets[transactional_id], told.number)

    def offset_found(self, transactional_id: str, number: int, before: int) -> None:
        """T7: a committed offset does not go back; `before` was committed when the question was asked."""
        must(number >= before, f"T7: the group of {transactional_id} committed {before} and finds {number}")
        if number > 0:
            told = self.transactions.get(f"{transactional_id}.{number}")
            must(told is not None, f"T8: the group of {transactional_id} finds {number}, which nobody committed")
            assert told is not None
            must(
                told.asked is True,
                f"T8: the group of {transactional_id} finds the offset of {told.name}, not committed",
            )
            self._with_seen_offsets.add(told.name)

    def check_the_end(self, stories: Iterable[PartitionStory], results: Results) -> None:
        """All or nothing: each transaction as a whole and once, or not at all; as its client was told."""
        visible: Counter[str] = Counter()
        at: dict[str, str] = {}
        for story in stories:
            must(not story.open, f"T6: {story.name} has open {sorted(each.name for each in story.open.values())}")
            for _, value in story.visible():
                visible[value] += 1
                at[value] = story.name
        for value, count in visible.items():
            told = self.transactions.get(name_of(value))
            must(
                told is not None and told.sent.get(value) == at[value], f"{value} is visible, and nobody sent it there"
            )
            is_offset = value.endswith(".offset")  # which may be committed twice, and is one offset
            must(count == 1 or is_offset, f"{value} is visible {count} times")
        for told in self.transactions.values():
            self._check(told, results.by_name.get(told.name), visible)
        for name in self._with_seen_offsets:
            must(results.by_name.get(name) is True, f"T8: a group had the offset of {name}, which is not committed")

    @staticmethod
    def _check(told: Told, result: bool | None, visible: Counter[str]) -> None:
        if result:
            must(told.asked is True, f"{told.name} is committed, and its client did not ask for that")
            missing = [value for value in told.acknowledged if not visible[value]]
            must(not missing, f"{told.name} is committed without {missing[:3]}")
        if told.outcome is True and told.acknowledged:
            must(result is True, f"{told.name} was committed, says its client, and the logs say {result}")
        if told.outcome is False:
            must(not result, f"{told.name} was aborted, says its client, and the logs say it is committed")
