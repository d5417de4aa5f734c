"""A file is found by its name: two of the package have the same one only where their folders say how they differ."""

from __future__ import annotations

from collections import Counter

from tests.tidy.tree import python_files

PAIRS = {
    "broker.py": "a node; the configs of a node; the broker that the demo talks to",
    "checks.py": "of configs; of what the demo read",
    "child.py": "processes of a cluster; of the demo",
    "clock.py": "the one that is read; how it is moved; what a user moves",
    "client.py": "a replica of the metadata log; a client of any Kafka",
    "connection.py": "a client's, as the broker knows it; its socket",
    "describe.py": "the answers of DescribeConfigs; of DescribeGroups",
    "errors.py": "all of the package; what a log refuses; what ends the demo",
    "format.py": "the command; what it does",
    "group.py": "what all kinds of groups offer; the group of the demo",
    "health.py": "the command; what a node says of itself",
    "limits.py": "of the shell; of one request to the controller",
    "log.py": "a partition's; the metadata log",
    "faults.py": "rules of a running node, as plain values; of a cluster, for Python",
    "producer_ids.py": "blocks that the controller gives out; ids out of them, on a broker",
    "records.py": "of __consumer_offsets; of __transaction_state",
    "registration.py": "what a broker says of itself; whether it may join",
    "result.py": "what the controller decides; what a coordinator decides",
    "roles.py": "of a node by its configuration; what has to be said with them",
    "settings.py": "in effect under an image; out of what a user gave",
    "service.py": "the group coordinator; the transaction coordinator",
    "shard.py": "of groups; of transactional ids",
    "snapshots.py": "of the metadata log; of a whole cluster",
    "state.py": "what a reset does to a node; to a cluster; of a transactional id",
    "startup_topics.py": "of a node; of a cluster",
    "views.py": "of a node; of a cluster",
    "voter_changes.py": "as the active controller is asked for them; which one may follow which",
    "voter_requests.py": "of operators; of a follower about itself",
}
"""What each of them is."""


def test_no_other_name_stands_twice() -> None:
    apart = ("kafkacompat/protocol/", "kafkacompat/broker/handlers/")  # one module for each message, at each layer
    names = [name for name in python_files("kafkacompat/") if not name.startswith(apart)]
    count = Counter(name.rpartition("/")[2] for name in names)
    del count["__init__.py"]
    assert {name for name, times in count.items() if times > 1} == set(PAIRS)
