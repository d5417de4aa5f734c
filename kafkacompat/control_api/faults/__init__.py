"""Faults of a running node: rules for requests; links, disks, leaders, replicas and sessions."""
