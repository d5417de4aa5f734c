"""Go through the states of recorded runs, each different one once, and check what recovery makes of it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Protocol

from tests.crash.check import Checker
from tests.crash.life import Life
from tests.crash.moves import Moves
from tests.crash.quorum import Follower, Submitter
from tests.crash.recording import Player, RecordingFs
from tests.crash.states import State, after, named
from tests.crash.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from kafkacompat.storage.memfs import MemFs
    from tests.crash.recording import Step

MAX_SHOWN = 20
NESTED_EVERY = 200
"""After so many states, one whose recovery is recorded too, and crashes."""
NESTED_STEPS = 3
ALL_SHARE = 0.1
"""Of the runs, of which every combination is tried; of the others some, so that there are more runs."""


class Judge(Protocol):
    """Knows a recorded run."""

    @property
    def steps(self) -> Sequence[Step]: ...
    @property
    def first_step(self) -> int:
        """Before it there is nothing to check."""

    close_looks: Container[int]
    """Steps around which a random share of the states would be too few."""

    def check(self, state: State, fs: MemFs | None = None) -> None:
        """Raises when what must hold does not."""


class Partition(Checker):
    """The judge of a partition's life."""

    def __init__(self, seed: int) -> None:
        life = Life(seed)
        super().__init__(life)
        self.steps = life.fs.steps
        self.first_step = life.first_step


KINDS: dict[str, Callable[[int], Judge]] = {
    "follower": Follower, "moves": Moves, "partition": Partition, "transactions": Transactions, "voter": Submitter,
}  # fmt: skip

WEIGHTED = [*["partition"] * 6, "transactions", "transactions", "follower", "voter", "moves"]
"""Which kinds of runs come how often."""
SHARES = {"moves": 0.01}
"""Of kinds that start whole brokers: so many of the states of a run, and never every combination."""
CLOSE_LOOK = 20
"""So many times as many of the states around the steps that a judge wants to see."""


class Exploration:
    """Counts: different ``states``, others that were the ``same``, those ``nested`` in a recovery, the ``failed``."""

    def __init__(self, kind: str | None = None, *, share: float = 1.0) -> None:
        """Of one kind or of all, a random ``share`` of the states; with 1 what SHARES says."""
        self._kinds = [kind] if kind else WEIGHTED
        self._share = share
        self._limits: dict[str, int] = {}
        self.states = self.same = self.nested = self.failed = 0

    def run(self, seed: int) -> Iterator[str]:
        """Record a run and check its states; a line for each failure."""
        kind = self._kinds[seed % len(self._kinds)]
        judge = KINDS[kind](seed)
        rng = Random(f"states {seed}")
        player = Player(judge.steps)
        share = SHARES.get(kind, 1.0) if self._share == 1.0 else self._share
        is_all = share == 1.0 and rng.random() < ALL_SHARE
        limits = {} if is_all else {"all_up_to": 4, "some": 4}
        self._limits = limits if kind in SHARES else {}
        seen: set[int] = set()
        while True:
            if player.done >= judge.first_step:
                for state in after(player, rng, **limits):
                    if rng.random() < (CLOSE_LOOK * share if player.done in judge.close_looks else share):
                        yield from self._look(f"{kind}:{seed}:{state.name}", judge, state, seen, rng)
            if player.next is None:
                return
            player.step()

    def _look(self, name: str, judge: Judge, state: State, seen: set[int], rng: Random) -> Iterator[str]:
        key = hash((state.steps, state.is_kill, tuple(state.fs.files().items())))
        if key in seen:
            self.same += 1
            return
        seen.add(key)
        self.states += 1
        found = state.fs.copy() if rng.randrange(NESTED_EVERY) == 0 else None
        yield from self._try(name, judge, state, state.fs)
        if found is not None:
            yield from self._crash_again(name, judge, state, found, seen, rng)

    def _try(self, name: str, judge: Judge, state: State, fs: MemFs) -> Iterator[str]:
        try:
            judge.check(state, fs)
        except Exception as error:  # noqa: BLE001 - whatever it is, this state has failed
            self.failed += 1
            if self.failed <= MAX_SHOWN:
                yield f"{type(error).__name__}: {error}\n  python -m tests.crash --state {name}"

    def _crash_again(
        self, name: str, judge: Judge, state: State, found: MemFs, seen: set[int], rng: Random
    ) -> Iterator[str]:
        """Record the recovery itself, and crash in it."""
        recording = RecordingFs(found)
        try:
            judge.check(state, recording)
        except Exception:  # noqa: BLE001 - it was told of before
            return
        steps = recording.steps
        for count in sorted(rng.sample(range(len(steps) + 1), k=min(NESTED_STEPS, len(steps) + 1))):
            player = Player(steps, found)
            while player.done < count:
                player.step()
            for inner in after(player, rng, **self._limits):
                key = hash((state.steps, inner.is_kill, tuple(inner.fs.files().items())))
                if key in seen:
                    self.same += 1
                    continue
                seen.add(key)
                self.states += 1
                self.nested += 1
                crashed = State(inner.fs, state.steps, state.choices if inner.is_kill else inner.choices)
                yield from self._try(f"{name}/{inner.name}", judge, crashed, inner.fs)


def replay(name: str) -> None:
    """Check one state by its name. Raises what it raised."""
    kind, seed, rest = name.split(":", 2)
    judge = KINDS[kind](int(seed))
    outer, _, inner_name = rest.partition("/")
    state = named(judge.steps, outer)
    if inner_name:
        found = state.fs
        recording = RecordingFs(found)
        judge.check(state, recording)
        inner = named(recording.steps, inner_name, found)
        state = State(inner.fs, state.steps, state.choices if inner.is_kill else inner.choices)
    judge.check(state)
