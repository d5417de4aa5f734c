"""Apache Kafka's command-line tools, many in one JVM: a JVM for each command takes seconds of a small machine."""
