"""A small blocking Kafka client, for the command line and for the start of clusters. It starts fast."""
