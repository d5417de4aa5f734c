"""Deterministic simulation of time, network and disk from a seed: `python -m tests.sim raft --seed 7` replays a run."""
