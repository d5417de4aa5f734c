"""A quorum whose voters the configuration names (kraft.version 0), side by side with Apache Kafka."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.cluster.conftest import Compare
from compat_tests.cluster.party import Party
from compat_tests.cluster.quorum_of import OWN, STRANGER, QuorumOf
from kafkacompat.protocol.messages import add_raft_voter, remove_raft_voter, update_features, update_raft_voter

UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3


@pytest.mark.api("AddRaftVoter", "RemoveRaftVoter")
def test_voters_stay_as_the_configuration_names_them(compare: Compare) -> None:
    def script(party: Party) -> Any:
        quorum = QuorumOf(party)
        others = {
            "a voter": quorum.add(1),
            "a stranger": quorum.add(9, STRANGER),
            "no listeners": quorum.add(9, STRANGER, []),
        }
        gone = {"a voter": quorum.remove(1), "a stranger": quorum.remove(9)}
        leader = party.controller(quorum.leader())
        found = {"added": [leader.ask_all(add_raft_voter, version, others) for version in (0, 1)]}
        quorum.ask_by_a_broker()
        return found | {"removed": leader.ask_all(remove_raft_voter, 0, gone)}

    compare(script)


@pytest.mark.api("UpdateFeatures")
def test_levels_of_kraft_version(compare: Compare) -> None:
    """Only what is refused or only tried: the clusters stay as they are."""

    def script(party: Party) -> Any:
        def ask(level: int, kind: int = UPGRADE, *, tried: bool = True) -> update_features.UpdateFeaturesRequest:
            update = update_features.FeatureUpdateKey("kraft.version", level, upgrade_type=kind)
            return update_features.UpdateFeaturesRequest(5_000, [update], tried)

        QuorumOf(party).wait_until_told()
        requests = {
            "tried": ask(1),
            "as it is": ask(0, tried=False),
            "as it is, called a downgrade": ask(0, SAFE_DOWNGRADE, tried=False),
            "a downgrade to a higher level": ask(1, UNSAFE_DOWNGRADE, tried=False),
            "too high": ask(2, tried=False),
            "negative": ask(-1, tried=False),
        }
        return party.ask_all(update_features, 2, requests)

    compare(script)


@pytest.mark.api("RemoveRaftVoter")
def test_what_voters_tell_their_leader(compare: Compare) -> None:
    def script(party: Party) -> Any:
        quorum = QuorumOf(party)
        state = quorum.state()
        leader, epoch = state.leader_id, state.leader_epoch
        follower = 1 + leader % 3
        update = quorum.update
        requests = {
            "an older epoch": update(follower, epoch - 1),
            "a newer epoch": update(follower, epoch + 1),
            "no listeners": update(follower, epoch, places=[]),
            "levels that are too high": update(follower, epoch, levels=(1, 1)),
            "levels the wrong way round": update(follower, epoch, levels=(1, 0)),
            "nobody": update(9, epoch),
            "as it is": update(follower, epoch),
        }
        found = {"by the leader": party.controller(leader).ask_all(update_raft_voter, 0, requests, (*OWN, "leader_id"))}
        found["by another"] = party.controller(follower).ask_all(update_raft_voter, 0, requests, (*OWN, "leader_id"))
        quorum.ask_by_a_broker()
        return found

    compare(script)
