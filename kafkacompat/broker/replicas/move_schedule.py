"""When the moves between log directories are looked at: in the next turn of the loop, after a change, after a pause.

Moves that wait cost nothing until what they wait for has come.
"""

import heapq
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.replication.future_replica import FutureReplica
    from kafkacompat.replication.partition import Partition
    from kafkacompat.storage.log_directory import LogDirectory

PAUSE_MS = 50
"""How often moves are looked at whose partitions change all the time."""
ERROR_PAUSE_MS = 1_000
"""How long nothing is tried after an error."""
ROOM_PAUSE_MS = 1_000
"""How often is looked whether full disks have room again."""

MORE = "more"
"""It has more to do in the next turn."""
FIRST = "first"
"""As MORE, before all others."""
SOON = "soon"
"""Something that ends soon is waited for, or something has changed: it is looked at after PAUSE_MS at the latest."""
SETTLED = "settled"
"""It has nothing to do until its partition changes."""
QUEUED = "queued"
"""It waits until another one's work beside the loop has ended."""
THROTTLED = "throttled"
"""It waits until the moves may copy more."""
LACKS_ROOM = "lacks room"
"""It waits until the disk of its target has room."""
PAUSED = "paused"
"""After an error nothing is tried until ``until_ms``."""
BUSY = "busy"
"""Work on it, a read or a sync, runs beside the loop."""
ENDED = "ended"
"""It is over."""
IN_HAND = "in hand"
"""`take` has handed it out."""


class Move:
    """One replica on its way to another directory. ``future``: None until its log is open. ``answer``: the error code
    for the client that wants the move; None until its future replica has a folder, which a start would find.
    ``synced_start``: the log start with which it was made durable last. ``place``: see ``MoveSchedule``. ``until_ms``:
    when it is tried again after an error (monotonic); ``pause_ms``: how long after the next one. ``error``: the last
    one that was logged, and that nothing has ended yet.
    """

    __slots__ = (
        "answer", "error", "future", "is_promised", "partition", "pause_ms", "place", "synced_start", "target",
        "until_ms",
    )  # fmt: skip

    def __init__(self, partition: "Partition", target: "LogDirectory", answer: int | None = None) -> None:
        self.partition = partition
        self.target = target
        self.answer = answer
        self.future: FutureReplica | None = None
        self.is_promised = False
        self.synced_start: int | None = None
        self.place = MORE
        self.until_ms = 0
        self.pause_ms = ERROR_PAUSE_MS
        self.error = ""

    @property
    def name(self) -> str:
        return f"{self.partition.topic}-{self.partition.index}"

    @property
    def lacks_room(self) -> bool:
        """Whether it has to wait because the disk of its target is full. If its topic was deleted it has not."""
        is_there = self.target.offline is None and not self.partition.log.is_closed
        return self.target.disk.is_full and is_there


class MoveSchedule:
    """``put`` says where a move is, until ``take`` hands it out. Each move is in one place."""

    def __init__(self) -> None:
        self._next: deque[Move] = deque()
        self._queued: deque[Move] = deque()
        self._throttled: dict[Move, None] = {}
        self._lacking_room: dict[Move, None] = {}
        self._soon: dict[Move, None] = {}
        self._paused: list[tuple[int, int, Move]] = []  # a heap; those that are elsewhere by now are skipped
        self._sequence = 0
        self._look_at_ms = self._look_for_room_ms = 0
        self._is_throttled = False

    def put(self, move: Move, place: str) -> None:
        """The move is there from now on."""
        move.place = place
        if place == MORE:
            self._next.append(move)
        elif place == FIRST:
            self._next.appendleft(move)
        elif place == SOON:
            self._soon[move] = None
        elif place == QUEUED:
            self._queued.append(move)
        elif place == THROTTLED:
            self._throttled[move] = None
        elif place == LACKS_ROOM:
            self._lacking_room[move] = None
        elif place == PAUSED:
            self._sequence += 1
            heapq.heappush(self._paused, (move.until_ms, self._sequence, move))

    def wake(self, move: Move) -> bool:
        """What the move waits for has changed. Whether it is looked at earlier because of that."""
        if move.place not in (SETTLED, THROTTLED, LACKS_ROOM, PAUSED):
            return False
        self._throttled.pop(move, None)
        self._lacking_room.pop(move, None)
        self.put(move, SOON)
        return True

    def hurry(self, move: Move) -> None:
        """What a move that waits in SOON waits for has come: ``take`` hands it out next."""
        if self._soon.pop(move, self) is None:
            self.put(move, FIRST)

    def drop(self, move: Move) -> None:
        """The move is over: what waits without an end lets go of it."""
        self._throttled.pop(move, None)
        self._lacking_room.pop(move, None)
        if move.place in (SETTLED, THROTTLED, LACKS_ROOM, PAUSED):
            move.place = ENDED

    def bring(self, now_ms: int, free: int, is_throttled: "Callable[[], bool]") -> None:
        """Have ``take`` hand out those that are due. ``free``: so many may work beside the loop now."""
        for _ in range(min(len(self._queued), free)):
            self.put(self._queued.popleft(), FIRST)
        while self._paused and self._paused[0][0] <= now_ms:
            until_ms, _, move = heapq.heappop(self._paused)
            if move.place == PAUSED and move.until_ms == until_ms:
                self.put(move, MORE)
        if self._soon and now_ms >= self._look_at_ms:
            self._look_at_ms = now_ms + PAUSE_MS
            soon, self._soon = self._soon, {}
            for move in soon:
                self.put(move, MORE)
        if self._lacking_room and now_ms >= self._look_for_room_ms:
            self._look_for_room_ms = now_ms + ROOM_PAUSE_MS
            for move in [each for each in self._lacking_room if not each.lacks_room]:
                del self._lacking_room[move]
                self.put(move, MORE)
        if self._throttled and not self._next:
            self._is_throttled = is_throttled()
            if not self._is_throttled:
                move = next(iter(self._throttled))
                del self._throttled[move]
                self.put(move, MORE)

    def take(self) -> Move:
        """The next one that is due; ``put`` it back. There is one as long as ``len`` is not 0."""
        move = self._next.popleft()
        move.place = IN_HAND
        return move

    def __len__(self) -> int:
        """How many are due."""
        return len(self._next)

    def due_ms(self, now_ms: int, free: int) -> int | None:
        """When ``bring`` has something to do again (monotonic), as far as time tells."""
        if self._next or (self._queued and free > 0) or (self._throttled and not self._is_throttled):
            return now_ms
        while self._paused and self._paused[0][2].place != PAUSED:
            heapq.heappop(self._paused)
        due = [self._paused[0][0]] if self._paused else []
        if self._soon:
            due.append(self._look_at_ms)
        if self._throttled:
            due.append(now_ms + PAUSE_MS)
        if self._lacking_room:
            due.append(self._look_for_room_ms)
        return max(now_ms, min(due)) if due else None
