"""Run generated sequences, as a test or for as long as asked."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from compat_tests.generated.machine import TwoBrokers
from compat_tests.generated.pair import Brokers

STEPS = 25


def run_sequences(brokers: Brokers, count: int, start: int) -> None:
    """Run `count` sequences from a seed. A difference is shrunk and printed as the body of a test."""

    def sequence() -> TwoBrokers:
        return TwoBrokers(brokers)

    chosen = settings(
        max_examples=count,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,  # what was found is kept as a test of its own
        phases=(Phase.generate, Phase.shrink),
        print_blob=False,
        report_multiple_bugs=False,
        # steps wait for two real brokers, and most values are short lists of small structures
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    )
    run_state_machine_as_test(seed(start)(sequence), settings=chosen)  # type: ignore[arg-type]  # any maker will do
