"""The stage of the conversations in tests/scenarios/group_*.txt (see tests/transcripts.py).

Lines are `who: what`; answers are `who <- answer`, also those that come later, to a request that waited, and records
`log: …`. Member ids read as their client's name and a number.
"""

import re
import shlex

from kafkacompat.broker.coordinator.group.classic.classic_group import EMPTY, STABLE
from kafkacompat.broker.coordinator.group.records import decode_record
from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitKey
from kafkacompat.protocol.messages.offset_delete import OffsetDeleteRequestPartition, OffsetDeleteRequestTopic
from kafkacompat.protocol.messages.offset_fetch import OffsetFetchRequestTopics
from tests.broker.coordinator.world import Logged, TopicStandIn, World, protocols, subscription
from tests.transcripts import ERROR_NAMES, duration_ms


class Stage:
    """One scenario under way."""

    def __init__(self) -> None:
        self.world = World()
        self.aliases: dict[str, str] = {}  # member id -> alias
        self.members: dict[str, tuple[str, int]] = {}  # client -> its member id and generation
        self.senders: dict[object, str] = {}
        self.known: dict[str, TopicStandIn] = {}
        self.seen_replies = 0
        self.seen_records = 0

    def play(self, line: str) -> list[str]:
        who, _, what = line.partition(": ")
        words = shlex.split(what or who)
        verb, options = words[0], dict(word.split("=", 1) for word in words[1:] if "=" in word)
        rest = [word for word in words[1:] if "=" not in word]
        getattr(self, "do_" + verb.replace("-", "_"))(who, options, rest)
        return self._outcome()

    def _outcome(self) -> list[str]:
        self._meet_members()
        lines = ["log: " + self._logged(logged) for logged in self.world.log[self.seen_records :]]
        self.seen_records = len(self.world.log)
        replies = list(self.world.replies.items())
        for token, response in replies[self.seen_replies :]:
            lines.append(f"{self.senders[token]} <- {self._response(self.senders[token], response)}")
        self.seen_replies = len(replies)
        self._check()
        return lines

    def _meet_members(self) -> None:
        """Name the new members, also those whose join still waits."""
        for group in self.world.shard.groups.values():
            for member_id in (*group.members, *group.pending):
                self._alias(member_id)
            for member_id, token in group.joining.items():
                who = self.senders[token]
                if self.members.get(who, ("", 0))[0] != member_id:
                    self.members[who] = (member_id, -1)

    def _check(self) -> None:
        """What the log says is what a group at rest is."""
        replayed = self.world.replayed()
        assert pending_of(replayed) == pending_of(self.world.shard)
        assert replayed.groups.keys() == self.world.shard.groups.keys()
        for group_id, group in self.world.shard.groups.items():
            assert replayed.offsets.topics(group_id) == self.world.shard.offsets.topics(group_id)
            if group.state in (STABLE, EMPTY):
                assert summary(group) == summary(replayed.groups[group_id])

    def _token(self, who: str) -> int:
        token = self.world.token()
        self.senders[token] = who
        return token

    def _id(self, alias: str) -> str:
        return next((member_id for member_id, known in self.aliases.items() if known == alias), alias)

    def _alias(self, member_id: str) -> str:
        if not re.search(r"-[0-9a-f]{8}-", member_id):
            return member_id
        if member_id not in self.aliases:
            name = re.split(r"-[0-9a-f]{8}-", member_id)[0]
            number = 1 + sum(known.rstrip("0123456789") == name for known in self.aliases.values())
            self.aliases[member_id] = f"{name}{number}"
        return self.aliases[member_id]

    def _member(self, who: str, options: dict[str, str]) -> tuple[str, int]:
        member_id, generation = self.members.get(who, ("", -1))
        return self._id(options.get("id", member_id)), int(options.get("generation", generation))

    # What can happen.

    def do_settings(self, _who: str, options: dict[str, str], _rest: list[str]) -> None:
        values = {name: duration_ms(text) if name.endswith("_ms") else int(text) for name, text in options.items()}
        for name, value in values.items():
            setattr(self.world.settings, name, value)

    def do_wait(self, _who: str, _options: dict[str, str], rest: list[str]) -> None:
        self.world.advance(duration_ms(rest[0]))

    def do_restart(self, _who: str, _options: dict[str, str], _rest: list[str]) -> None:
        self.world.restart()

    def do_join(self, who: str, options: dict[str, str], _rest: list[str]) -> None:
        fields: dict[str, object] = {"group": options.get("group", "g"), "group_instance_id": options.get("instance")}
        if "protocols" in options:
            pairs = [word.split("/") for word in options["protocols"].split(",") if word]
            fields["protocols"] = protocols(*((name, subscription(topics)) for name, topics in pairs))
        if "type" in options:
            fields["protocol_type"] = options["type"]
        for option, field in (("session", "session_timeout_ms"), ("rebalance", "rebalance_timeout_ms")):
            if option in options:
                fields[field] = duration_ms(options[option])
        fields["member_id"] = self._id(options.get("id", ""))
        self.world.join(who, token=self._token(who), version=int(options.get("version", 9)), **fields)

    def do_rejoin(self, who: str, options: dict[str, str], rest: list[str]) -> None:
        self.do_join(who, {"id": self.members[who][0]} | options, rest)

    def do_sync(self, who: str, options: dict[str, str], rest: list[str]) -> None:
        member_id, generation = self._member(who, options)
        assignments = {self._id(alias): share.encode() for alias, _, share in (word.partition(":") for word in rest)}
        fields = {"protocol_type": options.get("type"), "protocol_name": options.get("protocol")}
        self.world.sync(
            member_id,
            generation,
            assignments,
            group=options.get("group", "g"),
            token=self._token(who),
            group_instance_id=options.get("instance"),
            **fields,
        )

    def do_heartbeat(self, who: str, options: dict[str, str], _rest: list[str]) -> None:
        member_id, generation = self._member(who, options)
        response = self.world.heartbeat(
            member_id, generation, group=options.get("group", "g"), instance=options.get("instance")
        )
        self._answered(who, response)

    def do_leave(self, who: str, options: dict[str, str], rest: list[str]) -> None:
        """Leaves itself, or sends away those named: `bob1`, or `instance:i2`, or `bob1/i2` for both."""
        members: list[tuple[str, str | None]] = []
        for word in rest or [self.members[who][0]]:
            if word.startswith("instance:"):
                members.append(("", word.removeprefix("instance:")))
            else:
                alias, _, instance = word.partition("/")
                members.append((self._id(alias), instance or None))
        self._answered(who, self.world.leave(*members, group=options.get("group", "g")))

    def do_commit(self, who: str, options: dict[str, str], rest: list[str]) -> None:
        member_id, generation = self._member(who, options)
        topic, _, place = rest[0].rpartition("-")
        index, _, offset = place.partition("@")
        response = self.world.commit(
            topic,
            {int(index): int(offset)},
            generation=generation,
            member_id=member_id,
            group=options.get("group", "g"),
            metadata=options.get("metadata", ""),
            instance=options.get("instance"),
            retention_ms=duration_ms(options["retention"]) if "retention" in options else -1,
            known=self.known.get(topic),
        )
        self._answered(who, response)

    def do_send(self, who: str, options: dict[str, str], rest: list[str]) -> None:
        """TxnOffsetCommit. A producer is called `p` and its producer id, for example `p7`."""
        topic, _, place = rest[0].rpartition("-")
        index, _, offset = place.partition("@")
        member_id, generation = self._member(options.get("of", who), options)
        response = self.world.commit_in_transaction(
            topic,
            {int(index): int(offset)},
            producer_id=int(who.removeprefix("p")),
            generation=generation,
            member_id=member_id,
            group=options.get("group", "g"),
            metadata=options.get("metadata", ""),
            instance=options.get("instance"),
        )
        self._answered(who, response)

    def do_commit_transaction(self, who: str, _options: dict[str, str], _rest: list[str]) -> None:
        self.world.end_transaction(int(who.removeprefix("p")), is_commit=True)

    def do_abort_transaction(self, who: str, _options: dict[str, str], _rest: list[str]) -> None:
        self.world.end_transaction(int(who.removeprefix("p")), is_commit=False)

    def do_recreate(self, _who: str, _options: dict[str, str], rest: list[str]) -> None:
        """The topic has a new id from now on."""
        self.known[rest[0]] = TopicStandIn(rest[0], topic_id=b"\x08" * 16)

    def do_delete_topic(self, _who: str, _options: dict[str, str], rest: list[str]) -> None:
        self.world.perform(self.world.shard.on_topics_deleted({rest[0]: b"\x07" * 16}, self.world.now))

    def do_fetch(self, who: str, options: dict[str, str], rest: list[str]) -> None:
        group_id = options.get("group", "g")
        topics = None
        if rest != ["all"]:
            topics = []
            for word in rest:
                topic, _, index = word.rpartition("-")
                known = self.known.get(topic)
                topic_id = known.topic_id if known else bytes(16)
                topics.append(OffsetFetchRequestTopics(topic, topic_id, [int(index)]))
        ids = {topic.name: topic.topic_id for topic in topics or ()}
        fetched = self.world.shard.fetch_offsets(
            group_id, topics, lambda name: ids.get(name, bytes(16)), newest=options.get("stable") == "yes"
        )
        self._answered(who, fetched)

    def do_delete_offset(self, who: str, options: dict[str, str], rest: list[str]) -> None:
        topic, _, index = rest[0].rpartition("-")
        asked = OffsetDeleteRequestTopic(topic, [OffsetDeleteRequestPartition(int(index))])
        result = self.world.shard.delete_offsets(options.get("group", "g"), [(asked, {})], self.world.now)
        self._answered(who, self.world.perform(result))

    def do_describe(self, who: str, options: dict[str, str], _rest: list[str]) -> None:
        self._answered(who, self.world.shard.describe_group(options.get("group", "g"), 0))

    def do_list(self, who: str, _options: dict[str, str], rest: list[str]) -> None:
        groups = self.world.shard.list_groups([state.lower() for state in rest])
        listed = [group for group in groups if group is not None]
        self._answered(who, listed)

    def do_delete(self, who: str, _options: dict[str, str], rest: list[str]) -> None:
        self._answered(who, self.world.perform(self.world.shard.delete_groups(rest or ["g"], None, self.world.now)))

    def _answered(self, who: str, response: object) -> None:
        self.world.replies.pop(None, None)
        self.world.replies[self._token(who)] = response

    # What is written down.

    def _logged(self, logged: Logged) -> str:
        if logged.is_commit is not None:
            return f"p{logged.producer_id} {'commits' if logged.is_commit else 'aborts'}"
        owner = "" if logged.producer_id == -1 else f"p{logged.producer_id}: "
        return owner + self._record(logged.key, logged.value)

    def _record(self, key: bytes, value: bytes | None) -> str:
        message_key, message = decode_record(key, value)
        if isinstance(message_key, OffsetCommitKey):
            place = f"{message_key.group} {message_key.topic}-{message_key.partition}"
            if message is None:
                return f"{place} gone"
            expiry = (
                ""
                if message.expire_timestamp == -1
                else f" until +{message.expire_timestamp - message.commit_timestamp}ms"
            )
            return f"{place} @{message.offset}" + (f" {message.metadata!r}" if message.metadata else "") + expiry
        if message is None:
            return f"{message_key.group} gone"
        if not message.members:
            return f"{message_key.group} generation {message.generation}, empty"
        members = " ".join(f"{self._alias(m.member_id)}:{m.assignment.decode()}" for m in message.members)
        leader = self._alias(message.leader)
        return f"{message_key.group} generation {message.generation}, {message.protocol}, leader {leader}, {members}"

    def _response(self, who: str, response: object) -> str:
        name = type(response).__name__
        if name in ("JoinGroupResponse", "SyncGroupResponse", "HeartbeatResponse") and response.error_code:
            if name == "JoinGroupResponse" and response.member_id:
                alias = self._alias(response.member_id)
                if ERROR_NAMES[response.error_code] == "MEMBER_ID_REQUIRED":
                    self.members[who] = (response.member_id, -1)
                return f"{ERROR_NAMES[response.error_code]} {alias}"
            return ERROR_NAMES[response.error_code]
        return getattr(self, "_show_" + name)(who, response)

    def _show_JoinGroupResponse(self, who: str, response: object) -> str:  # noqa: N802 (message names)
        self.members[who] = (response.member_id, response.generation_id)
        parts = [f"{self._alias(response.member_id)} in generation {response.generation_id}, {response.protocol_name}"]
        if response.members:
            ids = " ".join(
                self._alias(m.member_id) + (f"/{m.group_instance_id}" if m.group_instance_id else "")
                for m in response.members
            )
            parts.append(f"leads {ids}")
        else:
            parts.append(f"leader {self._alias(response.leader)}")
        if response.skip_assignment:
            parts.append("skip assignment")
        return ", ".join(parts)

    def _show_SyncGroupResponse(self, _who: str, response: object) -> str:  # noqa: N802
        return f"assigned {response.assignment.decode() or 'nothing'}"

    def _show_HeartbeatResponse(self, _who: str, _response: object) -> str:  # noqa: N802
        return "alive"

    def _show_LeaveGroupResponse(self, _who: str, response: object) -> str:  # noqa: N802
        return " ".join(
            f"{self._alias(m.member_id) or m.group_instance_id}:{ERROR_NAMES[m.error_code] if m.error_code else 'gone'}"
            for m in response.members
        )

    def _show_OffsetCommitResponse(self, _who: str, response: object) -> str:  # noqa: N802
        return " ".join(
            f"{topic.name}-{p.partition_index} {ERROR_NAMES[p.error_code] if p.error_code else 'committed'}"
            for topic in response.topics
            for p in topic.partitions
        )

    _show_TxnOffsetCommitResponse = _show_OffsetCommitResponse  # noqa: N815

    def _show_OffsetFetchResponseGroup(self, _who: str, response: object) -> str:  # noqa: N802
        shown = [
            f"{topic.name}-{p.partition_index}@{p.committed_offset}"
            + (f" {p.metadata!r}" if p.metadata else "")
            + (f" {ERROR_NAMES[p.error_code]}" if p.error_code else "")
            for topic in response.topics
            for p in topic.partitions
        ]
        return " ".join(shown) or "nothing"

    def _show_OffsetDeleteResponse(self, _who: str, response: object) -> str:  # noqa: N802
        if response.error_code:
            return ERROR_NAMES[response.error_code]
        return " ".join(
            f"{topic.name}-{p.partition_index} {ERROR_NAMES[p.error_code] if p.error_code else 'deleted'}"
            for topic in response.topics
            for p in topic.partitions
        )

    def _show_DescribedGroup(self, _who: str, response: object) -> str:  # noqa: N802
        members = " ".join(f"{self._alias(m.member_id)}:{m.member_assignment.decode()}" for m in response.members)
        return f"{response.group_state} {response.protocol_type!r} {response.protocol_data!r} {members}".rstrip()

    def _show_list(self, _who: str, response: list) -> str:
        return " ".join(f"{g.group_id}:{g.group_state}:{g.protocol_type}:{g.group_type}" for g in response) or "none"

    def _show_DeleteGroupsResponse(self, _who: str, response: object) -> str:  # noqa: N802
        return " ".join(
            f"{r.group_id}:{ERROR_NAMES[r.error_code] if r.error_code else 'deleted'}" for r in response.results
        )


def pending_of(shard: GroupCoordinatorShard) -> dict[tuple, list]:
    """All offsets in open transactions."""
    return {
        (group_id, *place): sorted(shard.pending.values(group_id, *place), key=lambda value: value.offset)
        for group_id in shard.pending.group_ids()
        for place in shard.pending.places(group_id)
    }


def summary(group: object) -> dict[str, object]:
    """All of a group that its record holds."""
    protocol = group.protocol
    return {
        "state": group.state,
        "protocol_type": group.protocol_type,
        "protocol": protocol,
        "generation": group.generation,
        "leader": group.leader,
        "timestamp": group.state_timestamp_ms if group.protocol_type else None,
        "topics": group.topics,
        "static": group.static_ids,
        "members": [
            (
                m.id,
                m.instance_id,
                m.client.id,
                m.client.host,
                m.rebalance_timeout_ms,
                m.session_timeout_ms,
                m.metadata(protocol),
                m.assignment,
            )
            for m in group.members.values()
        ],
    }
