"""The pending requests of a replica, and its effects in order (Kafka's RequestManager)."""

from kafkacompat.replication.raft.messages import Answer, Reply, Send, Sync

# The kinds of request. FIND_LEADER is a fetch sent to any voter, whose answer names the leader.
PRE_VOTE, VOTE, BEGIN_EPOCH, END_EPOCH = "pre-vote", "vote", "begin-epoch", "end-epoch"
FETCH, FIND_LEADER, FETCH_SNAPSHOT = "fetch", "find-leader", "fetch-snapshot"


class RequestManager:
    """The effects for the caller, and the pending requests of the current epoch: token → (kind, node id)."""

    __slots__ = ("_effects", "_next_token", "_pending")

    def __init__(self) -> None:
        self._effects: list[object] = []
        self._pending: dict[int, tuple[str, int]] = {}
        self._next_token = 0

    def take_effects(self) -> list[object]:
        """Remove and return all effects, in order."""
        taken, self._effects = self._effects, []
        return taken

    def sync(self) -> None:
        """Ask for the log to be made durable."""
        self._effects.append(Sync())

    def reply(self, token: object, answer: Answer) -> None:
        """Answer the request that came in under `token`."""
        self._effects.append(Reply(token, answer))

    def send(self, node_id: int, kind: str, message: object) -> None:
        """Send a request to a node and expect its answer."""
        self._next_token += 1
        self._pending[self._next_token] = (kind, node_id)
        self._effects.append(Send(node_id, self._next_token, message))

    def is_pending(self, kind: str, node_id: int | None = None) -> bool:
        """Whether a request of this kind is pending, to this node or (None) to any."""
        return any(pending == kind and node_id in (None, sent_to) for pending, sent_to in self._pending.values())

    def complete(self, token: int) -> tuple[str, int] | None:
        """Remove a pending request; returns its kind and node id. None if it is not pending (any more)."""
        return self._pending.pop(token, None)

    def clear(self) -> None:
        """Drop all pending requests: a new epoch makes their answers void."""
        self._pending.clear()

    def __len__(self) -> int:
        return len(self._pending)
