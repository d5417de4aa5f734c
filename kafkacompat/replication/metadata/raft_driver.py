"""Runs this node's replica of the metadata quorum: events go in, and its effects are carried out (Kafka's
KafkaRaftClientDriver).
"""

import logging
from typing import Protocol

from kafkacompat.replication.raft.follower import LostCommittedError
from kafkacompat.replication.raft.messages import Reply, Send
from kafkacompat.storage.errors import DiskFullError, LogError
from kafkacompat.storage.reserve import is_out_of_space

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

_log = logging.getLogger(__name__)

ROOM_LINE_INTERVAL_MS = 60_000
"""How often the log says that there is no room on the disk: without it each event fails anew, fifty times a second."""


class RaftListener(Protocol):
    """What the driver tells of its replica (Kafka's RaftClient.Listener)."""

    def advance(self, now: "Now") -> bool:
        """Take in what an event has changed in the replica: commits, leadership. Whether there was anything."""

    def settled(self, now: "Now") -> None:
        """Nothing more comes of an event; deadlines may have moved."""

    def failed(self, error: Exception, now: "Now") -> None:
        """The metadata log cannot be used any more: the node takes no part."""


class RaftDriver:
    """Carries out the effects of `client`, this node's replica; its log is `log`.

    endpoints: of this node's controller listeners: (name, host, port). listener: set once, before the first event.
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
        self._is_settling = False
        self._tells_of_room_ms = 0  # when the log may say again that there is none

    # --- what is known ---

    @property
    def voters(self) -> "tuple[Voter, ...]":
        """The newest voter set, committed or not."""
        return self.client.log.voters or self._static

    @property
    def is_voter(self) -> bool:
        """Whether this node votes."""
        return self.client.is_voter

    @property
    def leader_id(self) -> int:
        """The leader, −1 if it is not known."""
        return self.client.leader_id

    @property
    def leader_epoch(self) -> int:
        """The newest epoch that this node has heard of."""
        return self.client.epoch

    @property
    def high_watermark(self) -> int:
        """Records below it are committed."""
        return self.client.high_watermark

    def address_of(self, node_id: int) -> "Host | None":
        """Host and port of a voter, of the leader, or of a bootstrap server (a negative id)."""
        known = self._addresses.get(node_id)
        if known is None:
            known = next((voter.address for voter in self.voters if voter.id == node_id), None)
        return known

    def take_address(self, node_id: int, host: str, port: int) -> None:
        """A message has the leader's address, which is kept while that node leads. The voter set has all others."""
        for known_id in [known_id for known_id in self._addresses if known_id >= 0]:
            del self._addresses[known_id]
        self._addresses[node_id] = (host, port)

    # --- events ---

    def attach(self, send: "Callable[[int, int, object], None]", now: "Now") -> None:
        """From now on `send(node_id, token, message)` carries the requests of this replica."""
        self._send = send
        unsent, self._unsent = self._unsent, []
        for effect in unsent:
            send(effect.node_id, effect.token, effect.message)
        self.settle(now)

    def requested(self, message: object, reply: "Answered", now: "Now") -> object:
        """A request of another replica; `reply(answer, now)` is called once, at once or later. Returns what `forgotten`
        takes.
        """
        self._next_request += 1
        token = self._next_request
        self._replies[token] = reply
        self._event(now, self.client.requested, token, message, now)
        return token

    def forgotten(self, token: object) -> None:
        """The connection that waits for the answer of `requested` is closed."""
        self._replies.pop(token, None)
        self.client.forgotten(token)

    def answered(self, token: int, answer: "Answer", now: "Now") -> None:
        """The answer to what was sent under `token`."""
        self._event(now, self.client.answered, token, answer, now)

    def unanswered(self, token: int, now: "Now") -> None:
        """There will be no answer to what was sent under `token`."""
        self._event(now, self.client.failed, token, now)

    def died(self, node_id: int, now: "Now") -> None:
        """Evidence of death (§3.9) of a replica: its connection is closed, and a dial to it was refused."""
        self._event(now, self.client.died, node_id, now)

    def tick(self, now: "Now") -> None:
        """Time went by."""
        self._event(now, self.client.tick, now)

    def resign(self, now: "Now") -> None:
        """Before a clean stop: take no part any more, and if this node leads, say who should be next."""
        self._event(now, self.client.stop, now)

    def _event(self, now: "Now", call: "Callable[..., None]", *arguments: object) -> None:
        try:
            call(*arguments)
        except (LogError, OSError, LostCommittedError) as error:
            if isinstance(error, DiskFullError) or is_out_of_space(error):
                self.report_no_room("the metadata quorum waits for room on the disk", error, now)
                self.client.wait_for_room(now)
            else:
                self.listener.failed(error, now)
        self.settle(now)

    def report_no_room(self, line: str, error: Exception, now: "Now") -> None:
        """Something waits, or is refused, because the disk is full: say so in the log, once in a while."""
        if now.monotonic_ms >= self._tells_of_room_ms:
            self._tells_of_room_ms = now.monotonic_ms + ROOM_LINE_INTERVAL_MS
            _log.error("%s: %s", line, error)

    def settle(self, now: "Now") -> None:
        """Carry out effects and take in what is committed, until nothing more comes of it."""
        if self._is_settling:
            return  # the call that is under way goes on
        self._is_settling = True
        try:
            while self._carry_out(now) or self.listener.advance(now):
                pass
        finally:
            self._is_settling = False
        self.listener.settled(now)

    def _carry_out(self, now: "Now") -> bool:
        try:
            effects = self.client.take_effects()
        except OSError as error:  # nothing is said then, nor is it tried again before something else happens
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
