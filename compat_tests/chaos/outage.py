"""`python -m compat_tests.chaos.outage`: what brokers go on doing while all controllers are dead, and what they refuse.

Three brokers and a controller beside them, which is killed. Clients work all the time, each at one thing; what each of
them was answered before and during the outage is counted by error code. `--kafka` does the same with Apache Kafka.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from compat_tests.api.raw import RawClient
from compat_tests.broker_process import BrokerError
from compat_tests.chaos import view
from compat_tests.chaos.nodes import KINDS, Nodes
from kafkacompat.protocol.error_codes import NONE, NOT_COORDINATOR
from kafkacompat.protocol.messages import (
    fetch,
    find_coordinator,
    init_producer_id,
    join_group,
    list_offsets,
    metadata,
    offset_commit,
    offset_fetch,
    produce,
)
from kafkacompat.protocol.records.builder import Record, build_batch

_NUMBERS = itertools.count()
TOPIC, GROUP = "outage", "readers"
WARM_UP_S = 3.0
PAUSE_S = 0.2
START_TIMEOUT_S = 60.0
LAST_SUCCESS_S = 30.0
ANSWER_TIMEOUT_S = 10.0
MOST_SILENCE_S = 3.0
"""What goes on has a success at least so often: a machine that does other things as well takes its time."""
LOST, SILENT = "connection lost", "no answer"
GOES_ON = (
    "produce acks=0", "produce acks=1", "produce acks=all", "fetch", "metadata", "list offsets", "find coordinator",
    "commit", "committed offsets", "join a group", "init producer id",
)  # fmt: skip
"""What must go on as if nothing had happened; a block has a thousand producer ids."""


class Outage:
    """One cluster, and what its clients were answered: work → when and what, in seconds since the outage."""

    def __init__(self, kind: str) -> None:
        self.nodes: Nodes = KINDS[kind](3, 1)
        self.answers: dict[str, list[tuple[float, str]]] = {}
        self._since_s = float("inf")
        self._is_over = threading.Event()

    def run(self, duration_s: float) -> None:
        """Raises BrokerError when the cluster does not start."""
        self.nodes.start()
        view.create(self.nodes, TOPIC, 1, 3)
        view.wait(lambda: view.is_well(self.nodes), 60.0)
        leader = view.ask(self.nodes, lambda client: view.parts(client, TOPIC))[0].leader
        coordinator = self._coordinator()
        works = self._works(leader, coordinator)
        threads = [threading.Thread(target=self._work, args=(name, *work)) for name, work in works.items()]
        for thread in threads:
            thread.start()
        try:
            if view.wait(lambda: not self.without_success(), START_TIMEOUT_S) is None:
                raise BrokerError(f"before the outage: no success of {self.without_success()}")
            time.sleep(WARM_UP_S)
            (controller,) = set(self.nodes.nodes) - set(self.nodes.brokers)
            self._since_s = time.monotonic()
            self.nodes.kill(controller)
            time.sleep(duration_s)
            view.wait(lambda: not self.without_success(duration_s), LAST_SUCCESS_S)
        finally:
            self._is_over.set()
            for thread in threads:
                thread.join()

    def _coordinator(self) -> int:
        found = [-1]

        def is_known() -> bool:
            answer = view.ask(self.nodes, lambda client: client.call(find_coordinator.API_KEY, 2, _find()))
            found[0] = answer.node_id
            return bool(answer.error_code == NONE)

        view.wait(is_known, 60.0)
        return found[0]

    def _works(self, leader: int, coordinator: int) -> dict[str, tuple[int, Callable[[RawClient], int]]]:
        return {
            "produce acks=0": (leader, lambda client: _produce(client, 0)),
            "produce acks=1": (leader, lambda client: _produce(client, 1)),
            "produce acks=all": (leader, lambda client: _produce(client, -1)),
            "fetch": (leader, _fetch),
            "metadata": (leader, lambda client: client.call(metadata.API_KEY, 12, _metadata()).topics[0].error_code),
            "list offsets": (leader, _list_offsets),
            "find coordinator": (leader, lambda client: client.call(find_coordinator.API_KEY, 2, _find()).error_code),
            "commit": (coordinator, _commit),
            "committed offsets": (coordinator, _committed),
            "join a group": (coordinator, _join),
            "init producer id": (leader, _init_producer_id),
        }

    def _work(self, name: str, node_id: int, once: Callable[[RawClient], int]) -> None:
        answers = self.answers.setdefault(name, [])
        client: RawClient | None = None
        while not self._is_over.is_set():
            try:
                client = client or RawClient(self.nodes.address_of(node_id), ANSWER_TIMEOUT_S)
                said = str(once(client))
            except TimeoutError:
                said = SILENT
            except OSError:
                said = LOST
            answers.append((time.monotonic() - self._since_s, said))
            if said in (SILENT, LOST) and client is not None:
                client.__exit__()
                client = None
            self._is_over.wait(PAUSE_S)
        if client is not None:
            client.__exit__()

    def without_success(self, after_s: float = float("-inf")) -> list[str]:
        """The works that have not succeeded after that moment of the outage."""
        return [
            name
            for name in GOES_ON
            if not any(at_s >= after_s and said == str(NONE) for at_s, said in tuple(self.answers.get(name, ())))
        ]

    def failures(self, duration_s: float) -> list[str]:
        """What did not go on."""
        found = []
        for name in GOES_ON:
            times = [0.0, *(at_s for at_s, said in self.answers[name] if at_s > 0 and said == str(NONE)), duration_s]
            longest_s = max(after - before for before, after in itertools.pairwise(times))
            if longest_s > MOST_SILENCE_S:
                found.append(f"{name}: {longest_s:.1f} s without success")
        return found

    def close(self) -> None:
        with suppress(OSError):
            self.nodes.close()


def _produce(client: RawClient, acks: int) -> int:
    batch = build_batch([Record(0, int(time.time() * 1000), None, b"value")])
    data = produce.TopicProduceData(TOPIC, partition_data=[produce.PartitionProduceData(0, bytes(batch))])
    request = produce.ProduceRequest(None, acks, 5_000, [data])
    if acks == 0:  # only the end of the records tells what became of it
        before = _end_offset(client)
        client.send(produce.API_KEY, 9, _encoded(produce, 9, request))
        return NONE if _end_offset(client) > before else -1
    return int(client.call(produce.API_KEY, 9, request).responses[0].partition_responses[0].error_code)


def _encoded(api: Any, version: int, request: object) -> bytes:
    out: list[Any] = []
    api.encode_request(request, version, out)
    return b"".join(map(bytes, out))


def _offsets(client: RawClient) -> Any:
    part = list_offsets.ListOffsetsPartition(0, -1, -1)
    request = list_offsets.ListOffsetsRequest(-1, 0, [list_offsets.ListOffsetsTopic(TOPIC, [part])])
    return client.call(list_offsets.API_KEY, 6, request).topics[0].partitions[0]


def _end_offset(client: RawClient) -> int:
    return int(_offsets(client).offset)


def _list_offsets(client: RawClient) -> int:
    return int(_offsets(client).error_code)


def _fetch(client: RawClient) -> int:
    asked = fetch.FetchPartition(0, -1, 0, partition_max_bytes=1 << 16)
    topics = [fetch.FetchTopic(TOPIC, partitions=[asked])]
    request = fetch.FetchRequest(max_wait_ms=100, min_bytes=1, max_bytes=1 << 20, topics=topics)
    return int(client.call(fetch.API_KEY, 12, request).responses[0].partitions[0].error_code)


def _metadata() -> metadata.MetadataRequest:
    return metadata.MetadataRequest([metadata.MetadataRequestTopic(name=TOPIC)], False)


def _find() -> find_coordinator.FindCoordinatorRequest:
    return find_coordinator.FindCoordinatorRequest(GROUP)


def _commit(client: RawClient) -> int:
    part = offset_commit.OffsetCommitRequestPartition(0, 1)
    topic = offset_commit.OffsetCommitRequestTopic(TOPIC, partitions=[part])
    request = offset_commit.OffsetCommitRequest(GROUP, -1, "", topics=[topic])
    return int(client.call(offset_commit.API_KEY, 7, request).topics[0].partitions[0].error_code)


def _committed(client: RawClient) -> int:
    request = offset_fetch.OffsetFetchRequest(GROUP, [offset_fetch.OffsetFetchRequestTopic(TOPIC, [0])])
    return int(client.call(offset_fetch.API_KEY, 5, request).error_code)


def _join(client: RawClient) -> int:
    """A group that nobody knows yet, and that this broker coordinates."""
    protocol = join_group.JoinGroupRequestProtocol("range", b"")
    while True:
        group = f"{GROUP}-{next(_NUMBERS)}"
        request = join_group.JoinGroupRequest(group, 6_000, 6_000, "", None, "consumer", [protocol])
        error_code = int(client.call(join_group.API_KEY, 3, request).error_code)
        if error_code != NOT_COORDINATOR:
            return error_code


def _init_producer_id(client: RawClient) -> int:
    return int(
        client.call(init_producer_id.API_KEY, 4, init_producer_id.InitProducerIdRequest(None, 60_000)).error_code
    )


def main() -> int:
    """1 when something stopped that must go on."""
    parser = argparse.ArgumentParser(prog="python -m compat_tests.chaos.outage", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default: %(default)s)")
    parser.add_argument("--kafka", action="store_true", help="Apache Kafka instead")
    options = parser.parse_args()
    outage = Outage("kafka" if options.kafka else "kafkacompat")
    try:
        outage.run(options.seconds)
    finally:
        outage.close()
    for name, answers in outage.answers.items():
        for title, chosen in (("before", [said for at_s, said in answers if at_s <= 0]),
                              ("during", [said for at_s, said in answers if at_s > 0])):  # fmt: skip
            counted = ", ".join(f"{said}: {count}" for said, count in Counter(chosen).most_common())
            print(f"{name:18} {title}  {counted}")
    failures = outage.failures(options.seconds)
    print("\n".join(failures) or "all of it went on")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
