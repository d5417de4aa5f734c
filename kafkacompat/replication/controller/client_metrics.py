"""Validation of client metrics subscriptions (KIP-714; Kafka's ClientMetricsConfigs)."""

from kafkacompat.config.definitions import CLIENT_METRICS_CONFIGS
from kafkacompat.protocol.error_codes import INVALID_CONFIG, INVALID_REQUEST
from kafkacompat.replication.metadata.result import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MIN_INTERVAL_MS = 100
MAX_INTERVAL_MS = 3_600_000

_MATCHABLE = frozenset(
    {
        "client_id",
        "client_instance_id",
        "client_software_name",
        "client_software_version",
        "client_source_address",
        "client_source_port",
    }
)


def check_client_metrics(wanted: "Mapping[str, str]") -> None:
    """Raises RefusedError for invalid configs of a subscription."""
    for name, value in wanted.items():
        if name not in CLIENT_METRICS_CONFIGS:
            raise RefusedError(INVALID_REQUEST, f"Unknown client metrics configuration: {name}")
        if name == "interval.ms":
            _check_interval(value)
        elif name == "match":
            _check_patterns(value)


def _check_interval(value: str) -> None:
    try:
        interval_ms = int(value)
    except ValueError:
        raise RefusedError(INVALID_CONFIG, f"interval.ms is a number of milliseconds, not {value!r}") from None
    if not MIN_INTERVAL_MS <= interval_ms <= MAX_INTERVAL_MS:
        message = f"interval.ms is between {MIN_INTERVAL_MS} and {MAX_INTERVAL_MS}, not {interval_ms}"
        raise RefusedError(INVALID_REQUEST, message)


def _check_patterns(value: str) -> None:
    import re

    for pattern in filter(None, (part.strip() for part in value.split(","))):
        name, equals, expression = pattern.partition("=")
        try:
            if not equals or name.strip() not in _MATCHABLE:
                raise re.error(f"the name is one of {', '.join(sorted(_MATCHABLE))}")
            re.compile(expression.strip())
        except re.error as error:
            raise RefusedError(INVALID_CONFIG, f"Illegal client matching pattern: {pattern} ({error})") from None
