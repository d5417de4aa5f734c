"""Our notation beside the schema files that travel inside Apache Kafka's own jars."""
