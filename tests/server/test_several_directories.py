"""A real broker with several log directories, one of which fails, fills up, and is sound again."""

from __future__ import annotations

import json
import re
from http.client import HTTPConnection
from pathlib import Path

import pytest

from kafkacompat.config import BrokerConfig
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.storage.data_dir import absolute_path
from tests.asking import Asking
from tests.cli.processes import Child
from tests.server.harness import binding
from tests.waiting import wait_until

NAMES = ("one", "two")


class Served:
    """A broker in a process, with two directories and a topic that has a partition in each."""

    def __init__(self, child: Child, dirs: list[str]) -> None:
        self.dirs = dirs
        line = child.wait_until_ready()
        found = re.search(r"on (\S+) .*control at http://(\S+?)[)\s]", line)
        assert found is not None, line
        self.address, self._control = found.groups()

    def put_disk(self, **body: object) -> int:
        connection = HTTPConnection(self._control, timeout=60)
        connection.request("PUT", "/v1/brokers/1/disk", json.dumps(body), {"content-type": "application/json"})
        response = connection.getresponse()
        response.read()
        connection.close()
        return response.status

    def metrics(self) -> str:
        connection = HTTPConnection(self._control, timeout=60)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return text

    def produce(self, client: Asking, index: int) -> int:
        batch = build_batch([Record(0, 1_700_000_000_000, b"k", b"v")])
        data = TopicProduceData("t", partition_data=[PartitionProduceData(index, batch)])
        answer = client.ask(ProduceRequest(acks=-1, timeout_ms=5000, topic_data=[data]), 9)
        code: int = answer.responses[0].partition_responses[0].error_code
        return code

    def described(self, client: Asking) -> list[tuple[str, int, list[int]]]:
        results = client.ask(DescribeLogDirsRequest(topics=None), 4).results
        return [
            (each.log_dir, each.error_code, [one.partition_index for t in each.topics for one in t.partitions])
            for each in results
        ]


@pytest.mark.parametrize("fault", [{"error": "EIO"}, {"free_bytes": 0}])
def test_a_disk_that_fails_or_is_full_is_one_of_two(tmp_path: Path, fault: dict[str, object]) -> None:
    dirs = [str(tmp_path / name) for name in NAMES]
    with Child("serve", "--port", "0", "--allow-faults", "--config", f"log.dirs={','.join(dirs)}") as child:
        served = Served(child, dirs)
        with Asking(served.address, timeout_s=60) as client:
            client.ask(CreateTopicsRequest(topics=[CreatableTopic("t", 2, 1)]), 7)
            wait_until(lambda: [served.produce(client, index) for index in (0, 1)] == [errors.NONE] * 2, 60)
            assert served.put_disk(directory="/elsewhere", **fault) >= 400
            assert served.put_disk(directory=dirs[1], **fault) == 200
            wait_until(lambda: served.produce(client, 1) == errors.KAFKA_STORAGE_ERROR, 60)
            assert served.produce(client, 0) == errors.NONE
            if "error" in fault:
                offline = [(dirs[0], errors.NONE, [0]), (dirs[1], errors.KAFKA_STORAGE_ERROR, [])]
                assert served.described(client) == offline
                metrics = served.metrics()
                assert "kafka_log_logmanager_offlinelogdirectorycount 1\n" in metrics
                for path, value in zip(dirs, (0, 1), strict=True):
                    assert f'kafka_log_logmanager_logdirectoryoffline{{logDirectory="{path}"}} {value}\n' in metrics
                assert served.put_disk(directory=dirs[1]) == 200
                assert served.described(client) == offline, "it stays offline until the next start"
            else:
                assert served.described(client) == [(dirs[0], errors.NONE, [0]), (dirs[1], errors.NONE, [1])]
                assert served.put_disk(directory=dirs[1]) == 200
                wait_until(lambda: served.produce(client, 1) == errors.NONE, 60)
        assert child.stop() == 0
    with Child("serve", "--port", "0", "--config", f"log.dirs={','.join(dirs)}") as child:
        served = Served(child, dirs)
        with Asking(served.address, timeout_s=60) as client:
            assert [served.produce(client, index) for index in (0, 1)] == [errors.NONE] * 2
        assert child.stop() == 0


def test_directories_are_told_as_apache_kafka_tells_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = {
        "/a//b/": "/a/b", "/": "/", "data": f"{tmp_path}/data", "./data/": f"{tmp_path}/./data",
        "../x": f"{tmp_path}/../x",
    }  # fmt: skip
    assert {path: absolute_path(path) for path in told} == told
    server = BrokerServer(BrokerConfig.from_sources(), [binding("PLAINTEXT")], "data/", log_dirs=["data/", "other"])
    assert server.directories == (f"{tmp_path}/data", f"{tmp_path}/other")
