"""`python -m benchmarks.first_transaction`: how long the first `init_transactions` on a fresh cluster takes.

It is beside a second producer's on the same cluster, which needs no `__transaction_state`, so that what the clients
themselves wait is seen; and beside a client of one socket without any waits of its own.
"""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from kafkacompat import Cluster
from kafkacompat.client.client import Client
from kafkacompat.client.transactional_producer import TransactionalProducer

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 10


class Took(NamedTuple):
    """Wall clock and the CPU time of this process, which has brokers and client, in ms."""

    wall_ms: float
    cpu_ms: float


def librdkafka(kafka: Cluster, transactional_id: str) -> Callable[[], object]:
    """A producer of confluent-kafka that is connected."""
    from confluent_kafka import Producer

    producer = Producer(kafka.config_for("confluent") | {"transactional.id": transactional_id, "log_level": 0})
    producer.list_topics(timeout=30)
    return lambda: producer.init_transactions(30)


def kafka_python(kafka: Cluster, transactional_id: str) -> Callable[[], object]:
    """A producer of kafka-python."""
    from kafka import KafkaProducer

    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap_servers, transactional_id=transactional_id)
    return lambda: (producer.init_transactions(), producer)


def own(kafka: Cluster, transactional_id: str) -> Callable[[], object]:
    """The client of the command line, which waits for answers only."""
    client = Client(kafka.bootstrap_servers)
    client.metadata(())
    return TransactionalProducer(client, transactional_id).start


CLIENTS = {"own": own, "librdkafka": librdkafka, "kafka-python": kafka_python}


def timed(call: Callable[[], object]) -> Took:
    """Call it once."""
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    call()
    return Took((time.perf_counter() - wall_s) * 1000, (time.process_time() - cpu_s) * 1000)


def measure(name: str, rounds: int) -> None:
    """Print a line of the first and the second id on each of so many fresh clusters: medians, and the first of all,
    which imports what nothing has imported before.
    """
    connect = CLIENTS[name]
    first, second = [], []
    for _ in range(rounds):
        with Cluster() as kafka:
            first.append(timed(connect(kafka, "first")))
            second.append(timed(connect(kafka, "second")))
    shown = [f"{what} {_of(took)}" for what, took in (("first id", first), ("second id", second))]
    print(
        f"{name}: {', '.join(shown)}; the very first {first[0].wall_ms:.0f} ms ({first[0].cpu_ms:.0f} CPU)", flush=True
    )


def _of(found: list[Took]) -> str:
    return f"{median(each.wall_ms for each in found):.0f} ms ({median(each.cpu_ms for each in found):.0f} CPU)"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clients", nargs="*", default=list(CLIENTS), help=", ".join(CLIENTS))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    for client_name in options.clients:
        measure(client_name, options.rounds)
