"""What goes wrong between a client and brokers. Each message is one line for the user."""

from __future__ import annotations

from kafkacompat.client.texts import one_line
from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol import error_codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class ClientError(KafkaCompatError):
    """The base class of what the client raises."""


class UnreachableError(ClientError):
    """No connection: the name does not resolve, the port refuses, or the connection was closed."""


class AddressError(ClientError):
    """What was given is no list of addresses."""


class ExpiredError(ClientError):
    """The time that was given ran out."""


class UnknownPeerError(ClientError):
    """Bytes that are no answer of a Kafka broker. `received` are the first of them."""

    def __init__(self, message: str, received: bytes = b"") -> None:
        super().__init__(message)
        self.received = received


class SecurityError(ClientError):
    """TLS could not be set up, or the credentials were refused. `mechanisms` are those that the broker offers."""

    def __init__(self, message: str, mechanisms: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.mechanisms = mechanisms


class NoSaslError(SecurityError):
    """The listener takes no credentials."""

    def __init__(self, address: str) -> None:
        super().__init__(f"{address} takes no SASL: leave out user and mechanism, or name another listener")


class UnsupportedApiError(ClientError):
    """The broker has none of the versions of an API that this client has."""


class BrokerError(ClientError):
    """A broker's error code. `subject` is what it is about, as in "topic 'orders'", `message` what the broker says."""

    def __init__(self, error_code: int, subject: str, message: str | None = None) -> None:
        self.error_code = error_code
        self.subject = subject
        self.message = message
        self.name = error_codes.name(error_code)
        super().__init__(f"{subject}: {message or _MEANINGS.get(error_code, 'the broker refused')} ({self.name})")


class ControlError(ClientError):
    """A problem of the control API (RFC 9457). `status` is HTTP's, `name` the last part of its type, `members` all."""

    def __init__(self, status: int, members: Mapping[str, Any]) -> None:
        super().__init__(one_line(members.get("detail") or members.get("title") or f"HTTP status {status}"))
        self.status = status
        self.name = str(members.get("type", "")).rpartition(":")[2]
        self.members = members


_MEANINGS = {
    error_codes.UNKNOWN_TOPIC_OR_PARTITION: "it does not exist",
    error_codes.UNKNOWN_TOPIC_ID: "it does not exist any more",
    error_codes.TOPIC_ALREADY_EXISTS: "it exists already",
    error_codes.INVALID_TOPIC_EXCEPTION: "this is not a valid name",
    error_codes.OFFSET_OUT_OF_RANGE: "the log has no such offset",
    error_codes.MESSAGE_TOO_LARGE: "the batch is larger than the topic's max.message.bytes",
    error_codes.NOT_ENOUGH_REPLICAS: "fewer replicas are in sync than min.insync.replicas asks for",
    error_codes.TOPIC_AUTHORIZATION_FAILED: "this user may not do that with the topic",
    error_codes.GROUP_AUTHORIZATION_FAILED: "this user may not do that with the group",
    error_codes.CLUSTER_AUTHORIZATION_FAILED: "this user may not do that with the cluster",
    error_codes.GROUP_ID_NOT_FOUND: "it does not exist",
    error_codes.TRANSACTIONAL_ID_NOT_FOUND: "it does not exist",
    error_codes.INVALID_REGULAR_EXPRESSION: "the pattern is no regular expression that the broker takes",
    error_codes.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "this user may not do that with the transactional id",
    error_codes.NON_EMPTY_GROUP: "it has members: stop them first",
    error_codes.UNKNOWN_MEMBER_ID: "it has members: stop them first",
    error_codes.GROUP_SUBSCRIBED_TO_TOPIC: "a member is subscribed to the topic",
    error_codes.LEADER_NOT_AVAILABLE: "it has no leader",
    error_codes.COORDINATOR_NOT_AVAILABLE: "its coordinator is not available",
    error_codes.REQUEST_TIMED_OUT: "the broker did not finish in time",
    error_codes.POLICY_VIOLATION: "a policy forbids it, such as a cleanup.policy of the topic without delete",
    error_codes.INVALID_REPLICATION_FACTOR: "there are fewer brokers than replicas were asked for",
}
