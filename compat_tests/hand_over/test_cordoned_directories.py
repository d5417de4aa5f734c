"""``cordoned.log.dirs`` at Apache Kafka and at this broker: the same answers, the same places (KIP-1066)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from compat_tests.broker_process import Process
from compat_tests.hand_over.test_several_directories import NAMES, PARTITIONS, Pair
from compat_tests.hand_over.walk import CLIENT_TIMEOUT_S, START_TIMEOUT_S
from kafkacompat.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from kafkacompat.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from kafkacompat.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from kafkacompat.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from kafkacompat.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from tests.asking import Asking
from tests.waiting import wait_until

BROKER, SET, DELETE = 4, 0, 1
SIDES = ("by_kafka", "by_us")


@contextmanager
def serving(folder: Path, side: str, **config: str) -> Iterator[Pair]:
    """Two directories ``one`` and ``two`` that were new; in values of ``config`` ``ONE`` is the first one."""
    folder.mkdir()
    pair = Pair(folder, **{name: value.replace("ONE", str(folder / NAMES[0])) for name, value in config.items()})
    try:
        with getattr(pair, side)():
            yield pair
    finally:
        pair.kafka.close()


def cordon(pair: Pair, value: str | None, broker: str = "1") -> int:
    config = AlterableConfig("cordoned.log.dirs", DELETE if value is None else SET, value)
    request = IncrementalAlterConfigsRequest([AlterConfigsResource(BROKER, broker, [config])])
    return int(pair.ask(request, 1).responses[0].error_code)


def cordoned(pair: Pair) -> list[str]:
    results = pair.ask(DescribeLogDirsRequest(topics=[]), 5).results
    return sorted(Path(each.log_dir).name for each in results if each.is_cordoned)


def takes_effect(pair: Pair, value: str | None, *names: str) -> int:
    """The error code of the change, once DescribeLogDirs shows it."""
    error_code = cordon(pair, value)
    wait_until(lambda: cordoned(pair) == list(names), CLIENT_TIMEOUT_S)
    return error_code


def alter(pair: Pair, target: int, topic: str, *indexes: int) -> list[int]:
    wanted = AlterReplicaLogDir(str(pair.paths[target]), [AlterReplicaLogDirTopic(topic, indexes)])
    answer = pair.ask(AlterReplicaLogDirsRequest([wanted]), 2)
    return [each.error_code for topic in answer.results for each in topic.partitions]


def create(pair: Pair, topic: str, *, is_tried: bool = False, **more: Any) -> tuple[int, str | None]:
    wanted = CreatableTopic(topic, -1 if more else 1, -1 if more else 1, **more)
    found = pair.ask(CreateTopicsRequest([wanted], timeout_ms=10_000, validate_only=is_tried), 7).topics[0]
    return found.error_code, found.error_message


def grow(pair: Pair, topic: str, *assignments: CreatePartitionsAssignment) -> tuple[int, str | None]:
    wanted = CreatePartitionsTopic(topic, PARTITIONS + 1, list(assignments) or None)
    found = pair.ask(CreatePartitionsRequest([wanted], timeout_ms=10_000), 3).results[0]
    return found.error_code, found.error_message


def script(pair: Pair) -> list[Any]:
    """What is answered, step by step."""
    one = str(pair.paths[0])
    seen: list[Any] = [cordoned(pair)]
    pair.create("before")
    wait_until(lambda: sum(pair.counts("before")) == PARTITIONS, CLIENT_TIMEOUT_S)
    seen += [pair.counts("before"), takes_effect(pair, one, "one")]
    pair.create("meanwhile")
    wait_until(lambda: sum(pair.counts("meanwhile")) == PARTITIONS, CLIENT_TIMEOUT_S)
    pair.produce("before", 1)
    seen += [
        pair.counts("meanwhile"), pair.counts("before"), alter(pair, 0, "meanwhile", 0), alter(pair, 0, "before", 0, 1),
        alter(pair, 0, "nowhere", 0), alter(pair, 1, "before", 0, 1, 2, 3),
    ]  # fmt: skip
    wait_until(lambda: pair.counts("before") == [0, PARTITIONS], CLIENT_TIMEOUT_S)
    seen.append(takes_effect(pair, "*", "one", "two"))
    wait_until(lambda: create(pair, "none", is_tried=True)[0] != 0, CLIENT_TIMEOUT_S)
    seen += [
        create(pair, "none"), create(pair, "named", assignments=[CreatableReplicaAssignment(0, [1])]),
        grow(pair, "before"), grow(pair, "meanwhile", CreatePartitionsAssignment([1])),
        cordon(pair, f"*,{one}"), cordon(pair, "/elsewhere"), cordon(pair, f"{one}/"), cordon(pair, one, ""),
        cordoned(pair), takes_effect(pair, ""), cordoned(pair), takes_effect(pair, None),
    ]  # fmt: skip
    wait_until(lambda: create(pair, "after", is_tried=True)[0] == 0, CLIENT_TIMEOUT_S)
    return seen


def test_the_answers_are_the_same(tmp_path: Path) -> None:
    found = []
    for side in SIDES:
        with serving(tmp_path / side, side) as pair:
            found.append(script(pair))
    assert found[0] == found[1]


def static(pair: Pair) -> list[Any]:
    seen = [cordoned(pair), alter(pair, 0, "nowhere", 0)]
    pair.create("t")
    wait_until(lambda: sum(pair.counts("t")) == PARTITIONS, CLIENT_TIMEOUT_S)
    return [*seen, pair.counts("t")]


@pytest.mark.full
def test_a_static_value_counts_from_the_start(tmp_path: Path) -> None:
    found = []
    for side in SIDES:
        with serving(tmp_path / side, side, **{"cordoned.log.dirs": "ONE"}) as pair:
            found.append(static(pair))
    assert found[0] == found[1]
    assert found[0][0] == ["one"]


@pytest.mark.full
def test_a_client_of_the_controller_can_only_take_entries_out(tmp_path: Path) -> None:
    found = []
    for side in SIDES:
        folder = tmp_path / side
        folder.mkdir()
        pair = Pair(folder)
        try:
            with pair.by_kafka() if side == "by_kafka" else serve_properties_of(pair):
                found.append(direct(pair))
        finally:
            pair.kafka.close()
    assert found[0] == found[1]


@contextmanager
def serve_properties_of(pair: Pair) -> Iterator[None]:
    """This broker with Kafka's settings, its controller listener among them."""
    log = pair.folder / "kafkacompat.log"
    log.write_text("")
    properties = str(pair.kafka.properties_of(1))
    ours = Process([sys.executable, "-m", "kafkacompat", "serve", "--no-control", "--properties", properties], log)
    try:
        ours.wait_until(lambda: "ready on" in log.read_text(), START_TIMEOUT_S, "kafkacompat")
        yield
    finally:
        ours.kill()


def direct(pair: Pair) -> list[Any]:
    """What a controller answers, and what comes of it."""
    one, two = map(str, pair.paths)

    def at_controller(value: str | None) -> tuple[int, str | None]:
        config = AlterableConfig("cordoned.log.dirs", DELETE if value is None else SET, value)
        request = IncrementalAlterConfigsRequest([AlterConfigsResource(BROKER, "1", [config])])
        with Asking(pair.kafka.controller_address_of(1)) as client:
            answer = client.ask(request, 1).responses[0]
        return answer.error_code, answer.error_message or None

    seen: list[Any] = [at_controller(one), at_controller("*")]
    seen += [takes_effect(pair, f"{one},{two}", "one", "two"), at_controller(f" {two} , {one}"), at_controller(two)]
    wait_until(lambda: cordoned(pair) == ["two"], CLIENT_TIMEOUT_S)
    seen += [at_controller(one), at_controller("")]
    wait_until(lambda: cordoned(pair) == [], CLIENT_TIMEOUT_S)
    return [*seen, at_controller(None)]
