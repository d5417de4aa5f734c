"""The golden directory of a cluster: three nodes that are brokers and controllers, stopped cleanly."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from compat_tests.api.raw import RawClient, facts
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol.messages import create_topics, find_coordinator, join_group, list_groups, metadata
from tests.golden.directories import making
from tests.golden.directories.content import Ask, content
from tests.waiting import pause, wait_until

CLUSTER = "cluster"
NODES = 3
TOPIC, PARTITIONS = "replicated", 3
SETTINGS = ("offsets.topic.num.partitions=1", "log.index.size.max.bytes=65536")
DEADLINE_S = 60.0
PAUSE_S = 0.1
STEMS = {api.stem: key for key, api in APIS.items()}


def add(target: Path, checkout: Path, python: str) -> None:
    """Keep the directories of a cluster of that checkout beside those that `making.make` has kept in `target`."""
    expected = json.loads((target / making.EXPECTED).read_text())
    with tempfile.TemporaryDirectory(prefix="kafkacompat-golden-") as scratch:
        expected[CLUSTER] = _make(checkout, python, Path(scratch), target / f"{CLUSTER}.tar.xz")
    making.keep(target, expected)


def _make(checkout: Path, python: str, scratch: Path, archive: Path) -> dict[str, Any]:
    data, state = scratch / CLUSTER, scratch / "state.json"
    settings = [argument for setting in SETTINGS for argument in ("--config", setting)]
    command = [python, "-m", "kafkacompat", "serve", "--brokers", str(NODES), "--data-dir", str(data)]
    command += ["--state-file", str(state), *settings]
    process = subprocess.Popen(command, cwd=checkout, stdout=subprocess.DEVNULL)
    try:
        wait_until(state.exists)
        with clients(json.loads(state.read_text())["bootstrap_servers"]) as found:
            _fill(found)
            was = seen(found)
        process.terminate()
        assert process.wait(DEADLINE_S) == 0
    finally:
        process.kill()
        process.wait()
    making.pack(data, archive)
    return was


@contextmanager
def clients(bootstrap_servers: str) -> Iterator[list[RawClient]]:
    """A connection to each broker."""
    with ExitStack() as stack:
        yield [stack.enter_context(RawClient(address)) for address in bootstrap_servers.split(",")]


def seen(found: list[RawClient]) -> dict[str, Any]:
    """As `content`, of a cluster, without the leaders, who change with each start."""
    was = content(asking(found), pause)
    for topic in was["topics"].values():
        for partition in topic["partitions"].values():
            del partition["leader"]
    return was


def asking(found: list[RawClient]) -> Ask:
    """Asks one broker after the other until one can answer: who leads or coordinates."""

    def ask(request: Any, version: int) -> Any:
        key = STEMS[type(request).__module__.rpartition(".")[2]]
        deadline = time.monotonic() + DEADLINE_S
        while True:
            for client in found:
                answer = client.call(key, version, request)
                is_elsewhere = isinstance(answer, list_groups.ListGroupsResponse) and not answer.groups
                if not is_elsewhere and not any(_error_codes(facts(answer))):
                    return answer
            assert time.monotonic() < deadline, answer
            pause()

    return ask


def _error_codes(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        if isinstance(code := value.get("error_code"), int):
            yield code
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _error_codes(one)


def all_in_sync(found: list[RawClient]) -> bool:
    """Whether each replica of each partition has caught up."""
    answer = found[0].call(metadata.API_KEY, 12, metadata.MetadataRequest(None))
    return all(len(one.isr_nodes) == NODES for topic in answer.topics for one in topic.partitions)


def produce_one(found: list[RawClient], topic: str) -> int:
    """One more record for partition 0; its offset."""
    return int(_at_the_one(found, lambda client: making.produce_one(client, topic)))


def _at_the_one(found: list[RawClient], do: Callable[[RawClient], Any]) -> Any:
    """Do it at the broker that does not refuse it."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        for client in found:
            try:
                return do(client)
            except AssertionError:
                assert time.monotonic() < deadline
        pause()


def _fill(found: list[RawClient]) -> None:
    places = [
        create_topics.CreatableReplicaAssignment(index, [(index + shift) % NODES + 1 for shift in range(NODES)])
        for index in range(PARTITIONS)
    ]
    configs = [create_topics.CreatableTopicConfig("retention.ms", "-1")]
    wanted = create_topics.CreatableTopic(TOPIC, -1, -1, places, configs)
    asking(found)(create_topics.CreateTopicsRequest([wanted], 10_000), 5)
    for partition, codec in enumerate(("none", "lz4", "zstd")):
        for text in ("first", "second"):
            records = making.records(4, text)
            _at_the_one(
                found,
                lambda client, at=partition, what=records, how=codec: making.write(
                    client, TOPIC, at, what, compression=making.CODECS[how]
                ),
            )
    asking(found)(find_coordinator.FindCoordinatorRequest(key="any"), 3)
    _at_the_one(found, lambda client: making.commit(client, "plain", TOPIC, {0: 4, 2: 8}))
    joined = _at_the_one(found, _join)
    _at_the_one(found, lambda client: making.sync(client, "static", joined, "one", {joined.member_id: b"all of it"}))
    _at_the_one(found, lambda client: making.commit(client, "static", TOPIC, {1: 5}, joined, "one"))
    wait_until(lambda: all_in_sync(found))


def _join(client: RawClient) -> Any:
    answer = client.call(join_group.API_KEY, 9, making.join("static", instance="one"))
    assert answer.error_code == 0, answer
    return answer
