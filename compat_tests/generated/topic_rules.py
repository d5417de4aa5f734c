"""Rules that make, change, describe and delete topics."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from compat_tests.generated import choices
from compat_tests.generated.base import Base
from compat_tests.generated.pair import TOPIC_RESOURCE, Side
from kafkacompat.protocol.messages import (
    create_partitions,
    create_topics,
    delete_topics,
    describe_configs,
    describe_topic_partitions,
    incremental_alter_configs,
    metadata,
)

DELETE_BY_STATE_SINCE, METADATA_BY_ID_SINCE, NOT_CREATING_SINCE = 6, 12, 4
KEPT_FOR_EVER = {"retention.ms": "-1"}
"""Records of these tests are old; a broker that looks for such while a sequence runs must not remove them."""


class TopicRules(Base):
    """Topics in `choices.TOPICS` places."""

    @rule(
        topic=choices.fleeting_topic_numbers, partitions=st.sampled_from((1, 2, 3, -1, 0)),
        configs=choices.topic_configs, version=choices.versions(create_topics),
        dry=st.sampled_from((False, False, False, True)),
    )  # fmt: skip
    def create(self, topic: int, partitions: int, configs: dict[str, str], version: int, dry: bool) -> None:
        wanted = [create_topics.CreatableTopicConfig(*item) for item in (KEPT_FOR_EVER | configs).items()]
        made = create_topics.CreatableTopic(self.topic(topic), partitions, 1, [], wanted)
        request = create_topics.CreateTopicsRequest([made], 10_000, dry)
        answer = self.pair.ask("create", create_topics, version, lambda _: request, ["configs"])["topics"][0]
        self.note_compression(configs.get("compression.type"))
        if answer["error_code"] == 0 and not dry:
            self.partitions[topic] = 1 if partitions == -1 else partitions
            for side in self.pair.sides:
                side.wait_until_led(self.topic(topic), self.partitions[topic])
                self.learn_id(side, topic)

    def learn_id(self, side: Side, topic: int) -> None:
        """Remember the id of a new topic, which must not be that of an older one."""
        wanted = metadata.MetadataRequestTopic(name=self.topic(topic))
        found = side.client.call(metadata.API_KEY, 12, metadata.MetadataRequest([wanted], False)).topics[0]
        topic_id = bytes(found.topic_id)
        assert topic_id != side.topic_ids.get(topic), "a topic that is made again has a new id"
        side.topic_ids[topic] = topic_id
        side.name(topic_id, f"id of topic {topic}")

    @rule(topic=choices.fleeting_topic_numbers, version=choices.versions(delete_topics), by_id=st.booleans())
    def delete(self, topic: int, version: int, by_id: bool) -> None:
        def request(side: Side) -> delete_topics.DeleteTopicsRequest:
            if version < DELETE_BY_STATE_SINCE:
                return delete_topics.DeleteTopicsRequest(topic_names=[self.topic(topic)], timeout_ms=10_000)
            name = None if by_id else self.topic(topic)
            state = delete_topics.DeleteTopicState(name, *([self.topic_id(side, topic)] if by_id else []))
            return delete_topics.DeleteTopicsRequest([state], timeout_ms=10_000)

        answer = self.pair.ask("delete", delete_topics, version, request)["responses"][0]
        if answer["error_code"] == 0:
            partitions = self.partitions.pop(topic)
            for side in self.pair.sides:
                side.wait_until_gone(self.topic(topic), partitions)
            self.forget(topic)

    @rule(topic=choices.topic_numbers, total=st.integers(0, 5), version=choices.versions(create_partitions))
    def add_partitions(self, topic: int, total: int, version: int) -> None:
        wanted = create_partitions.CreatePartitionsTopic(self.topic(topic), total, None)
        request = create_partitions.CreatePartitionsRequest([wanted], 10_000, False)
        answer = self.pair.ask("add partitions", create_partitions, version, lambda _: request)["results"][0]
        if answer["error_code"] == 0:
            self.partitions[topic] = total
            for side in self.pair.sides:
                side.wait_until_led(self.topic(topic), total)

    @rule(
        topic=choices.topic_numbers, changes=choices.config_changes,
        version=choices.versions(incremental_alter_configs), dry=st.sampled_from((False, False, False, True)),
    )  # fmt: skip
    def alter_configs(self, topic: int, changes: list[tuple[str, int, str | None]], version: int, dry: bool) -> None:
        for name, _, value in changes:
            self.note_compression(value if name == "compression.type" else None)
        configs = [incremental_alter_configs.AlterableConfig(*change) for change in changes]
        resource = incremental_alter_configs.AlterConfigsResource(TOPIC_RESOURCE, self.topic(topic), configs)
        request = incremental_alter_configs.IncrementalAlterConfigsRequest([resource], dry)
        self.pair.ask("alter configs", incremental_alter_configs, version, lambda _: request)
        for side in self.pair.sides:
            side.settle()

    @rule(topic=choices.topic_numbers, version=choices.versions(describe_configs), synonyms=st.booleans())
    def show_configs(self, topic: int, version: int, synonyms: bool) -> None:
        resource = describe_configs.DescribeConfigsResource(TOPIC_RESOURCE, self.topic(topic), None)
        request = describe_configs.DescribeConfigsRequest([resource], synonyms, False)
        self.pair.ask("configs", describe_configs, version, lambda _: request, ["configs"])

    @rule(topics=st.lists(choices.topic_numbers, min_size=1, max_size=2), version=choices.versions(metadata),
          by_id=st.booleans())  # fmt: skip
    def show(self, topics: list[int], version: int, by_id: bool) -> None:
        def wanted(side: Side, number: int) -> metadata.MetadataRequestTopic:
            if by_id and version >= METADATA_BY_ID_SINCE:
                return metadata.MetadataRequestTopic(self.topic_id(side, number), None)
            return metadata.MetadataRequestTopic(name=self.topic(number))

        may_create = version < NOT_CREATING_SINCE
        numbers = [number for number in topics if number in self.partitions or not may_create]
        if numbers:
            self.pair.ask(
                "metadata", metadata, version,
                lambda side: metadata.MetadataRequest([wanted(side, number) for number in numbers], may_create),
                ["topics", "partitions"],
            )  # fmt: skip

    @rule(
        topics=st.lists(choices.topic_numbers, min_size=1, max_size=2), limit=st.integers(0, 5),
        cursor=st.one_of(st.none(), st.tuples(choices.topic_numbers, st.integers(-1, 4))),
    )  # fmt: skip
    def show_partitions(self, topics: list[int], limit: int, cursor: tuple[int, int] | None) -> None:
        wanted = [describe_topic_partitions.TopicRequest(self.topic(number)) for number in topics]
        start = cursor and describe_topic_partitions.DescribeTopicPartitionsRequestCursor(
            self.topic(cursor[0]), cursor[1]
        )
        request = describe_topic_partitions.DescribeTopicPartitionsRequest(wanted, limit, start)
        self.pair.ask("partitions", describe_topic_partitions, 0, lambda _: request)
