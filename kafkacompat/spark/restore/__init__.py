"""Archives become topics again: in a cluster, or in the data directory of a new broker."""
