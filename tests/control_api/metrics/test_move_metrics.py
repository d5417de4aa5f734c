"""What `/metrics` says of moves between log directories: how far they are, and which have met an error."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from kafkacompat.control_api.metrics.exposition import Exposition
from kafkacompat.control_api.metrics.move_metrics import CLIENT_ID, MANAGER, of_moves
from tests.broker.harness import BrokerHarness
from tests.broker.replicas.test_replica_alter_log_dirs import Held, alter, begin, wait


def told(broker: BrokerHarness) -> dict[str, float]:
    out = Exposition()
    of_moves(out, vars(broker.broker).get("alter_log_dirs"))
    samples = [each for family in text_string_to_metric_families(out.text().decode()) for each in family.samples]
    for sample in samples:
        assert sample.labels == {"clientId": CLIENT_ID}
    return {sample.name.removeprefix(MANAGER): sample.value for sample in samples}


def test_a_move_is_told_until_it_ends() -> None:
    broker = begin()
    nothing = {"maxlag": 0, "failedpartitionscount": 0, "deadthreadcount": 0}
    assert told(broker) == nothing
    alter(broker, "/b", 0)
    assert told(broker) == {**nothing, "maxlag": 3}
    wait(broker)
    assert told(broker) == nothing


def test_a_move_that_meets_an_error_is_counted_until_it_goes_on() -> None:
    fs = Held()
    broker = begin(fs)
    fs.is_held = True
    alter(broker, "/b", 0)
    wait(broker, 20)
    assert told(broker)["failedpartitionscount"] == 1
    fs.is_held = False
    wait(broker, 100)
    assert told(broker)["failedpartitionscount"] == 0
