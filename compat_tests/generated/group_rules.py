"""Rules for what groups keep: committed offsets."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from compat_tests.generated import choices
from compat_tests.generated.member_rules import MemberRules
from compat_tests.generated.pair import Side
from kafkacompat.protocol.messages import delete_groups as delete_groups_api
from kafkacompat.protocol.messages import describe_groups, offset_commit, offset_delete, offset_fetch
from kafkacompat.protocol.messages import list_groups as list_groups_api

BY_ID_SINCE, GROUPS_SINCE, STABLE_SINCE, ALL_TOPICS_SINCE = 10, 8, 7, 2
OFFSET_METADATA_TOO_LARGE = 12
METADATA = st.sampled_from(("", "note", None, "x" * 4096, "x" * 4097))
commits = st.lists(
    st.tuples(choices.partition_numbers, st.integers(-2, 20), METADATA),
    min_size=1,
    max_size=3,
    unique_by=lambda c: c[0],
)


class GroupRules(MemberRules):
    """Offsets of groups, and groups as such."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.committed: set[tuple[int, int, int]] = set()
        self.refused: set[int] = set()
        """Groups for which a commit was refused for its metadata: Kafka has made them, see decisions.py."""

    @rule(
        group=choices.group_numbers, topic=choices.topic_numbers, commits=commits,
        who=st.sampled_from((None, None, 0, 1)), generation=st.sampled_from((0, 0, 0, 1, -1)),
        version=choices.versions(offset_commit),
    )  # fmt: skip
    def commit(
        self, group: int, topic: int, commits: list[tuple[int, int, str | None]], who: int | None, generation: int,
        version: int,
    ) -> None:  # fmt: skip
        """Commit as nobody or as a member, in the present generation or another one."""

        def request(side: Side) -> offset_commit.OffsetCommitRequest:
            parts = [offset_commit.OffsetCommitRequestPartition(p, at, -1, text) for p, at, text in commits]
            name, topic_id = self.named(side, topic, by_id=version >= BY_ID_SINCE)
            wanted = offset_commit.OffsetCommitRequestTopic(name, topic_id, parts)
            if who is None:
                return offset_commit.OffsetCommitRequest(self.group(group), topics=[wanted])
            number = self.generations.get(group, 0) + generation
            return offset_commit.OffsetCommitRequest(
                self.group(group), number, self.member(side, group, who), topics=[wanted]
            )

        answer = self.pair.ask("commit" + self._after([group]), offset_commit, version, request, ["partitions"])
        for part in answer["topics"][0]["partitions"]:
            if part["error_code"] == OFFSET_METADATA_TOO_LARGE:
                self.refused.add(group)
            if part["error_code"] == 0:
                self.committed.add((group, topic, part["partition_index"]))

    @rule(
        group=choices.group_numbers,
        topics=st.one_of(st.none(), st.lists(choices.topic_numbers, max_size=2, unique=True)),
        partitions=st.lists(choices.partition_numbers, max_size=3, unique=True), stable=st.booleans(),
        version=choices.versions(offset_fetch),
    )  # fmt: skip
    def committed_offsets(
        self, group: int, topics: list[int] | None, partitions: list[int], stable: bool, version: int
    ) -> None:
        """Ask for committed offsets, of all topics or of some."""
        wanted = None if version < ALL_TOPICS_SINCE and topics is None else topics
        if version < ALL_TOPICS_SINCE and wanted is None:
            wanted = [0]

        def of_group(side: Side) -> list[offset_fetch.OffsetFetchRequestTopics] | None:
            if wanted is None:
                return None
            by_id = version >= BY_ID_SINCE
            return [
                offset_fetch.OffsetFetchRequestTopics(*self._only(side, number, by_id=by_id), partitions)
                for number in wanted
            ]

        def request(side: Side) -> offset_fetch.OffsetFetchRequest:
            asked = stable and version >= STABLE_SINCE
            if version >= GROUPS_SINCE:
                one = offset_fetch.OffsetFetchRequestGroup(self.group(group), topics=of_group(side))
                return offset_fetch.OffsetFetchRequest(groups=[one], require_stable=asked)
            old = None if wanted is None else [
                offset_fetch.OffsetFetchRequestTopic(self.topic(number), partitions) for number in wanted
            ]  # fmt: skip
            return offset_fetch.OffsetFetchRequest(self.group(group), old, require_stable=asked)

        self.pair.ask("committed", offset_fetch, version, request, ["topics", "partitions"])

    def _only(self, side: Side, number: int, *, by_id: bool) -> tuple[str, bytes]:
        return self.named(side, number, by_id=True) if by_id else (self.topic(number), bytes(16))

    @rule(group=choices.group_numbers, topic=choices.topic_numbers,
          partitions=st.lists(choices.partition_numbers, min_size=1, max_size=2, unique=True))  # fmt: skip
    def forget_offsets(self, group: int, topic: int, partitions: list[int]) -> None:
        parts = [offset_delete.OffsetDeleteRequestPartition(number) for number in partitions]
        wanted = offset_delete.OffsetDeleteRequestTopic(self.topic(topic), parts)
        request = offset_delete.OffsetDeleteRequest(self.group(group), [wanted])
        self.pair.ask("forget offsets" + self._after([group]), offset_delete, 0, lambda _: request, ["partitions"])

    def _after(self, groups: list[int]) -> str:
        return " after a refused commit" if self.refused.intersection(groups) else ""

    def forget(self, topic: int) -> None:
        """The offsets of a topic that is gone go too, a moment later."""
        super().forget(topic)
        gone = sorted(place for place in self.committed if place[1] == topic)
        self.committed.difference_update(gone)
        for side in self.pair.sides:
            for group, _, partition in gone:
                side.wait(partial(self._has_none, side, group, topic, partition), "offsets to be gone")

    def _has_none(self, side: Side, group: int, topic: int, partition: int) -> bool:
        wanted = [offset_fetch.OffsetFetchRequestTopic(self.topic(topic), [partition])]
        request = offset_fetch.OffsetFetchRequest(self.group(group), wanted)
        answer = side.client.call(offset_fetch.API_KEY, STABLE_SINCE, request)
        return bool(answer.topics[0].partitions[0].committed_offset == -1)

    @rule(group=choices.group_numbers, version=choices.versions(describe_groups))
    def describe(self, group: int, version: int) -> None:
        request = describe_groups.DescribeGroupsRequest([self.group(group)])
        self.pair.ask("group", describe_groups, version, lambda _: request, ["members"])

    @rule(version=choices.versions(list_groups_api))
    def list_groups(self, version: int) -> None:
        """The groups of this sequence among all."""

        def answer(side: Side) -> Any:
            told = side.client.ask(list_groups_api, version, list_groups_api.ListGroupsRequest())
            own = [one for one in told["groups"] if one["group_id"].startswith(self.prefix)]
            return {**told, "groups": own}

        self.pair.compare("groups", answer, ["groups"], "list_groups")

    @rule(groups=st.lists(choices.group_numbers, min_size=1, max_size=2, unique=True),
          version=choices.versions(delete_groups_api))  # fmt: skip
    def delete_groups(self, groups: list[int], version: int) -> None:
        request = delete_groups_api.DeleteGroupsRequest([self.group(number) for number in groups])
        self.pair.ask("delete groups" + self._after(groups), delete_groups_api, version, lambda _: request, ["results"])
