"""Starts testcontainers' Kafka container for Python, prints its address, and stops it when standard input ends."""

import sys

from testcontainers.kafka import KafkaContainer

kind, image = sys.argv[1:]
container = KafkaContainer(image)
if kind == "kraft":
    container = container.with_kraft()
with container as kafka:
    print(f"SERVERS {kafka.get_bootstrap_server()}", flush=True)
    sys.stdin.read()
