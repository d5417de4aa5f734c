"""One data directory that changes hands between Apache Kafka and this broker, again and again."""
