"""The data source `kafkacompat-log`: segment files, decoded in columns."""
