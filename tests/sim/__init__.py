"""Cores in a seeded world of time, network and disk: `python -m tests.sim raft --seed 7` replays one run."""
