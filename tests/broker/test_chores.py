import pytest

from kafkacompat.broker.chores import repeat
from kafkacompat.broker.timers import Timers
from kafkacompat.now import Now
from tests.broker.handlers.test_produce_fetch import batch, produce_request
from tests.broker.harness import BrokerHarness


def test_a_chore_comes_back_even_when_it_fails():
    timers, runs = Timers(), []

    def chore(now: Now) -> None:
        runs.append(now.monotonic_ms)
        if len(runs) == 1:
            raise OSError("disk")

    repeat(timers, "chore", 10, chore, Now(0, 0))
    with pytest.raises(OSError, match="disk"):
        timers.run(Now(10, 0))
    timers.run(Now(19, 0))
    timers.run(Now(20, 0))
    assert runs == [10, 20]


def test_high_watermarks_are_checkpointed():
    broker = BrokerHarness()
    broker.create_topic("t", 2)
    broker.ask(produce_request((1, batch(b"a", b"b"))), 9)
    broker.advance(5_000)
    checkpoint = broker.fs.read_bytes("/data/replication-offset-checkpoint").decode()
    assert "t 0 0\n" in checkpoint
    assert "t 1 2\n" in checkpoint


def test_recovery_points_survive_a_loss_of_power():
    broker = BrokerHarness(log_flush_interval_messages="1")
    broker.create_topic("t", 1)
    broker.ask(produce_request((0, batch(b"a", b"b"))), 9)
    broker.advance(5_000)
    assert b"t 0 2\n" in broker.fs.read_bytes("/data/recovery-point-offset-checkpoint")
    broker.fs.crash()
    assert b"t 0 2\n" in broker.fs.read_bytes("/data/recovery-point-offset-checkpoint")
