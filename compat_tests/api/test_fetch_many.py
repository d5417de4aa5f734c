"""Fetch of several partitions at once, with limits and with everything that a client may set, on both brokers."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import pytest

from compat_tests.api import fixture_logs, topics
from compat_tests.api.combined import together
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from kafkacompat.protocol.messages import fetch as api

pytestmark = pytest.mark.api("Fetch")
BY_ID_SINCE, EPOCHS_SINCE, DIVERGENCE_SINCE, STATE_SINCE = 13, 9, 12, 15
OWN = ["topic_id", "host", "port"]
BIG = 1 << 20
UNKNOWN = "unknown"


class Spot(NamedTuple):
    """Where to read."""

    partition: int = fixture_logs.FULL
    offset: int = 0
    epoch: int = -1
    size: int = BIG
    fetched_epoch: int = -1
    of: str = ""


KINDS = {
    "records": Spot(fixture_logs.FULL),
    "nothing there": Spot(fixture_logs.EMPTY),
    "deleted": Spot(fixture_logs.CUT, fixture_logs.CUT_START - 1),
    "epoch to come": Spot(fixture_logs.SPARE, epoch=4),
    "no such partition": Spot(fixture_logs.NO_PARTITION),
    "no such topic": Spot(of=UNKNOWN),
}
SINGLES = {
    "middle of a batch": Spot(offset=3),
    "the end": Spot(offset=fixture_logs.END),
    "after the end": Spot(offset=fixture_logs.END + 1),
    "after nothing": Spot(fixture_logs.EMPTY, 1),
    "first after the deleted": Spot(fixture_logs.CUT, fixture_logs.CUT_START),
    "start": Spot(fixture_logs.CUT),
    "negative offset": Spot(offset=-1),
    "very negative offset": Spot(offset=-(2**63)),
    "largest offset": Spot(offset=2**63 - 1),
    "negative partition": Spot(-1),
    "current epoch": Spot(epoch=0),
    "negative epoch": Spot(epoch=-2),
    "fetched epoch": Spot(fetched_epoch=0),
    "fetched epoch to come": Spot(fetched_epoch=3),
    "fetched epoch, at the end": Spot(offset=fixture_logs.END, fetched_epoch=0),
    "fetched epoch, after the end": Spot(offset=fixture_logs.END + 5, fetched_epoch=0),
    "fetched epoch, deleted": Spot(fixture_logs.CUT, 1, fetched_epoch=0),
    "negative fetched epoch": Spot(fetched_epoch=-2),
    "no bytes": Spot(size=0),
    "a byte": Spot(size=1),
    "negative bytes": Spot(size=-1),
}


class Asker:
    """Fetches from a shelf in one version."""

    def __init__(self, client: RawClient, topic: str, version: int, **configs: str) -> None:
        self.client, self.topic, self.version = client, topic, version
        self.ids = {"": fixture_logs.fill(client, topic, **configs), UNKNOWN: os.urandom(16)}
        self.names = {"": topic, UNKNOWN: topic + "-not"}

    def request(self, *spots: Spot, replica: int = -1, **more: Any) -> api.FetchRequest:
        """Each spot as a topic entry of its own, in the order given."""
        wanted = []
        for spot in spots:
            part = api.FetchPartition(
                spot.partition, spot.epoch, spot.offset, spot.fetched_epoch, partition_max_bytes=spot.size
            )
            name = "" if self.version >= BY_ID_SINCE else self.names[spot.of]
            wanted.append(api.FetchTopic(name, self.ids[spot.of], [part]))
        if self.version >= STATE_SINCE:
            more["replica_state"] = api.ReplicaState(replica, more.pop("replica_epoch", -1))
        else:
            more["replica_id"] = replica
        return api.FetchRequest(**{"max_wait_ms": 0, "min_bytes": 0, "topics": wanted} | more)

    def ask(self, *spots: Spot, replica: int = -1, **more: Any) -> Any:
        return self.client.ask(api, self.version, self.request(*spots, replica=replica, **more), OWN)


def known(kinds: dict[str, Spot], version: int) -> dict[str, Spot]:
    """The kinds that a version can ask for."""
    return {
        name: spot
        for name, spot in kinds.items()
        if (version >= EPOCHS_SINCE or spot.epoch == -1) and (version >= DIVERGENCE_SINCE or spot.fetched_epoch == -1)
    }


@pytest.mark.parametrize("version", versions(api))
def test_each_and_mixed(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        asker = Asker(client, topic, version)
        answers = {
            f"{name}, level {level}": asker.ask(spot, isolation_level=level)
            for name, spot in known(SINGLES, version).items()
            for level in (0, 1)
        }
        for name, spots in together(known(KINDS, version)).items():
            for level in (0, 1):
                answers[f"{name}, level {level}"] = asker.ask(*spots, isolation_level=level)
        return answers

    compare(script)


@pytest.mark.parametrize("version", versions(api))
def test_limits_and_other_settings(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        asker = Asker(client, topic, version)
        full, cut, end = Spot(), Spot(fixture_logs.CUT, fixture_logs.CUT_START), Spot(offset=fixture_logs.END)
        beyond = Spot(fixture_logs.EMPTY, 1)
        answers = {
            f"{size} bytes in all": asker.ask(full, cut, max_bytes=size)
            for size in (-1, 0, 1, 100, 200, 300, 2**31 - 1)
        }
        for size in (0, 1, 100, 200, 300):
            answers[f"{size} bytes each"] = asker.ask(full._replace(size=size), cut._replace(size=size))
        answers |= {
            "nothing": asker.ask(),
            "nothing, and waiting": asker.ask(max_wait_ms=50, min_bytes=1),
            "the same twice": asker.ask(full, full),
            "the same from two offsets": asker.ask(full, Spot(offset=8)),
            "the empty one and one with records": asker.ask(Spot(fixture_logs.EMPTY), full),
            "waits in vain": asker.ask(end, max_wait_ms=20, min_bytes=1),
            "waits for more than there is": asker.ask(full, max_wait_ms=20, min_bytes=BIG),
            "does not wait with an error": asker.ask(end, beyond, max_wait_ms=60_000, min_bytes=1),
            "does not wait for less": asker.ask(full, max_wait_ms=60_000, min_bytes=10),
            "negative wait": asker.ask(end, max_wait_ms=-1, min_bytes=1),
            "negative minimum": asker.ask(end, max_wait_ms=60_000, min_bytes=-1),
            "minimum above the maximum": asker.ask(full, max_wait_ms=60_000, min_bytes=BIG, max_bytes=1),
            "an odd isolation level": asker.ask(full, isolation_level=2),
            "a negative isolation level": asker.ask(full, isolation_level=-1),
            "a debugging consumer": asker.ask(full, replica=-2),
            "a stranger's replica": asker.ask(full, replica=77),
            "a stranger's replica, mixed": asker.ask(full, beyond, Spot(fixture_logs.NO_PARTITION), replica=77),
            "the leader's own replica": asker.ask(full, replica=1),
        }
        if version >= EPOCHS_SINCE:
            answers["a stranger's replica that knows the epoch"] = asker.ask(full._replace(epoch=0), replica=77)
            answers["a stranger's replica with an epoch to come"] = asker.ask(full._replace(epoch=3), replica=77)
        if version >= 11:
            answers["a rack"] = asker.ask(full, rack_id="rack-a")
        if version >= DIVERGENCE_SINCE:
            answers["another cluster"] = asker.ask(full, cluster_id="another")
        return answers

    compare(script)


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
@pytest.mark.parametrize("version", versions(api))
def test_topics_that_the_broker_compresses(compare: Compare, topic: str, version: int, codec: str) -> None:
    """Only whether records come, and in which codec: each broker's compressor makes bytes of its own."""

    def script(client: RawClient) -> Any:
        asker = Asker(client, topic, version, compression_type=codec)
        answer = asker.ask(Spot())
        for part in answer["responses"][0]["partitions"]:
            part["records"] = [batch[21:23] for batch in topics.batches(part["records"] or b"")]
        return answer

    compare(script)


def test_ids_of_nobody(compare: Compare, topic: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        answers = {}
        for version in versions(api, BY_ID_SINCE):
            asker = Asker(client, f"{topic}-{version}", version)
            asker.ids[UNKNOWN] = bytes(16)
            for name, spots in {"zero id": [Spot(of=UNKNOWN)], "and a known one": [Spot(), Spot(of=UNKNOWN)]}.items():
                answers[f"{name} {version}"] = asker.ask(*spots)
        return answers

    compare(script)
