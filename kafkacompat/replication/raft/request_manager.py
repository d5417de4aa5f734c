"""The requests of a replica that await an answer, and its effects in their order (Kafka's RequestManager)."""

from kafkacompat.replication.raft.messages import Answer, Reply, Send, Sync

# The kinds of request. FIND_LEADER is a fetch from any voter, whose answer says who leads.
PRE_VOTE, VOTE, BEGIN_EPOCH, END_EPOCH = "pre-vote", "vote", "begin-epoch", "end-epoch"
FETCH, FIND_LEADER, FETCH_SNAPSHOT = "fetch", "find-leader", "fetch-snapshot"


class RequestManager:
    """Effects that the caller is to carry out, and pending requests by token: kind and node. All are of one epoch."""

    __slots__ = ("_effects", "_next_token", "_pending")

    def __init__(self) -> None:
        self._effects: list[object] = []
        self._pending: dict[int, tuple[str, int]] = {}
        self._next_token = 0

    def take_effects(self) -> list[object]:
        """Everything to do now, in this order."""
        taken, self._effects = self._effects, []
        return taken

    def sync(self) -> None:
        """Have the log made durable."""
        self._effects.append(Sync())

    def reply(self, token: object, answer: Answer) -> None:
        """Answer the request that came in under `token`."""
        self._effects.append(Reply(token, answer))

    def send(self, node_id: int, kind: str, message: object) -> None:
        """Send a request to a node, and await its answer."""
        self._next_token += 1
        self._pending[self._next_token] = (kind, node_id)
        self._effects.append(Send(node_id, self._next_token, message))

    def is_pending(self, kind: str, node_id: int | None = None) -> bool:
        """Whether a request of this kind awaits an answer, from this node or from any."""
        return any(pending == kind and node_id in (None, sent_to) for pending, sent_to in self._pending.values())

    def complete(self, token: int) -> tuple[str, int] | None:
        """Kind and node of a pending request, which is pending no more. Each token is good for one answer."""
        return self._pending.pop(token, None)

    def clear(self) -> None:
        """A new epoch: no answer to an older request counts any more."""
        self._pending.clear()

    def __len__(self) -> int:
        return len(self._pending)
