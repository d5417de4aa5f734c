"""Real processes, stock clients that write and read, faults by a seeded plan, and a check of all that they saw."""
