"""kill -9 under load: whatever was acknowledged is there afterwards, once and in order."""

from random import Random

from tests.robustness.client import Client, batch_of
from tests.robustness.killing import KilledBroker, kill_under_load

CYCLES = 8


def test_kill_under_load(tmp_path):
    broker = KilledBroker(tmp_path / "data", "--config", "offsets.topic.num.partitions=2")
    try:
        assert kill_under_load(broker, CYCLES, Random(1)) > CYCLES
        broker.stop()
    finally:
        broker.child.process.kill()


def test_kill_right_after_the_start(tmp_path):
    broker = KilledBroker(tmp_path / "data")
    try:
        with Client(broker.port) as client:
            client.create_topic("t", 3)
            assert client.produce("t", batch_of(b"1"), 2).error_code == 0
        for _ in range(3):
            broker.kill()
        with Client(broker.port) as client:
            assert client.read_all("t", 2) == [(0, b"1")]
        broker.stop()
    finally:
        broker.child.process.kill()
