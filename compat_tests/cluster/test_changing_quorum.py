"""What a quorum can do once and not take back, beside Apache Kafka: each test has clusters of its own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from compat_tests.chaos.nodes import KINDS, Nodes
from compat_tests.clients.java_tools.tools import FEATURES, ToolError, Tools
from compat_tests.cluster.conftest import SETTINGS, Compare
from compat_tests.cluster.party import Party
from compat_tests.cluster.quorum_of import QuorumOf
from compat_tests.report.collector import RECORDER
from kafkacompat.protocol.messages import add_raft_voter, remove_raft_voter, update_features

UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
JOINS = {"controller.quorum.auto.join.enable": "true"}
pytestmark = pytest.mark.full


@pytest.fixture
def shared_broker(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Nodes]]:
    """A cluster of each kind, for one test. In that of controllers that make themselves voters, one votes at first."""
    recorder = request.config.stash[RECORDER]
    joins = request.function is test_controllers_make_themselves_voters
    made: dict[str, Nodes] = {}

    def running(kind: str) -> Nodes:
        if kind not in KINDS:
            pytest.skip(f"{kind} is no cluster whose quorum may be changed")
        if kind not in made:
            made[kind] = KINDS[kind](
                3, config={**SETTINGS, **(JOINS if joins else {})}, is_dynamic=joins,
                stand_in=lambda port: recorder.listen("127.0.0.1", port),
            )  # fmt: skip
            made[kind].start()
        return made[kind]

    yield running
    for nodes in made.values():
        nodes.close()


def features(party: Party, tmp_path: Path, *arguments: str) -> list[str]:
    """What kafka-features.sh says of kraft.version, asked of the second broker."""
    tools = Tools(party.nodes.address_of(2), tmp_path)
    try:
        said = tools.run(FEATURES, *arguments)
    except ToolError as error:
        said = error.output
    found = [re.sub(r"\s*Epoch: \d+", "", line.strip()) for line in said.splitlines() if "kraft.version" in line]
    return [re.sub(r"\s+", " ", line) for line in found]


@pytest.mark.api("UpdateFeatures", "AddRaftVoter", "RemoveRaftVoter")
def test_voters_move_from_the_configuration_into_the_log(compare: Compare, tmp_path: Path) -> None:
    """kafka-features.sh upgrade --feature kraft.version=1. There is no way back; voters can then come and go."""

    def script(party: Party) -> Any:
        def ask(level: int, kind: int = UPGRADE, *, tried: bool = False) -> update_features.UpdateFeaturesRequest:
            update = update_features.FeatureUpdateKey("kraft.version", level, upgrade_type=kind)
            return update_features.UpdateFeaturesRequest(5_000, [update], tried)

        quorum = QuorumOf(party)
        quorum.wait_until_told()
        found: dict[str, Any] = {"before": features(party, tmp_path, "describe")}
        found["upgraded"] = features(party, tmp_path, "upgrade", "--feature", "kraft.version=1")
        found |= quorum.wait_for(1, 2, 3)
        quorum.wait_until_committed()
        found["after"] = features(party, tmp_path, "describe")
        found["downgraded"] = features(party, tmp_path, "downgrade", "--feature", "kraft.version=0")
        requests = {
            "again": ask(1),
            "again, called a downgrade": ask(1, SAFE_DOWNGRADE),
            "down": ask(0),
            "down, safely": ask(0, SAFE_DOWNGRADE),
            "down, at any price": ask(0, UNSAFE_DOWNGRADE),
            "too high": ask(2),
        }
        found["levels"] = party.ask_all(update_features, 2, requests, 2)
        follower = 1 + quorum.leader() % 3
        leader = party.controller(quorum.leader())
        found["a voter goes"] = leader.ask(remove_raft_voter, 0, quorum.remove(follower))
        found["it is not one"] = leader.ask(remove_raft_voter, 0, quorum.remove(follower))
        quorum.wait_until_ready(follower)
        found["it comes back"] = leader.ask(add_raft_voter, 1, quorum.add(follower))
        quorum.quietly_add(follower)
        quorum.quietly_remove(9)
        return found | quorum.wait_for(1, 2, 3)

    answer = compare(script)
    assert "FinalizedVersionLevel: 0" in answer["before"][0]
    assert "FinalizedVersionLevel: 1" in answer["after"][0]


@pytest.mark.api("DescribeQuorum")
def test_controllers_make_themselves_voters(compare: Compare) -> None:
    """And one whose directory is lost takes its former self's place (KIP-1186)."""

    def script(party: Party) -> Any:
        quorum = QuorumOf(party)
        found = {"joined": quorum.wait_for(1, 2, 3)}
        former = quorum.directory_id(3)
        party.nodes.kill(3)
        shutil.rmtree(party.nodes.nodes[3].data_dir)
        party.nodes.nodes[3].data_dir.mkdir()
        party.nodes.format(3)
        assert quorum.directory_id(3) != former
        party.nodes.begin(3)
        party.nodes.wait(3)
        found["with a new directory"] = quorum.wait_for(1, 2, 3)
        quorum.wait_until_committed()
        quorum.describe_by_a_broker()
        return found

    compare(script)
