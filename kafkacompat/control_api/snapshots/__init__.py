"""Snapshots of a cluster: how they are made and checked."""
