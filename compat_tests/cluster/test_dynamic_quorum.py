"""Changes of who votes in the metadata quorum (KIP-853), side by side with Apache Kafka: node 1 votes alone at first,
controllers 2 and 3 follow. Each test leaves it so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from compat_tests.broker_process import free_port
from compat_tests.chaos.nodes import KINDS, Nodes
from compat_tests.clients.java_tools.tools import ToolError, Tools
from compat_tests.cluster.conftest import SETTINGS, Compare
from compat_tests.cluster.party import Party
from compat_tests.cluster.quorum_of import OWN, STRANGER, QuorumOf
from compat_tests.cluster.test_tools import METADATA_QUORUM
from compat_tests.report.collector import RECORDER
from compat_tests.running import closed_at_the_end
from kafkacompat.protocol.messages import add_raft_voter, remove_raft_voter, update_raft_voter
from kafkacompat.protocol.primitives import ZERO_UUID, uuid_to_text


@pytest.fixture(scope="module")
def _dynamic_clusters() -> Iterator[dict[str, Nodes]]:
    yield from closed_at_the_end()


@pytest.fixture
def shared_broker(_dynamic_clusters: dict[str, Nodes], request: pytest.FixtureRequest) -> Callable[[str], Nodes]:
    """`shared_broker(kind)` is the running cluster of that kind."""
    recorder = request.config.stash[RECORDER]

    def running(kind: str) -> Nodes:
        if kind not in KINDS:
            pytest.skip(f"{kind} is no cluster whose controllers may be added and removed")
        if kind not in _dynamic_clusters:
            made = KINDS[kind](
                3, config=SETTINGS, stand_in=lambda port: recorder.listen("127.0.0.1", port), is_dynamic=True
            )
            _dynamic_clusters[kind] = made
            made.start()
        return _dynamic_clusters[kind]

    return running


@pytest.mark.api("AddRaftVoter")
@pytest.mark.parametrize("version", [0, 1])
def test_controllers_that_cannot_be_added(compare: Compare, version: int) -> None:
    def script(party: Party) -> Any:
        quorum = QuorumOf(party)
        quorum.wait_until_ready(2)
        _, host, port = quorum.places(2)[0]
        add = quorum.add
        requests = {
            "of another cluster": add(2, cluster_id="another"),
            "of no cluster": add(1, cluster_id=None),
            "a negative id": add(-1),
            "no directory": add(2, ZERO_UUID),
            "no listeners": add(2, places=[]),
            "another listener": add(2, places=[("PLAINTEXT", host, port)]),
            "a listener in small letters": add(1, places=[("controller", host, port)]),
            "a voter": add(1),
            "a voter with another directory": add(1, STRANGER),
            "nobody listens": add(9, STRANGER, [("CONTROLLER", host, free_port())]),
            "no port": add(9, STRANGER, [("CONTROLLER", host, 0)]),
            "one that does not follow": add(9, STRANGER),
            "another directory of one that follows": add(2, STRANGER),
        }
        found = {"by a broker": party.ask_all(add_raft_voter, version, requests, 2)}
        found["by the leader"] = party.controller(1).ask_all(add_raft_voter, version, requests)
        found["by another controller"] = party.controller(3).ask_all(add_raft_voter, version, requests)
        return found | quorum.wait_for(1)

    compare(script)


@pytest.mark.api("RemoveRaftVoter")
def test_controllers_that_cannot_be_removed(compare: Compare) -> None:
    def script(party: Party) -> Any:
        quorum = QuorumOf(party)
        remove = quorum.remove
        requests = {
            "of another cluster": remove(1, cluster_id="another"),
            "of no cluster": remove(2, cluster_id=None),
            "a negative id": remove(-1),
            "no directory": remove(1, ZERO_UUID),
            "nobody": remove(9),
            "one that only follows": remove(2),
            "another directory": remove(1, STRANGER),
            "the last voter": remove(1),
        }
        found = {"by a broker": party.ask_all(remove_raft_voter, 0, requests, 2)}
        found["by the leader"] = party.controller(1).ask_all(remove_raft_voter, 0, requests)
        found["by another controller"] = party.controller(3).ask_all(remove_raft_voter, 0, requests)
        return found | quorum.wait_for(1)

    compare(script)


@pytest.mark.api("AddRaftVoter", "RemoveRaftVoter")
def test_controllers_come_and_go(compare: Compare) -> None:
    """The leader, too: another voter leads then, and the old one follows and can come back."""

    def script(party: Party) -> Any:
        quorum = QuorumOf(party)
        add, remove = quorum.add, quorum.remove
        quorum.wait_until_ready(2)
        found = {"second": party.ask(add_raft_voter, 0, add(2), 3), "two": quorum.wait_for(1, 2)}
        found["again"] = party.ask(add_raft_voter, 0, add(2), 3)
        found["with another directory"] = party.ask(add_raft_voter, 1, add(2, STRANGER), 3)
        quorum.wait_until_ready(3)
        found["third"] = party.ask(add_raft_voter, 1, add(3, is_acked=False), 2)
        found["three"] = quorum.wait_for(1, 2, 3)
        quorum.wait_until_committed()
        found["not with that directory"] = party.ask(remove_raft_voter, 0, remove(3, STRANGER), 1)
        found["third goes"] = party.ask(remove_raft_voter, 0, remove(3), 1)
        found["two again"] = quorum.wait_for(1, 2)
        found["leader goes"] = party.controller(1).ask(remove_raft_voter, 0, remove(1))
        found["one"] = quorum.wait_for(2)
        assert quorum.leader() == 2
        quorum.wait_until_ready(1)
        found["first comes back"] = party.controller(2).ask(add_raft_voter, 1, add(1))
        found["asked of the wrong one"] = party.controller(3).ask(remove_raft_voter, 0, remove(2))
        found["second goes"] = party.controller(2).ask(remove_raft_voter, 0, remove(2))
        party.wait(lambda: quorum.leader() == 1, "controller 1 does not lead")
        return found | quorum.wait_for(1)

    compare(script)


@pytest.mark.api("AddRaftVoter", "RemoveRaftVoter")
def test_one_change_at_a_time(compare: Compare) -> None:
    """One that cannot be committed, as a voter is paused, ends by its time-out; others are refused until then."""

    def script(party: Party) -> Any:
        quorum = QuorumOf(party)
        leader = party.controller(1)
        for node_id in (2, 3):
            quorum.wait_until_ready(node_id)
            quorum.quietly_add(node_id)
        quorum.wait_for(1, 2, 3)
        try:
            party.nodes.pause(2)
            leader.start(remove_raft_voter, 0, quorum.remove(3))
            other = party.another_controller(1)
            party.wait(lambda: sorted(quorum.voters()) == [1, 2], "the voter is not removed")
            found = {"an addition meanwhile": other.ask(add_raft_voter, 1, quorum.add(3))}
            found["a removal meanwhile"] = other.ask(remove_raft_voter, 0, quorum.remove(2))
            found["the first"] = leader.finish(remove_raft_voter, 0)
        finally:
            party.nodes.resume(2)
        found |= quorum.wait_for(1, 2)
        quorum.quietly_remove(2)
        party.wait(lambda: quorum.leader() == 1, "controller 1 does not lead")
        return found

    compare(script)


@pytest.mark.api("AddRaftVoter", "RemoveRaftVoter")
def test_what_voters_tell_their_leader(compare: Compare) -> None:
    def script(party: Party) -> Any:
        quorum = QuorumOf(party)
        quorum.wait_until_ready(2)
        quorum.quietly_add(2)
        quorum.wait_for(1, 2)
        epoch = quorum.state().leader_epoch
        update = quorum.update
        requests = {
            "of another cluster": update(2, epoch, cluster_id="another"),
            "an older epoch": update(2, epoch - 1),
            "a newer epoch": update(2, epoch + 1),
            "a negative id": update(-1, epoch),
            "no directory": update(2, epoch, ZERO_UUID),
            "no listeners": update(2, epoch, places=[]),
            "another listener": update(2, epoch, places=[("PLAINTEXT", "h", 1)]),
            "negative levels": update(2, epoch, levels=(-1, 1)),
            "levels the wrong way round": update(2, epoch, levels=(1, 0)),
            "levels that are too low": update(2, epoch, levels=(0, 0)),
            "levels that are too high": update(2, epoch, levels=(2, 3)),
            "nobody": update(9, epoch),
            "one that only follows": update(3, epoch),
            "another directory": update(2, epoch, STRANGER),
            "as it is": update(2, epoch),
        }
        found = {"by the leader": party.controller(1).ask_all(update_raft_voter, 0, requests, OWN)}
        found["by another"] = party.controller(3).ask_all(update_raft_voter, 0, requests, OWN)
        quorum.wait_until_committed()
        quorum.quietly_remove(2)
        return found | quorum.wait_for(1)

    compare(script)


@pytest.mark.full
@pytest.mark.api("AddRaftVoter", "RemoveRaftVoter")
def test_what_kafka_s_tool_says(compare: Compare, tmp_path: Path) -> None:
    """kafka-metadata-quorum.sh, of controllers that are added and removed, and of those that cannot be."""

    def script(party: Party) -> Any:
        quorum = QuorumOf(party)
        tools = Tools(party.nodes.address_of(3), tmp_path)
        directories = {node_id: uuid_to_text(quorum.directory_id(node_id)) for node_id in (1, 2)}

        def say(*arguments: str) -> str:
            try:
                said = tools.run(METADATA_QUORUM, *arguments)
            except ToolError as error:
                said = next(line for line in error.output.splitlines() if "Exception" in line).partition(":")[0]
            for node_id, directory in directories.items():
                said = said.replace(directory, f"directory {node_id}")
            return re.sub(r"127\.0\.0\.1:\d+", "address", said)

        def remove(node_id: int, directory: int) -> str:
            key = ("--controller-id", str(node_id), "--controller-directory-id", directories[directory])
            return say("remove-controller", *key)

        quorum.wait_until_ready(2)
        properties = ("--command-config", str(party.nodes.nodes[2].properties))
        found = {"added": say(*properties, "add-controller"), "again": say(*properties, "add-controller")}
        quorum.wait_for(1, 2)
        found["with another directory"] = remove(2, 1)
        found["removed"] = remove(2, 2)
        quorum.wait_for(1)
        return found | {"the last": remove(1, 1)}

    answer = compare(script)
    assert "Added controller 2" in answer["added"]
    assert "directory 2" in answer["removed"]
