"""The meter counts turns of the loop since it was last asked, and the worst round decides."""

import pytest

from benchmarks import metered
from benchmarks.bars import judge
from benchmarks.metered import TURN_CPU_MS, TURN_WALL_MS
from benchmarks.table import Samples, add, medians
from compat_tests.api.raw import RawClient
from compat_tests.kafkacompat_broker import KafkacompatBroker
from kafkacompat.protocol.messages import metadata


def test_turns_of_a_broker_since_the_last_question(tmp_path):
    meter = tmp_path / "meter"
    broker = KafkacompatBroker(program=metered.command(meter))
    try:
        broker.start()
        metered.begin(meter)
        with RawClient(broker.bootstrap_servers) as client:
            client.call(metadata.API_KEY, 12, metadata.MetadataRequest(topics=[]))
        found = metered.read(meter)
        broker.stop()
    finally:
        broker.close()
    assert set(found) == {TURN_CPU_MS, TURN_WALL_MS}
    assert found[TURN_CPU_MS] > 0
    assert found[TURN_WALL_MS] > 0


def test_nobody_listens(tmp_path):
    with pytest.raises(OSError, match=r"."):
        metered.begin(tmp_path / "meter")


@pytest.mark.parametrize(("longest_ms", "is_held"), [(20.0, True), (20.1, False)])
def test_one_long_turn_in_any_round_misses_the_bar(longest_ms, is_held):
    samples: Samples = {}
    for cpu_ms in (3.0, longest_ms, 4.0):
        add(samples, "kafkacompat", {"with": {TURN_CPU_MS: cpu_ms, "p99_ms": cpu_ms}})
    (verdict,) = judge(metered.longest_turn_bar("with"), medians(samples))
    assert verdict.held == is_held
    assert medians(samples)["with"]["kafkacompat"]["p99_ms"] == 4.0
