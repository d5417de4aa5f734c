"""The interpreter of tests/scenarios/raft_*.txt (see tests/transcripts.py): the replicas of one quorum.

Replicas read as their ids. Syncs are done at once, and a message arrives when the scenario delivers it:

    voters 1 2 3              the voter set, in the configuration; with `in log` in the log (KIP-853)
    start 1 log=1123          a process starts, with one record of each of these epochs in its log
    elect 1 2 3               they start and elect the first; only the end is shown
    deliver                   messages go back and forth until there are none; each is shown
    deliver until 1 leads     the same, as far as that
    wait 3s                   time passes, messages arrive at once; only what becomes of it is shown, and each line once
    candidate 2 asks 3 epoch=1 log=112     a vote is asked for by a replica that is not on the stage
    cut 1 | 2 3, heal         messages between the groups are lost, and their senders know; no longer so
    crash 1, restart 1        the process ends; it starts again with what it had on disk
    died 1                    the other replicas see that nothing listens at 1 any more
    resign 1                  the leader hands over
    append 1 2                the leader appends two records
    add 4, remove 2           the leader is asked to change the voters
    logs                      each log as its records' epochs, committed ones before the bar
    ends 1=7 2=3 3=5          which records a majority of such logs holds: a bar for each of them
"""

from __future__ import annotations

import random
from collections import deque
from typing import Any

from kafkacompat.now import Now
from kafkacompat.protocol.error_codes import NONE
from kafkacompat.replication.raft.client import RaftClient
from kafkacompat.replication.raft.epoch_state import STOPPED
from kafkacompat.replication.raft.leader_state import majority_end
from kafkacompat.replication.raft.messages import (
    Answer,
    BeginEpoch,
    EndEpoch,
    Fetch,
    FetchAnswer,
    Reply,
    Send,
    Vote,
    VoteAnswer,
)
from kafkacompat.replication.raft.quorum_state import QuorumState
from kafkacompat.replication.raft.voters import Voter, VoterChangeError
from tests.sim.disk import Disk, Watcher
from tests.transcripts import ERROR_NAMES, duration_ms

MAX_MESSAGES = 500
"""So many messages one command may deliver: more is a conversation without end."""


def directory_id(node_id: int) -> bytes:
    return bytes([node_id]) * 16


class Node:
    """One replica: its disk, and its process if it runs."""

    def __init__(self, node_id: int, first_voters: tuple[Voter, ...] | None) -> None:
        self.id = node_id
        self.disk = Disk(Watcher(), lambda _: None, first_voters)
        self.client: RaftClient | None = None
        self.incarnation = 0
        self.shown: tuple[Any, ...] = ()


class Stage:
    """One scenario under way."""

    def __init__(self) -> None:
        self.now_ms = 0
        self.voters: tuple[int, ...] = ()
        self.is_in_log = False
        self.nodes: dict[int, Node] = {}
        self.sides: list[set[int]] = []
        self.in_flight: deque[tuple[Any, ...]] = deque()
        self.lines: list[str] = []
        self.shows_messages = False

    def play(self, line: str) -> list[str]:
        self.lines = []
        verb, *words = line.split()
        getattr(self, f"do_{verb}")(words)
        return self.lines

    @property
    def now(self) -> Now:
        return Now(self.now_ms, self.now_ms)

    # --- commands ---

    def do_voters(self, words: list[str]) -> None:
        self.is_in_log = words[-2:] == ["in", "log"]
        self.voters = tuple(int(word) for word in words if word.isdigit())

    def do_start(self, words: list[str]) -> None:
        epochs = next((word.removeprefix("log=") for word in words if word.startswith("log=")), "")
        for node_id in (int(word) for word in words if word.isdigit()):
            first = tuple(Voter(voter_id, directory_id(voter_id)) for voter_id in self.voters)
            node = self.nodes[node_id] = Node(node_id, first if self.is_in_log else None)
            for epoch in epochs:
                node.disk.log._append((int(epoch), "record"))
            node.disk.log.synced(node.disk.log.begin_sync())
            self._start(node)

    def do_elect(self, words: list[str]) -> None:
        self.do_start(words)
        leader = self._node(words)
        self._deliver()
        for _ in range(MAX_MESSAGES):
            if leader.client is not None and leader.client.has_committed:
                break
            self._tick_at(min(node.client.deadline_ms for node in self._running() if node.client is not None))
        assert leader.client is not None
        assert leader.client.has_committed, f"{leader.id} does not lead"
        self.lines = [f"{leader.id} leads epoch {leader.client.epoch}"]

    def do_candidate(self, words: list[str]) -> None:
        (epochs,) = (word.removeprefix("log=") for word in words if word.startswith("log="))
        (epoch,) = (int(word.removeprefix("epoch=")) for word in words if word.startswith("epoch="))
        candidate_id, node = int(words[0]), self.nodes[int(words[2])]
        last_epoch = int(epochs[-1]) if epochs else 0
        vote = Vote(epoch, candidate_id, directory_id(candidate_id), last_epoch, len(epochs), pre_vote=False)
        self._event(node, "requested", (candidate_id, 0, 0, vote), vote, self.now)
        answers = [entry[5] for entry in self.in_flight if entry[:2] == ("answer", candidate_id)]
        self.in_flight = deque(entry for entry in self.in_flight if entry[:2] != ("answer", candidate_id))
        self.lines += [f"{node.id} -> {candidate_id}: {answer_text(vote, answer)}" for answer in answers]

    def do_restart(self, words: list[str]) -> None:
        self._start(self._node(words))

    def do_crash(self, words: list[str]) -> None:
        node = self._node(words)
        node.client = None
        self._show(node)

    def do_died(self, words: list[str]) -> None:
        for node in self._running():
            if node.id != int(words[0]):
                self._event(node, "died", int(words[0]), self.now)

    def do_resign(self, words: list[str]) -> None:
        self._event(self._node(words), "resign", self.now)

    def do_stop(self, words: list[str]) -> None:
        self._event(self._node(words), "stop", self.now)

    def do_append(self, words: list[str]) -> None:
        self._event(self._node(words), "append", ["record"] * int(words[1]), self.now)

    def do_add(self, words: list[str]) -> None:
        new = Voter(int(words[0]), directory_id(int(words[0])))
        self._change_voters(lambda leader: leader.voter_changes.with_voter(new, self.now))

    def do_remove(self, words: list[str]) -> None:
        key = (int(words[0]), directory_id(int(words[0])))
        self._change_voters(lambda leader: leader.voter_changes.without_voter(key))

    def do_cut(self, words: list[str]) -> None:
        self.sides = [{int(word) for word in side.split()} for side in " ".join(words).split("|")]

    def do_heal(self, _words: list[str]) -> None:
        self.sides = []

    def do_deliver(self, words: list[str]) -> None:
        self.shows_messages = True
        self._deliver(self.nodes[int(words[1])] if words else None)
        self.shows_messages = False

    def do_wait(self, words: list[str]) -> None:
        end_ms = self.now_ms + duration_ms(words[0])
        self._deliver()
        while (due_ms := min((node.client.deadline_ms for node in self._running()), default=end_ms + 1)) <= end_ms:  # type: ignore[union-attr]
            self._tick_at(due_ms)
        self.now_ms = end_ms
        once = list(dict.fromkeys(self.lines))
        if len(once) < len(self.lines):
            once.append(f"(and so on, {len(self.lines) - len(once)} lines more)")
        self.lines = once

    def _tick_at(self, due_ms: int) -> None:
        self.now_ms = max(self.now_ms, due_ms)
        for node in self._running():
            if node.client is not None and node.client.deadline_ms <= self.now_ms:
                self._event(node, "tick", self.now)
        self._deliver()

    def do_logs(self, _words: list[str]) -> None:
        for node in self.nodes.values():
            epochs = "".join(str(epoch) for epoch, _ in node.disk.log.entries)
            committed = 0 if node.client is None else node.client.high_watermark
            self.lines.append(f"{node.id}  {epochs[:committed]}|{epochs[committed:]}")

    def do_ends(self, words: list[str]) -> None:
        ends = {name: int(end) for name, end in (word.split("=") for word in words)}
        committed = majority_end(ends.values())
        for name, end in ends.items():
            bar = "x" * min(end, committed) + "-" * (end - committed)
            self.lines.append(f"{name}  {bar:{max(ends.values())}}  {end}")
        self.lines.append(f"a majority holds all below {committed}")

    # --- replicas ---

    def _node(self, words: list[str]) -> Node:
        return self.nodes[int(words[0])]

    def _running(self) -> list[Node]:
        return [node for node in self.nodes.values() if node.client is not None]

    def _start(self, node: Node) -> None:
        node.incarnation += 1
        log = node.disk.open()
        configured = {} if self.is_in_log else {voter_id: directory_id(voter_id) for voter_id in self.voters}
        others = [-2 - voter_id for voter_id in self.voters if voter_id != node.id] if self.is_in_log else []
        quorum = QuorumState(
            node.id, directory_id(node.id), configured, log, node.disk.stored, node.disk.store,
            random.Random(node.id), bootstrap_ids=others,
        )  # fmt: skip
        node.client = RaftClient(quorum, self.now)
        self._show(node)
        self._carry_out(node)

    def _event(self, node: Node, name: str, *arguments: object) -> None:
        assert node.client is not None
        getattr(node.client, name)(*arguments)
        self._show(node)
        self._carry_out(node)

    def _change_voters(self, decide: Any) -> None:
        leader = next(node for node in self._running() if node.client is not None and node.client.is_leader)
        assert leader.client is not None
        try:
            voters = decide(leader.client)
        except VoterChangeError as error:
            self.lines.append(f"refused: {error}")
            return
        self._event(leader, "append_voters", voters, self.now)

    def _carry_out(self, node: Node) -> None:
        client = node.client
        while client is not None and (effects := client.take_effects()):
            for effect in effects:
                if isinstance(effect, Send):
                    to_id = -2 - effect.node_id if effect.node_id < 0 else effect.node_id
                    self.in_flight.append(("request", node.id, node.incarnation, to_id, effect.token, effect.message))
                elif isinstance(effect, Reply):
                    sender_id, incarnation, token, message = effect.token  # type: ignore[misc]
                    self.in_flight.append(
                        ("answer", sender_id, incarnation, node.id, token, effect.answer, message)
                    )  # fmt: skip
                else:
                    node.disk.log.synced(node.disk.log.begin_sync())
                    client.flushed(self.now)
                    self._show(node)

    # --- messages ---

    def _deliver(self, until_leads: Node | None = None) -> None:
        for _ in range(MAX_MESSAGES):
            leads = until_leads is not None and until_leads.client is not None and until_leads.client.is_leader
            if leads or not self.in_flight:
                return
            kind, sender_id, incarnation, to_id, token, message, *asked = self.in_flight.popleft()
            sender, to = self.nodes.get(sender_id), self.nodes.get(to_id)
            if sender is None or sender.client is None or sender.incarnation != incarnation:
                continue
            is_lost = to is None or to.client is None or self._is_cut(sender_id, to_id)
            if kind == "answer" and not is_lost:
                self._say(f"{to_id} -> {sender_id}: {answer_text(asked[0], message)}")
                self._event(sender, "answered", token, message, self.now)
            elif is_lost:
                self._say(f"{sender_id} -> {to_id}: {request_text(message if not asked else asked[0])} (lost)")
                self._event(sender, "failed", token, self.now)
            else:
                assert to is not None
                self._say(f"{sender_id} -> {to_id}: {request_text(message)}")
                self._event(to, "requested", (sender_id, incarnation, token, message), message, self.now)
        raise AssertionError("a conversation without end")

    def _is_cut(self, one_id: int, other_id: int) -> bool:
        side = next((side for side in self.sides if one_id in side), None)
        return side is not None and other_id not in side

    # --- what is shown ---

    def _say(self, line: str) -> None:
        if self.shows_messages:
            self.lines.append(line)

    def _show(self, node: Node) -> None:
        """The changes of a replica's state."""
        client = node.client
        if client is None:
            self.lines.append(f"{node.id} is down")
            node.shown = ()
            return
        role = (client.state, client.epoch, client.leader_id)
        shown = (role, client.high_watermark, tuple(client.voters))
        before, node.shown = node.shown, shown
        if before and before[2] != shown[2]:
            self.lines.append(f"{node.id} has voters {' '.join(map(str, client.voters))}")
        if before and before[1] != client.high_watermark:
            self.lines.append(f"{node.id} has high watermark {client.high_watermark}")
        if not before or before[0] != role:
            of_leader = f" of {client.leader_id}" if client.leader_id not in (-1, node.id) else ""
            epoch = "" if client.state == STOPPED else f", epoch {client.epoch}"
            self.lines.append(f"{node.id} is {client.state}{of_leader}{epoch}")


def request_text(message: object) -> str:
    if isinstance(message, Vote):
        kind = "pre-vote" if message.pre_vote else "vote"
        return f"{kind} in epoch {message.epoch}? (log end {message.last_offset}, epoch {message.last_epoch})"
    if isinstance(message, BeginEpoch):
        return f"epoch {message.epoch} begins"
    if isinstance(message, EndEpoch):
        return f"epoch {message.epoch} ends, successors {' '.join(str(key[0]) for key in message.successors)}"
    assert isinstance(message, Fetch)
    return f"fetch from {message.offset} (epoch {message.last_epoch})"


def answer_text(asked: object, answer: Answer) -> str:
    if answer.error_code != NONE:
        leader = f", {answer.leader_id} leads epoch {answer.epoch}" if answer.leader_id >= 0 else ""
        return f"{ERROR_NAMES[answer.error_code]}{leader}"
    if isinstance(answer, VoteAnswer):
        return "granted" if answer.granted else "refused"
    if isinstance(answer, FetchAnswer):
        if answer.diverging is not None:
            return f"diverges: epoch {answer.diverging[0]} ends at {answer.diverging[1]}"
        epochs = "".join(str(epoch) for epoch, _ in answer.records[1]) if answer.records else ""
        committed = "" if answer.high_watermark < 0 else f", high watermark {answer.high_watermark}"
        return (f"records of epochs {epochs}" if epochs else "nothing new") + committed
    return "noted"
