"""A node's relations to controllers: registration, heartbeats, forwarding, and its replica of the metadata quorum."""
