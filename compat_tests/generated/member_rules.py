"""Rules for classic groups of up to two members that come, go, and come back."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from compat_tests.api import groups
from compat_tests.api.raw import RawClient
from compat_tests.generated import choices
from compat_tests.generated.base import Base
from compat_tests.generated.pair import Side
from kafkacompat.protocol.messages import delete_groups, heartbeat, join_group, leave_group, sync_group

REBALANCE_IN_PROGRESS, MEMBER_ID_REQUIRED = 27, 79
STATIC_SINCE, ID_REQUIRED_SINCE, SEVERAL_SINCE = 5, 4, 3
numbers = st.integers(0, 1)


class MemberRules(Base):
    """Groups in `choices.GROUPS` places, each with up to two members; the first to come is the leader."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.present: dict[int, list[int]] = {}
        self.static: set[tuple[int, int]] = set()
        self.generations: dict[int, int] = {}

    def member(self, side: Side, group: int, who: int) -> str:
        """The id that the broker gave a member last, or one that it never gave."""
        return side.client.id_called(side.members.get((group, who), "nobody"))

    def instance(self, group: int, who: int) -> str | None:
        return f"instance-{who}" if (group, who) in self.static else None

    @rule(group=choices.group_numbers, who=numbers, static=st.booleans(), version=choices.versions(join_group))
    def join(self, group: int, who: int, static: bool, version: int) -> None:
        """A member joins; the one that is there hears of it and joins again, and both get what is theirs."""
        present = self.present.setdefault(group, [])
        if who in present:
            return
        if static and version >= STATIC_SINCE:
            self.static.add((group, who))
        else:
            self.static.discard((group, who))
        if present:
            said = self._compare("join", lambda side: self._join_another(side, group, who, version))
        else:
            said = self._compare("join", lambda side: self._join(side, side.client, group, who, version))
        if said[-1]["error_code"] == 0:
            present.append(who)
            self._synced(group, said)

    @rule(group=choices.group_numbers, who=numbers, version=choices.versions(leave_group))
    def leave(self, group: int, who: int, version: int) -> None:
        """A member leaves, or one that is not there wants to; who stays hears of it and joins again."""

        def request(side: Side) -> leave_group.LeaveGroupRequest:
            member_id = self.member(side, group, who)
            if version < SEVERAL_SINCE:
                return leave_group.LeaveGroupRequest(self.group(group), member_id)
            gone = leave_group.MemberIdentity(member_id, self.instance(group, who))
            return leave_group.LeaveGroupRequest(self.group(group), members=[gone])

        self.pair.ask("leave", leave_group, version, request, ["members"])
        present = self.present.get(group, [])
        if who in present:
            present.remove(who)
            if present:
                said = self._compare("stay", lambda side: self._come_again(side, group, present[0]))
                self._synced(group, said)

    @rule(group=choices.group_numbers, who=numbers, version=choices.versions(join_group, STATIC_SINCE))
    def restart(self, group: int, who: int, version: int) -> None:
        """A static member comes back without its id, and gets its place and its assignment."""
        if who in self.present.get(group, []) and (group, who) in self.static:
            self._compare("restart", lambda side: self._join(side, side.client, group, who, version))
            self._compare("restarted", lambda side: [side.client.ask(sync_group, 5, self._sync(side, group, who))])

    @rule(group=choices.group_numbers, who=numbers, generation=st.sampled_from((0, 0, -1, 1)),
          version=choices.versions(heartbeat))  # fmt: skip
    def beat(self, group: int, who: int, generation: int, version: int) -> None:
        number = self.generations.get(group, 0) + generation
        self.pair.ask("heartbeat", heartbeat, version, lambda side: self._beat(side, group, who, number))

    def _compare(self, what: str, answer: Any) -> Any:
        return self.pair.compare(what, answer, ["members"], "join_group")

    def _beat(self, side: Side, group: int, who: int, generation: int) -> heartbeat.HeartbeatRequest:
        return heartbeat.HeartbeatRequest(self.group(group), generation, self.member(side, group, who))

    def _join(self, side: Side, client: RawClient, group: int, who: int, version: int) -> list[Any]:
        """Join, at once or with the id that the broker asks for; what it said each time."""
        instance = self.instance(group, who)
        said = [client.ask(join_group, version, groups.join_request(self.group(group), "", instance=instance))]
        side.members[group, who] = said[-1]["member_id"]
        if said[-1]["error_code"] == MEMBER_ID_REQUIRED:
            again = groups.join_request(self.group(group), self.member(side, group, who), instance=instance)
            said.append(client.ask(join_group, version, again))
        return said

    def _join_another(self, side: Side, group: int, who: int, version: int) -> list[Any]:
        said = []
        instance = self.instance(group, who)
        request = groups.join_request(self.group(group), "", instance=instance)
        with side.client.another() as newcomer:
            if version >= ID_REQUIRED_SINCE and instance is None:
                said.append(newcomer.ask(join_group, version, request))
                side.members[group, who] = said[-1]["member_id"]
                request = groups.join_request(self.group(group), self.member(side, group, who))
            newcomer.start(join_group, version, request)
            said += self._come_again(side, group, self.present[group][0])
            said.append(newcomer.finish(join_group, version))
        side.members[group, who] = said[-1]["member_id"]
        return said

    def _come_again(self, side: Side, group: int, who: int) -> list[Any]:
        """A member hears by its heartbeat that the group changes, and joins again."""
        beat = self._beat(side, group, who, self.generations[group])
        said = [side.client.ask_until(heartbeat, 4, beat, REBALANCE_IN_PROGRESS)]
        again = groups.join_request(
            self.group(group), self.member(side, group, who), instance=self.instance(group, who)
        )
        return [*said, side.client.ask(join_group, groups.JOIN_VERSION, again)]

    def _synced(self, group: int, said: list[Any]) -> None:
        """All members get their assignments, in the generation that the last answer named."""
        self.generations[group] = said[-1]["generation_id"]
        self._compare("sync", lambda side: self._sync_all(side, group))

    def _sync_all(self, side: Side, group: int) -> list[Any]:
        leader, *others = self.present[group]
        with ExitStack() as stack:
            followers = [stack.enter_context(side.client.another()) for _ in others]
            for follower, who in zip(followers, others, strict=True):
                follower.start(sync_group, groups.SYNC_VERSION, self._sync(side, group, who))
            said = [side.client.ask(sync_group, groups.SYNC_VERSION, self._sync(side, group, leader, *others))]
            return said + [follower.finish(sync_group, groups.SYNC_VERSION) for follower in followers]

    def _sync(self, side: Side, group: int, who: int, *others: int) -> sync_group.SyncGroupRequest:
        """The leader's request has everyone's assignment, the number of each as bytes; that of others is ignored."""
        shares = [
            sync_group.SyncGroupRequestAssignment(self.member(side, group, one), b"%d" % one) for one in (who, *others)
        ]
        return sync_group.SyncGroupRequest(
            self.group(group), self.generations[group], self.member(side, group, who), self.instance(group, who),
            groups.PROTOCOL_TYPE, "range", shares,
        )  # fmt: skip

    def leave_all(self, side: Side) -> None:
        """Leave and delete the groups."""
        super().leave_all(side)
        for group, present in self.present.items():
            gone = [leave_group.MemberIdentity(self.member(side, group, who)) for who in present]
            request = leave_group.LeaveGroupRequest(self.group(group), members=gone)
            side.client.call(leave_group.API_KEY, 5, request)
        names = [self.group(number) for number in range(choices.GROUPS)]
        side.client.call(delete_groups.API_KEY, 2, delete_groups.DeleteGroupsRequest(names))
