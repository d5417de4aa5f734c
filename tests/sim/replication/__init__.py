"""Brokers that replicate a partition, in a seeded world: `python -m tests.sim isr --seed 7` replays one run."""
