"""The states in which a crash may leave a disk: what a process that is killed leaves, and what a power cut leaves.

A power cut keeps, of what was not synced: of each directory the first few changes; of each file any pages, the last
one perhaps torn at a sector; the old size, the new one, or one in between. Each state has a name: the number of steps
done and the choices made, from which it can be made again.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from kafkacompat.storage.memfs import PAGE_BYTES, SECTOR_BYTES, MemFs
from tests.crash.recording import Player

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.crash.recording import Step

ALL_UP_TO = 128
"""So many combinations are all tried: those of seven pages."""
SOME = 24
"""Of more, and of torn pages, so many."""


class State:
    """A disk. ``steps`` were done; ``is_kill`` says that all of them are there."""

    def __init__(self, fs: MemFs, steps: int, choices: str) -> None:
        self.fs = fs
        self.steps = steps
        self.choices = choices

    @property
    def is_kill(self) -> bool:
        return self.choices.startswith("k")

    @property
    def name(self) -> str:
        return f"{self.steps}:{self.choices}"


class Choices:
    """A MemFs asks it what survives. Takes the ``digits`` given, then what ``rng`` says, or without one always 0."""

    def __init__(self, digits: Sequence[int], rng: Random | None = None, *, tears: bool = False) -> None:
        self._digits = digits
        self._rng = rng
        self._tears = tears
        self.taken: list[int] = []
        self.radices: list[int] = []

    def _draw(self, radix: int) -> int:
        place = len(self.taken)
        if place < len(self._digits):
            digit = self._digits[place]
        else:
            digit = self._rng.randrange(radix) if self._rng is not None else 0
        self.taken.append(digit)
        self.radices.append(radix)
        return digit

    def changes(self, path: str, count: int) -> int:
        return self._draw(count + 1)

    def content(self, path: str, synced: bytes, current: bytes, dirty_pages: set[int]) -> bytes:
        pages = [
            page for page in sorted(dirty_pages)
            if _page(synced, page) != _page(current, page)
        ]  # fmt: skip
        has_new_size = len(current) != len(synced) and self._draw(2) == 1
        new = {page: self._draw(PAGE_BYTES // SECTOR_BYTES + 1 if self._tears else 2) for page in pages}
        kept = [page for page in pages if new[page]]
        size = len(current)
        if not has_new_size:
            size = max(len(synced), min(len(current), (kept[-1] + 1) * PAGE_BYTES if kept else 0))
        content = bytearray(synced[:size].ljust(size, b"\0"))
        for page in kept:
            start = page * PAGE_BYTES
            length = PAGE_BYTES if new[page] == 1 else (new[page] - 1) * SECTOR_BYTES
            part = current[start : start + length].ljust(length, b"\0")
            content[start : start + length] = part[: max(0, size - start)]
        return bytes(content)

    def following(self) -> list[int] | None:
        """The digits of the next combination, None behind the last."""
        for place in range(len(self.taken) - 1, -1, -1):
            if self.taken[place] + 1 < self.radices[place]:
                return [*self.taken[:place], self.taken[place] + 1]
        return None

    @property
    def name(self) -> str:
        return ("t" if self._tears else "p") + ".".join(map(str, self.taken))


def _page(data: bytes, page: int) -> bytes:
    return data[page * PAGE_BYTES : (page + 1) * PAGE_BYTES]


def after(player: Player, rng: Random, *, all_up_to: int = ALL_UP_TO, some: int = SOME) -> Iterator[State]:
    """The states of a crash after what ``player`` has done so far, or while it does the next step."""
    yield State(player.fs.copy(), player.done, "k")
    step = player.next
    if step is not None and step[0] == "write" and len(step[2]) > 1:  # type: ignore[arg-type]
        size = len(step[2])  # type: ignore[arg-type]
        for torn in sorted({1, size // 2, size - 1, rng.randrange(1, size)}):
            yield State(player.tear(torn), player.done, f"k{torn}")
    choices = Choices(())
    yield State(player.fs.copy(choices), player.done, choices.name)
    if not choices.radices:
        return  # all was synced: no chance left
    digits = choices.following()
    for _ in range(all_up_to):
        if digits is None:
            break
        choices = Choices(digits)
        yield State(player.fs.copy(choices), player.done, choices.name)
        digits = choices.following()
    for number in range(some if digits is None else 2 * some):
        choices = Choices((), rng, tears=digits is None or number % 2 == 0)
        yield State(player.fs.copy(choices), player.done, choices.name)


def named(steps: Sequence[Step], name: str, found: MemFs | None = None) -> State:
    """The state that had this name."""
    count, _, choices = name.partition(":")
    player = Player(steps, found)
    while player.done < int(count):
        player.step()
    if choices == "k":
        return State(player.fs.copy(), player.done, choices)
    if choices.startswith("k"):
        return State(player.tear(int(choices[1:])), player.done, choices)
    digits = [int(digit) for digit in choices[1:].split(".") if digit]
    return State(player.fs.copy(Choices(digits, tears=choices.startswith("t"))), player.done, choices)
