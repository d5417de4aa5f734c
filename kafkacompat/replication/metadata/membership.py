"""A node's member of the quorum in its surroundings: events go in, and what it wants is carried out."""

import logging

from kafkacompat.replication.raft.divergence import LostCommittedError
from kafkacompat.replication.raft.messages import Reply, Send
from kafkacompat.storage.errors import DiskFullError, LogError
from kafkacompat.storage.reserve import is_out_of_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kafkacompat.now import Now
    from kafkacompat.replication.raft.client import RaftClient
    from kafkacompat.replication.raft.log import Replay
    from kafkacompat.replication.raft.messages import Answer
    from kafkacompat.replication.raft.voters import Host, Voter
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.log import Log

    Answered = Callable[[Answer, Now], None]

_log = logging.getLogger(__name__)

ROOM_LINE_INTERVAL_MS = 60_000
"""How often the log says that there is no room on the disk: without it each event fails anew, fifty times a second."""


class Membership:
    """Carries out what a member says and wants synced; `_advance` is called after each event.

    endpoints: of this node's controller listeners: (name, host, port).
    on_settled: called as (now) after each event, when `deadline_ms` may have moved.
    failure: why this node takes no part any more: the disk failed under its metadata log, or the log is damaged.
    """

    def __init__(
        self,
        member: "RaftClient",
        log: "Log",
        replay: "Replay",
        flusher: "Flusher | None",
        endpoints: "Sequence[tuple[str, str, int]]",
        bootstrap: "Sequence[Host]",
        static: "Sequence[Voter]",
    ) -> None:
        self.member = member
        self.log = log
        self.endpoints = tuple(endpoints)
        self.on_settled: Callable[[Now], None] = lambda _now: None
        self.failure: str | None = None
        self._replay = replay
        self._static = tuple(static)
        self._flusher = flusher
        self._send: Callable[[int, int, object], None] | None = None
        self._unsent: list[Send] = []
        self._replies: dict[object, Answered] = {}
        self._next_request = 0
        self._addresses: dict[int, Host] = dict(zip(member.quorum.bootstrap_ids, bootstrap, strict=True))
        self._is_settling = False
        self._tells_of_room_ms = 0  # when the log may say again that there is none

    # --- what is known ---

    @property
    def voters(self) -> "tuple[Voter, ...]":
        """The newest voter set, committed or not."""
        return self.member.log.voters or self._static

    @property
    def is_voter(self) -> bool:
        """Whether this node votes."""
        return self.member.is_voter

    @property
    def leader_id(self) -> int:
        """Who leads, −1 if that is not known."""
        return self.member.leader_id

    @property
    def leader_epoch(self) -> int:
        """The newest epoch that this node has heard of."""
        return self.member.epoch

    @property
    def high_watermark(self) -> int:
        """Records below it are committed."""
        return self.member.high_watermark

    def address_of(self, node_id: int) -> "Host | None":
        """Where a voter, the leader, or a place to begin from (a negative id) is reached: host and port."""
        known = self._addresses.get(node_id)
        if known is None:
            known = next((voter.address for voter in self.voters if voter.id == node_id), None)
        return known

    def heard_address(self, node_id: int, host: str, port: int) -> None:
        """Somebody says where the leader is reached. It is of use as long as it leads; the voter set has the others."""
        for known_id in [known_id for known_id in self._addresses if known_id >= 0]:
            del self._addresses[known_id]
        self._addresses[node_id] = (host, port)

    # --- events ---

    def attach(self, send: "Callable[[int, int, object], None]", now: "Now") -> None:
        """From now on `send(node_id, token, message)` carries what this member has to say."""
        self._send = send
        unsent, self._unsent = self._unsent, []
        for effect in unsent:
            send(effect.node_id, effect.token, effect.message)
        self._settle(now)

    def requested(self, message: object, reply: "Answered", now: "Now") -> object:
        """A member says something; `reply(answer, now)` is called once, at once or later. Returns what `forgotten`
        takes.
        """
        self._next_request += 1
        token = self._next_request
        self._replies[token] = reply
        self._event(now, self.member.requested, token, message, now)
        return token

    def forgotten(self, token: object) -> None:
        """Whoever waits for the answer of `requested` has gone."""
        self._replies.pop(token, None)
        self.member.forgotten(token)

    def answered(self, token: int, answer: "Answer", now: "Now") -> None:
        """The answer to what was sent under `token`."""
        self._event(now, self.member.answered, token, answer, now)

    def unanswered(self, token: int, now: "Now") -> None:
        """There will be no answer to what was sent under `token`."""
        self._event(now, self.member.failed, token, now)

    def died(self, node_id: int, now: "Now") -> None:
        """Evidence of death (§3.9) of a member: its connection is closed, and a dial to it was refused."""
        self._event(now, self.member.died, node_id, now)

    def resign(self, now: "Now") -> None:
        """Before a clean stop: take no part any more, and if this node leads, say who should be next."""
        self._event(now, self.member.stop, now)

    def _event(self, now: "Now", call: "Callable[..., None]", *arguments: object) -> None:
        try:
            call(*arguments)
        except (LogError, OSError, LostCommittedError) as error:
            if isinstance(error, DiskFullError) or is_out_of_space(error):
                self._lacks_room("the metadata quorum waits for room on the disk", error, now)
                self.member.wait_for_room(now)
            else:
                self._fail(error, now)
        self._settle(now)

    def _lacks_room(self, line: str, error: Exception, now: "Now") -> None:
        """Something waits, or is refused, for want of room on the disk."""
        if now.monotonic_ms >= self._tells_of_room_ms:
            self._tells_of_room_ms = now.monotonic_ms + ROOM_LINE_INTERVAL_MS
            _log.error("%s: %s", line, error)

    def _settle(self, now: "Now") -> None:
        """Carry out what the member wants and take in what is committed, until nothing more comes of it."""
        if self._is_settling:
            return  # whoever is at it goes on
        self._is_settling = True
        try:
            while self._carry_out(now) or self._advance(now):
                pass
        finally:
            self._is_settling = False
        self._settled(now)

    def _carry_out(self, now: "Now") -> bool:
        try:
            effects = self.member.take_effects()
        except OSError as error:  # nothing is said then, nor is it tried again before something else happens
            self._fail(error, now)
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
            self._flusher.request(self.log, self._on_flushed)
            return
        try:
            self.log.flush()
            self.member.flushed(now)
        except (LogError, OSError) as error:
            self._fail(error, now)

    def _on_flushed(self, now: "Now") -> None:
        if self.log.failure is not None:
            self._fail(self.log.failure, now)
        if not self.log.is_closed:
            self._event(now, self.member.flushed, now)

    # --- what follows from events ---

    def _advance(self, now: "Now") -> bool:
        """Take in what an event has changed in the member. Whether anything was."""
        raise NotImplementedError

    def _settled(self, now: "Now") -> None:
        """Nothing more comes of an event."""
        self.on_settled(now)

    def _fail(self, error: Exception, now: "Now") -> None:
        """Take no part any more."""
        raise NotImplementedError
