"""Mistakes that whole nodes show: of the shell, and of cores where what clients see is all that tells."""

from __future__ import annotations

from kafkacompat.broker.control.lifecycle import Lifecycle
from kafkacompat.broker.control.quorum_channel import QuorumChannel
from kafkacompat.replication import high_watermark
from kafkacompat.replication.partition import Partition
from kafkacompat.replication.raft.leader import Leader
from kafkacompat.server.peers import Peers
from kafkacompat.server.worker import Workers
from kafkacompat.storage import truncation
from kafkacompat.storage.background import Background
from kafkacompat.storage.segment import Segment
from tests.sim.mutants import Mutant

MUTANTS = (
    Mutant(
        "acknowledges what is appended",
        Partition.ack_error,
        "if self.high_watermark <= last_offset:",
        "if False:",
        range(5, 9),
    ),
    Mutant(
        "commits under the minimum",
        high_watermark.next_high_watermark,
        "if isr_size < min_isr:",
        "if False:",
        range(18, 29),
    ),
    Mutant("tells nobody that a connection was lost", Peers.closed, "self.fail(unanswered)", "pass", range(1, 4)),
    Mutant(
        "forgets to ask for the next sync",
        Background.finish,
        "self._running.discard(job.work_class)",
        "pass",
        range(1, 3),
    ),
    Mutant(
        "takes in no outcome",
        Workers._finished,
        "self._background.finish(job, outcome, now)",
        "pass",
        range(1, 3),
    ),
    Mutant(
        "no check for divergence",
        truncation.diverging_epoch,
        "return agreed if epoch < last_fetched_epoch or end_offset < fetch_offset else None",
        "return None",
        range(5, 9),
    ),
    Mutant(
        "reads to the log end",
        Partition.readable_end_offset,
        "else self.high_watermark",
        "else self.log.log_end_offset",
        range(5, 9),
    ),
    Mutant(
        "leaves what was written of a batch on a full disk",
        Segment._cut_partial_write,
        "self.file.open().truncate(self.size_bytes)",
        "pass",
        range(6, 9),
    ),
)

JUMP_MUTANTS = (
    Mutant(
        "the quorum's leader counts by the clock of clients' timers",
        Leader.tick,
        "now.monotonic_ms",
        "now.life_ms",
        range(1, 2),
    ),
    Mutant(
        "heartbeats of brokers are due by the clock of clients' timers",
        Lifecycle._next_heartbeat,
        "now.monotonic_ms",
        "now.life_ms",
        range(1, 2),
    ),
    Mutant(
        "the quorum's requests are due by the clock of clients' timers",
        QuorumChannel._arm,
        "now.monotonic_ms",
        "now.life_ms",
        range(16, 17),
    ),
)
"""Found by runs whose clocks jump."""
