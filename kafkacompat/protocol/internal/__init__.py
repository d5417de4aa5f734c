"""Records that Kafka keeps in its own topics and files; one module for each topic, loaded when imported by name."""
