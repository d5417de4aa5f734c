"""Record batches, Kafka's message format v2: views, building, reading. Bytes only, no I/O."""
