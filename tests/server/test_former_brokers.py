"""A cluster from a snapshot does not wait for the brokers of the former one, which still run at their addresses."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kafkacompat import Cluster

SESSION_S = 9


@pytest.mark.parametrize("processes", [False, True])
def test_a_restored_cluster_starts_while_the_former_one_runs(tmp_path: Path, processes: bool) -> None:
    path = tmp_path / "it.tar"
    with Cluster(brokers=2, processes=processes, topics={"orders": (1, 2)}) as former:
        former.snapshot(path)
        began = time.monotonic()
        with Cluster.restore(path, processes=processes) as restored:
            took_s = time.monotonic() - began
            assert list(restored.topics()) == ["orders"]
            restored.kill(1)  # a later start knows its brokers as any other
            restored.restart(1)
            assert len(restored.bootstrap_servers.split(",")) == 2
        assert list(former.topics()) == ["orders"]
    assert took_s < SESSION_S


def test_a_later_controller_takes_nobody_for_a_former_broker(tmp_path: Path) -> None:
    path = tmp_path / "it.tar"
    with Cluster(brokers=3, topics={"orders": (1, 3)}) as former:
        former.snapshot(path)
    with Cluster.restore(path) as restored:
        epochs = {each: restored._call(each, lambda server: server.broker.broker_epoch) for each in (1, 2, 3)}
        ends = {each: restored._call(each, lambda server: server.broker.controller_server.former_end_offset)
                for each in (1, 2, 3)}  # fmt: skip
        assert 0 < max(ends.values()) < min(epochs.values())
        restored.move_controller()
        after = {each: restored._call(each, lambda server: server.broker.broker_epoch) for each in (1, 2, 3)}
        assert after == epochs
