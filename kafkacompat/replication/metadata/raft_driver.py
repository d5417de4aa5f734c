"""Drives this node's replica of the metadata quorum: passes events to it and carries out its effects (Kafka's
KafkaRaftClientDriver).
"""

from typing import Protocol

from kafkacompat.replication.raft.follower import LostCommittedError
from kafkacompat.replication.raft.messages import Reply, Send
from kafkacompat.storage.errors import LogError, ShortageError
from kafkacompat.storage.reserve import is_shortage
from kafkacompat.storage.shortage import ShortageReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kafkacompat.now import Now
    from kafkacompat.replication.raft.client import RaftClient
    from kafkacompat.replication.raft.messages import Answer
    from kafkacompat.replication.raft.voters import Host, Voter
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.log import Log

    Answered = Callable[[Answer, Now], None]
_WAITS = "the metadata quorum waits for room or descriptors"


class RaftListener(Protocol):
    """Callbacks of the driver (Kafka's RaftClient.Listener)."""

    def advance(self, now: "Now") -> bool:
        """Handle newly committed records and changes of leadership. Returns whether there was any change."""

    def after_event(self, now: "Now") -> None:
        """An event has been processed completely; deadlines may have changed."""

    def failed(self, error: Exception, now: "Now") -> None:
        """The metadata log has failed: the node leaves the quorum."""


class RaftDriver:
    """Carries out the effects of `client`, this node's replica, whose log is `log`.

    endpoints: this node's controller listeners as (name, host, port). listener: set once, before the first event.
    """

    listener: RaftListener

    def __init__(
        self,
        client: "RaftClient",
        log: "Log",
        flusher: "Flusher | None",
        endpoints: "Sequence[tuple[str, str, int]]",
        bootstrap: "Sequence[Host]",
        static: "Sequence[Voter]",
    ) -> None:
        self.client = client
        self.log = log
        self.endpoints = tuple(endpoints)
        self._static = tuple(static)
        self._flusher = flusher
        self._send: Callable[[int, int, object], None] | None = None
        self._unsent: list[Send] = []
        self._replies: dict[object, Answered] = {}
        self._next_request = 0
        self._addresses: dict[int, Host] = dict(zip(client.quorum.bootstrap_ids, bootstrap, strict=True))
        self._is_processing = False
        self._shortage = ShortageReport()

    # --- what is known ---

    @property
    def voters(self) -> "tuple[Voter, ...]":
        """The newest voter set, committed or not."""
        return self.client.log.voters or self._static

    @property
    def is_voter(self) -> bool:
        """Whether this node is a voter."""
        return self.client.is_voter

    @property
    def leader_id(self) -> int:
        """The id of the leader; −1 if unknown."""
        return self.client.leader_id

    @property
    def leader_epoch(self) -> int:
        """The newest epoch that this node has seen."""
        return self.client.epoch

    @property
    def high_watermark(self) -> int:
        """Records below it are committed."""
        return self.client.high_watermark

    def address_of(self, node_id: int) -> "Host | None":
        """Host and port of a voter, the leader, or a bootstrap server (negative id); None if unknown."""
        known = self._addresses.get(node_id)
        if known is None:
            known = next((voter.address for voter in self.voters if voter.id == node_id), None)
        return known

    def learn_leader_address(self, node_id: int, host: str, port: int) -> None:
        """Remember the leader's address from a message while it leads. The voter set has the other addresses."""
        for known_id in [known_id for known_id in self._addresses if known_id >= 0]:
            del self._addresses[known_id]
        self._addresses[node_id] = (host, port)

    # --- events ---

    def attach(self, send: "Callable[[int, int, object], None]", now: "Now") -> None:
        """Send the replica's requests with `send(node_id, token, message)` from now on."""
        self._send = send
        unsent, self._unsent = self._unsent, []
        for effect in unsent:
            send(effect.node_id, effect.token, effect.message)
        self.process_effects(now)

    def requested(self, message: object, reply: "Answered", now: "Now") -> object:
        """Handle a request of another replica; `reply(answer, now)` is called once, now or later. Returns the token
        for `forgotten`.
        """
        self._next_request += 1
        token = self._next_request
        self._replies[token] = reply
        self._event(now, self.client.requested, token, message, now)
        return token

    def forgotten(self, token: object) -> None:
        """The connection that waits for the answer is closed: drop the request."""
        self._replies.pop(token, None)
        self.client.forgotten(token)

    def answered(self, token: int, answer: "Answer", now: "Now") -> None:
        """Handle the answer to the request `token`."""
        self._event(now, self.client.answered, token, answer, now)

    def unanswered(self, token: int, now: "Now") -> None:
        """The request `token` failed or timed out."""
        self._event(now, self.client.failed, token, now)

    def died(self, node_id: int, now: "Now") -> None:
        """Evidence of death (§3.9): the replica's connection closed, and its listener refused a new one."""
        self._event(now, self.client.died, node_id, now)

    def tick(self, now: "Now") -> None:
        """Handle expired time-outs."""
        self._event(now, self.client.tick, now)

    def resign(self, now: "Now") -> None:
        """Leave the quorum before a clean stop. A leader resigns and names its successors."""
        self._event(now, self.client.stop, now)

    def resign_leadership(self, now: "Now", first: int | None = None) -> None:
        """Resign if this replica leads, and stay a voter. `first`: the preferred successor."""
        self._event(now, self.client.resign, now, first)

    def _event(self, now: "Now", call: "Callable[..., None]", *arguments: object) -> None:
        try:
            call(*arguments)
        except (LogError, OSError, LostCommittedError) as error:
            if isinstance(error, ShortageError) or is_shortage(error):
                self.report_shortage(_WAITS, error, now)
                self.client.handle_shortage(now)
            else:
                self.listener.failed(error, now)
        self.process_effects(now)

    def report_shortage(self, line: str, error: Exception, now: "Now") -> None:
        """Log the effect of a want of room or descriptors, once a minute: each event may meet it, fifty a second."""
        self._shortage.write(line, error, now)

    def process_effects(self, now: "Now") -> None:
        """Carry out effects and handle commits until there are no more (Kafka's KafkaRaftClient.poll)."""
        if self._is_processing:
            return  # the outer call continues with them
        self._is_processing = True
        try:
            while self._carry_out(now) or self.listener.advance(now):
                pass
        finally:
            self._is_processing = False
        self.listener.after_event(now)

    def _carry_out(self, now: "Now") -> bool:
        try:
            effects = self.client.take_effects()
        except OSError as error:  # the vote was not stored: no message is sent, and the next event tries again
            if is_shortage(error):
                self.report_shortage(_WAITS, error, now)
            else:
                self.listener.failed(error, now)
            return False
        for effect in effects:
            if isinstance(effect, Send):
                if self._send is None:
                    self._unsent.append(effect)
                else:
                    self._send(effect.node_id, effect.token, effect.message)
            elif isinstance(effect, Reply):
                reply = self._replies.pop(effect.token, None)
                if reply is not None:
                    reply(effect.answer, now)
            else:
                self._sync(now)
        return bool(effects)

    def _sync(self, now: "Now") -> None:
        if self._flusher is not None:
            self._flusher.request(self.log, self.on_flushed)
            return
        try:
            self.log.flush()
            self.client.flushed(now)
        except (LogError, OSError) as error:
            self.listener.failed(error, now)

    def on_flushed(self, now: "Now") -> None:
        if self.log.failure is not None:
            self.listener.failed(self.log.failure, now)
        if not self.log.is_closed:
            self._event(now, self.client.flushed, now)
