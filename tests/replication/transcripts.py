"""The interpreter of tests/scenarios/isr_*.txt and high_watermark.txt (see tests/transcripts.py).

Broker 1 leads epoch 5 of a partition; what it knows of its followers is on the stage:

    partition replicas=1,2,3 isr=1,2 min=2 end=10 hw=3     min.insync.replicas, the leader's log end, its high watermark
    append 5                 the leader appends five records
    fetch 2 10               broker 2 fetches from offset 10: it holds all below; `life=11` is another broker epoch
    wait 500ms               time passes; replica.lag.time.max.ms is 1 s
    check                    the leader looks for followers that lag
    answer NONE isr=1,2,3    the controller answers the proposal
    no-answer                the proposal is lost
    metadata isr=1,2         the metadata log shows a change
    fence 3, unfence 3       so does it that a broker is gone, or back
    bars                     each replica's log, committed records as x
"""

from __future__ import annotations

from kafkacompat.now import Now
from kafkacompat.protocol import error_codes
from kafkacompat.protocol.messages.alter_partition import AlterPartitionResponsePartitionData
from kafkacompat.replication.cluster_view import ClusterView
from kafkacompat.replication.in_sync import InSync, Proposal
from kafkacompat.replication.metadata.image import PartitionImage
from tests.replication.quorum_world import image_with
from tests.transcripts import duration_ms

LEADER, EPOCH, LAG_MS = 1, 5, 1000


class Stage:
    """One scenario under way."""

    def __init__(self) -> None:
        self.now_ms = 0
        self.end = self.high_watermark = 0
        self.replicas: tuple[int, ...] = ()
        self.min_isr = 1
        self.partition_epoch = 7
        self.sent: Proposal | None = None
        self.shown: tuple[object, ...] = ()
        self.view = ClusterView(lag_time_max_ms=LAG_MS)
        self.in_sync = InSync(LEADER, self.view)

    def play(self, line: str) -> list[str]:
        verb, *words = line.split()
        options = dict(word.split("=") for word in words if "=" in word)
        lines = getattr(self, f"do_{verb.replace('-', '_')}")([word for word in words if "=" not in word], options)
        return [*(lines or ()), *self._changes()]

    @property
    def now(self) -> Now:
        return Now(self.now_ms, self.now_ms)

    def do_partition(self, _words: list[str], options: dict[str, str]) -> None:
        self.replicas = ids(options["replicas"])
        self.min_isr, self.end = int(options["min"]), int(options["end"])
        self.high_watermark = int(options["hw"])
        self.view.image = image_with(*self.replicas)
        self._apply(ids(options["isr"]))
        self.in_sync.begin_epoch(self.end, self.now)
        self.shown = self._state()

    def do_append(self, words: list[str], _options: dict[str, str]) -> None:
        self.end += int(words[0])

    def do_fetch(self, words: list[str], options: dict[str, str]) -> None:
        replica, offset = int(words[0]), int(words[1])
        self.in_sync.fetched(replica, offset, int(options.get("life", 10 + replica)), self.end, self.now)
        self.in_sync.propose_expand(self.high_watermark)

    def do_wait(self, words: list[str], _options: dict[str, str]) -> None:
        self.now_ms += duration_ms(words[0])

    def do_check(self, _words: list[str], _options: dict[str, str]) -> None:
        self.in_sync.propose_shrink(self.end, self.now)

    def do_answer(self, words: list[str], options: dict[str, str]) -> None:
        assert self.sent is not None
        self.partition_epoch += words[0] == "NONE"
        isr = list(ids(options["isr"])) if "isr" in options else []
        data = AlterPartitionResponsePartitionData(
            0, getattr(error_codes, words[0]), LEADER, EPOCH, isr, 0, self.partition_epoch
        )
        self.in_sync.answered(self.sent, data)

    def do_no_answer(self, _words: list[str], _options: dict[str, str]) -> None:
        assert self.sent is not None
        self.in_sync.failed(self.sent)

    def do_metadata(self, _words: list[str], options: dict[str, str]) -> None:
        self.partition_epoch = max(self.partition_epoch, self.in_sync.partition_epoch + 1)
        self._apply(ids(options["isr"]))

    def do_fence(self, words: list[str], _options: dict[str, str]) -> None:
        self._fence(int(words[0]), is_fenced=True)

    def do_unfence(self, words: list[str], _options: dict[str, str]) -> None:
        self._fence(int(words[0]), is_fenced=False)

    def do_bars(self, _words: list[str], _options: dict[str, str]) -> list[str]:
        lines = []
        for replica in self.replicas:
            end = self.end if replica == LEADER else max(0, self.in_sync.followers[replica].end_offset)
            bar = "x" * min(end, self.high_watermark) + "-" * (end - self.high_watermark)
            lines.append(f"{replica}  {bar:{self.end}}  {end:>2}  {self._part_of(replica)}")
        return lines

    def _part_of(self, replica: int) -> str:
        if replica == LEADER:
            return "leads"
        if replica in self.in_sync.isr:
            return "in sync"
        return "joins" if replica in self.in_sync.maximal_isr else "out of sync"

    def _apply(self, isr: tuple[int, ...]) -> None:
        image = PartitionImage(self.replicas, isr, LEADER, EPOCH, self.partition_epoch)
        self.in_sync.apply(image, self.min_isr)

    def _fence(self, broker_id: int, *, is_fenced: bool) -> None:
        brokers = self.view.image.brokers
        changed = brokers[broker_id].but(fenced=is_fenced)
        self.view.image = self.view.image.but(brokers={**brokers, broker_id: changed})

    def _state(self) -> tuple[object, ...]:
        return self.in_sync.isr, self.in_sync.maximal_isr, self.high_watermark

    def _changes(self) -> list[str]:
        lines = []
        proposal = self.in_sync.take_proposal()
        if proposal is not None:
            self.sent = proposal
            lines.append(f"proposes {' '.join(str(member) for member, _ in proposal.members)}")
        self.high_watermark = self.in_sync.next_high_watermark(self.high_watermark, self.end, self.end, self.now)
        before, self.shown = self.shown, self._state()
        isr, maximal, high_watermark = self.shown
        if before[0] != isr:
            lines.append(f"isr {text(self.in_sync.isr)}")
        if before[1] != maximal and (maximal != isr or before[0] == isr):
            lines.append(f"maximal isr {text(self.in_sync.maximal_isr)}")
        if before[2] != high_watermark:
            lines.append(f"high watermark {high_watermark}")
        return lines


def ids(words: str) -> tuple[int, ...]:
    return tuple(int(word) for word in words.split(","))


def text(members: tuple[int, ...]) -> str:
    return " ".join(map(str, members))
