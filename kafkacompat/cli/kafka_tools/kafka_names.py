"""Errors as Kafka's tools print them: the class of the Java client's exception, and its sentence."""

from __future__ import annotations

from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.client.errors import BrokerError

PACKAGE = "org.apache.kafka.common.errors"
_CLASSES = {
    errors.INVALID_CONFIG: "InvalidConfigurationException",
    errors.INVALID_TOPIC_EXCEPTION: "InvalidTopicException",
    errors.NON_EMPTY_GROUP: "GroupNotEmptyException",
    errors.REQUEST_TIMED_OUT: "TimeoutException",
    errors.TOPIC_ALREADY_EXISTS: "TopicExistsException",
    errors.UNKNOWN_SERVER_ERROR: "UnknownServerException",
}
"""Those that are not named like their error code."""
SENTENCES = {
    errors.GROUP_ID_NOT_FOUND: "The group id does not exist.",
    errors.GROUP_SUBSCRIBED_TO_TOPIC: (
        "Deleting offsets of a topic is forbidden while the consumer group is actively subscribed to it."
    ),
    errors.NON_EMPTY_GROUP: "The group is not empty.",
    errors.UNKNOWN_TOPIC_OR_PARTITION: "This server does not host this topic-partition.",
}
"""What the Java client says where a broker says nothing."""


def exception(error: BrokerError) -> str:
    """The whole, such as `org.apache.kafka.common.errors.GroupNotEmptyException: The group is not empty.`"""
    code = error.error_code
    name = _CLASSES.get(code) or errors.name(code).title().replace("_", "") + "Exception"
    return f"{PACKAGE}.{name}: {sentence(error)}"


def sentence(error: BrokerError) -> str:
    """The message alone."""
    return error.message or SENTENCES.get(error.error_code) or str(error)
