"""Compare for as long as asked: `python -m compat_tests.generated --minutes 10 --seed 1`."""

from __future__ import annotations

import argparse
import sys
import time

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.api.topics import wait_for_coordinator
from compat_tests.generated.pair import Brokers, Tally
from compat_tests.generated.running import run_sequences
from compat_tests.kafkacompat_broker import KafkacompatBroker

COUNT = 50
"""Sequences to a seed."""


def main() -> int:
    """The exit status: 1 when a difference was found."""
    parser = argparse.ArgumentParser(prog="python -m compat_tests.generated", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000_000)
    options = parser.parse_args()
    ours, theirs = KafkacompatBroker(), ApacheKafka()
    seed = options.seed
    try:
        for broker in (ours, theirs):
            broker.start()
            wait_for_coordinator(broker.bootstrap_servers)
        brokers = Brokers(ours.bootstrap_servers, theirs.bootstrap_servers, Tally())
        deadline = time.monotonic() + options.minutes * 60
        while time.monotonic() < deadline:
            try:
                run_sequences(brokers, COUNT, seed)
            except Exception as error:  # noqa: BLE001 (whatever it is, it is shown with its seed)
                print(f"seed {seed}: {error}", *getattr(error, "__notes__", []), sep="\n")
                print(brokers.tally)
                return 1
            seed += 1
        print(f"seeds {options.seed} to {seed - 1}: {brokers.tally}", *brokers.tally.ledger.lines(), sep="\n")
        return 0
    finally:
        ours.close()
        theirs.close()


if __name__ == "__main__":
    sys.exit(main())
