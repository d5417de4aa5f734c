"""The short form of `python -m tests.fuzz`: fixed seeds, so that a failure here is a change of ours."""

import pytest

from tests.fuzz.session import Session

SEEDS = range(1, 9)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mutated_share", [0.0, 0.5, 0.9])
def test_the_broker_survives(seed, mutated_share):
    Session(seed, mutated_share=mutated_share).run()


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
