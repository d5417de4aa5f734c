"""What a member has said and wants done: effects for its caller, and the questions that await an answer."""

from kafkacompat.replication.raft.peers import Answer, Reply, Send, Sync

# What was asked, by which an answer is known. FIND is a fetch from anyone, to hear who leads.
PRE_VOTE, VOTE, BEGIN, END, FETCH, FIND, LOAD = "pre-vote", "vote", "begin", "end", "fetch", "find", "load"


class Outbox:
    """Effects in their order, and each open question: what, and whom. All questions are of one epoch."""

    __slots__ = ("_asked", "_effects", "_next_token")

    def __init__(self) -> None:
        self._effects: list[object] = []
        self._asked: dict[int, tuple[str, int]] = {}
        self._next_token = 0

    def take_effects(self) -> list[object]:
        """What to do now, in this order."""
        taken, self._effects = self._effects, []
        return taken

    def sync(self) -> None:
        """Have the log made durable."""
        self._effects.append(Sync())

    def reply(self, token: object, answer: Answer) -> None:
        """Answer what came in under `token`."""
        self._effects.append(Reply(token, answer))

    def ask(self, node_id: int, what: str, message: object) -> None:
        """Say something to a member, and await its answer."""
        self._next_token += 1
        self._asked[self._next_token] = (what, node_id)
        self._effects.append(Send(node_id, self._next_token, message))

    def has_asked(self, what: str, node_id: int | None = None) -> bool:
        """Whether such a question is open."""
        return any(asked == what and node_id in (None, asked_id) for asked, asked_id in self._asked.values())

    def close(self, token: int) -> tuple[str, int] | None:
        """What was asked and whom, if it still counts. Each token is good for one answer."""
        return self._asked.pop(token, None)

    def forget_questions(self) -> None:
        """A new epoch: no old answer counts any more."""
        self._asked.clear()

    def __len__(self) -> int:
        return len(self._asked)
