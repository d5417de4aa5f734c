"""Kafka's configuration. Every package may import it; it imports nothing of the project.

`definitions` has the tables, `broker` and `topic` resolve values, `describe` and `alter` serve the admin APIs,
`properties` reads files and flags. Facts are those of Apache Kafka 4.3.1.
"""

from kafkacompat.config.broker import BrokerConfig as BrokerConfig
from kafkacompat.config.broker import development_defaults as development_defaults
from kafkacompat.config.topic import TopicConfig as TopicConfig
from kafkacompat.config.values import ConfigError as ConfigError
