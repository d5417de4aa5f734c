"""The verification of a producer's transaction, from the question to its coordinator until its first batch is written
(Kafka's ``VerificationStateEntry`` and ``VerificationGuard``, KIP-890).

Before the coordinator is asked, the log makes an entry for the producer. Its answer may be old news when it comes: the
transaction may have ended meanwhile, and its marker may be in the log. So the batch is appended only if the entry of
that question is still the producer's; the object itself is the guard (KAFKA-14884).
"""

VERIFICATIONS_MAX = 10_000
"""Entries of one partition; the oldest is dropped for another, and its batch refused, which its client tries again."""


class VerificationEntry:
    """A question of one producer: the lowest sequence of its batches that wait, and their epoch.

    ``supports_epoch_bump``: the producer's epoch is raised with each transaction (transaction version 2).
    ``created_ms`` is by the wall clock.
    """

    __slots__ = ("created_ms", "epoch", "lowest_sequence", "supports_epoch_bump")

    def __init__(self, sequence: int, epoch: int, created_ms: int, *, supports_epoch_bump: bool) -> None:
        self.lowest_sequence = sequence
        self.epoch = epoch
        self.created_ms = created_ms
        self.supports_epoch_bump = supports_epoch_bump


VERIFICATION_IS_OFF = VerificationEntry(0, 0, 0, supports_epoch_bump=False)
"""In place of a guard: a batch is appended without one (``transaction.partition.verification.enable=false``)."""


class Verifications(dict[int, VerificationEntry]):
    """The entries of one partition, by producer id."""

    __slots__ = ()

    def begin(
        self, producer_id: int, sequence: int, epoch: int, now_ms: int, *, supports_epoch_bump: bool
    ) -> VerificationEntry:
        """The producer's entry, which is made if there is none: a batch with this sequence waits for an answer.

        A lower sequence counts; a higher epoch begins anew.
        """
        entry = self.get(producer_id)
        if entry is None:
            if len(self) >= VERIFICATIONS_MAX:
                del self[next(iter(self))]
            entry = VerificationEntry(sequence, epoch, now_ms, supports_epoch_bump=supports_epoch_bump)
            self[producer_id] = entry
        elif epoch > entry.epoch:
            entry.epoch, entry.lowest_sequence = epoch, sequence
        elif epoch == entry.epoch and sequence < entry.lowest_sequence:
            entry.lowest_sequence = sequence
        return entry

    def wrote(self, producer_id: int) -> None:
        """A transactional batch of the producer is in the log: its transaction is open."""
        self.pop(producer_id, None)

    def ended(self, producer_id: int, epoch: int) -> None:
        """A marker of this epoch is in the log. With transaction version 2 the next transaction has the marker's epoch:
        an entry of that epoch is the next transaction's, and stays (KAFKA-18575).
        """
        entry = self.get(producer_id)
        if entry is not None and not (entry.supports_epoch_bump and entry.epoch == epoch):
            del self[producer_id]

    def expire(self, now_ms: int, expiration_ms: int) -> None:
        """Forget entries that were made ``expiration_ms`` ago and never used."""
        for producer_id in [key for key, each in self.items() if now_ms - each.created_ms >= expiration_ms]:
            del self[producer_id]
