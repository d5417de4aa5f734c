"""A run that differs the second time is detected."""

import pytest

from tests.sim import same


def test_a_seed_that_was_another_run_is_named(monkeypatch):
    def runs(kind, seeds, hash_seed):
        assert seeds == "1-2"
        return ["seed 1: abc", f"seed 2: {hash_seed if kind == ('raft',) else ''}"]

    monkeypatch.setattr(same, "runs", runs)
    assert list(same.complaints("1-2")) == ["raft is not the same again:\n  seed 2: 0\n  seed 2: 12345"]


@pytest.mark.parametrize("seeds", ["1-1"])
def test_the_same_seed_runs_twice_in_two_processes(monkeypatch, seeds):
    monkeypatch.setattr(same, "KINDS", (("raft",),))
    assert list(same.complaints(seeds)) == []


def test_nothing_run_proves_nothing(monkeypatch):
    monkeypatch.setattr(same, "runs", lambda *_: [])
    assert len(list(same.complaints("1-2"))) == len(same.KINDS)
