"""The verbs of `kafkacompat spark`."""
