"""Log compaction: the last record of each key stays (Kafka's ``Cleaner``). See ``docs/compaction.md``."""
