"""Exceptions for users. Each message is one line that says what happened and what to do next."""


class KafkaCompatError(Exception):
    """The base class of all exceptions that kafkacompat raises to its users."""


class StartupError(KafkaCompatError):
    """A broker cannot start: a taken port, a locked or unwritable data directory, a file that cannot be read."""
