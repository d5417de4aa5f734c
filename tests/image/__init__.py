"""The container image without an engine: its tree in a mount namespace, started as testcontainers' modules start it."""
