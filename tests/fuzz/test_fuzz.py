"""The short form of `python -m tests.fuzz`: fixed seeds, so that a failure here is a change of ours."""

import itertools
import sys

import pytest

from kafkacompat.broker.connection import BROKER, CONTROLLER
from kafkacompat.protocol.messages import broker_heartbeat
from tests.broker.control.test_forwarding import frame
from tests.fuzz import __main__ as program
from tests.fuzz.leaders import LEADER, LyingSession
from tests.fuzz.session import FoundError, Session

SEEDS = {BROKER: range(1, 6), CONTROLLER: range(1, 4)}


@pytest.mark.parametrize(("listener", "seed"), [(listener, seed) for listener in SEEDS for seed in SEEDS[listener]])
@pytest.mark.parametrize("mutated_share", [0.0, 0.5, 0.9])
def test_the_broker_survives(listener, seed, mutated_share):
    Session(seed, mutated_share=mutated_share, listener=listener).run()


def test_sessions_of_nodes_get_somewhere():
    sessions = [Session(seed, mutated_share=0.0, listener=CONTROLLER) for seed in SEEDS[CONTROLLER]]
    for session in sessions:
        session.run(100)
    assert any(session.network.asked for session in sessions)
    assert any(session.harness.broker.quorum.raft.leader_epoch > 5 for session in sessions)
    assert not all(session.disabled for session in sessions)


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_follower_survives_its_leader(seed):
    LyingSession(seed).run()


def test_a_session_is_the_same_again():
    first, second = Session(42), Session(42)
    first.run(100)
    second.run(100)
    assert (first.frames, first.closed) == (second.frames, second.closed)


def test_the_watch_sees_bugs(monkeypatch):
    session = Session(1, mutated_share=0.0)
    (api,) = (api for api, _kind in session.kinds if api.stem == "describe_cluster")
    monkeypatch.setattr(api.handler, "handle", lambda _request, _context: 1 / 0)
    with pytest.raises(AssertionError, match=r"ZeroDivisionError[\s\S]*python -m tests.fuzz --seed 1 --sessions 1"):
        session.run()


def test_a_directory_that_is_said_to_be_offline_is_believed_until_the_restart(monkeypatch):
    session = Session(1, mutated_share=0.0, listener=CONTROLLER)
    broker = session.harness.broker
    request = broker_heartbeat.BrokerHeartbeatRequest(
        broker.node_id, broker.broker_epoch, 1, offline_log_dirs=[broker.logs.metadata_directory.directory_id]
    )
    session.kinds = [kind for kind in session.kinds if kind[0].stem == "broker_heartbeat"][:1]
    monkeypatch.setattr(session, "_frame", lambda _api, _kind, version: frame(request, version))
    session.run(1)
    assert session.disabled


def test_every_kind_of_listener_gets_every_share_of_malformed_frames(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["fuzz"])
    monkeypatch.setattr(program, "Session", lambda _seed, mutated_share, listener: (listener, mutated_share))
    monkeypatch.setattr(program, "LyingSession", lambda _seed: (LEADER, None))
    options = program._options()
    made = {program._session(options, number) for number in range(9)}
    assert made == {*((kind, share) for kind in SEEDS for share in program.SHARES), (LEADER, None)}


@pytest.mark.skipif(sys.platform == "win32", reason="no timer of CPU time")
def test_a_session_that_does_not_end_is_found(monkeypatch):
    session = Session(1)
    (api,) = (api for api, _kind in session.kinds if api.stem == "describe_cluster")

    def go_on(_request, _context):
        while True:
            pass

    monkeypatch.setattr(api.handler, "handle", go_on)
    monkeypatch.setattr(program, "HANG_S", 0.5)
    with pytest.raises(FoundError, match=r"python -m tests\.fuzz --seed 1 "):
        program._run(session, 1_000)


def test_memory_that_grows_is_found(monkeypatch, capsys):
    sizes = itertools.count(50, program.GROWTH_MAX_MB + 1)
    monkeypatch.setattr(program, "_size_mb", lambda: next(sizes))
    monkeypatch.setattr(program, "WARM_UP", 1)
    monkeypatch.setattr(program, "_run", lambda *_: None)
    monkeypatch.setattr(program, "_session", lambda *_: LyingSession(1))
    monkeypatch.setattr(sys, "argv", ["fuzz", "--sessions", "9"])
    assert program.main() == 1
    assert "a leak: 2 sessions" in capsys.readouterr().err
