"""Brokers with settings of their own, which the tests of a folder share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from compat_tests.broker_process import Broker
from compat_tests.conftest import make_broker
from compat_tests.running import closed_at_the_end


def shared_brokers(
    config: pytest.Config, settings: Mapping[str, str], prepare: Callable[[Broker], object] = lambda _broker: None
) -> Iterator[Callable[[str], Broker]]:
    """For the fixture `shared_broker` of a folder, of the session: `shared_broker(kind)` is the running broker of that
    kind with the settings. prepare: is called with each one once it was started.
    """
    for running in closed_at_the_end():

        def broker(kind: str, running: dict[str, Broker] = running) -> Broker:
            if kind not in running:
                made = running[kind] = make_broker(kind, config, settings)  # closed at the end, started or not
                made.start()
                prepare(made)
            return running[kind]

        yield broker
