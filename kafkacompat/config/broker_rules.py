"""Rules between several configs of a broker, at the start and for each change."""

from __future__ import annotations

from kafkacompat.config.values import INVALID_REQUEST, TYPE_CHECKING, ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.config.broker import BrokerConfig


def check_broker_rules(config: BrokerConfig, error_code: int = INVALID_REQUEST) -> None:
    """Check the rules between several configs of a broker (Kafka's `KafkaConfig.validateValues`)."""

    def refuse(name: str, reason: str) -> None:
        raise ConfigError(name, config.text(name), reason, error_code)

    for name, least in (("log.roll.ms", 1), ("log.roll.jitter.ms", 0)):
        value = config.get(name)
        if isinstance(value, int) and value < least:
            refuse(name, f"it has to be at least {least}")
    units = ("log.retention.ms", "log.retention.minutes", "log.retention.hours")
    in_effect = next(name for name in units if config.get(name) is not None)
    if config.get(in_effect) == 0:
        refuse(in_effect, "it has to be at least 1, or -1 for no limit")
    if config.get_int("log.cleaner.dedupe.buffer.size") // max(1, config.get_int("log.cleaner.threads")) <= 1 << 20:
        refuse("log.cleaner.dedupe.buffer.size", "every cleaner thread needs more than 1 MiB of it")
    if config.get_int("group.min.session.timeout.ms") > config.get_int("group.max.session.timeout.ms"):
        refuse("group.min.session.timeout.ms", "it is more than group.max.session.timeout.ms")
    roles = config.get_list("process.roles")
    if not roles or "broker" in roles:
        _check_cordoned(config, refuse)


def _check_cordoned(config: BrokerConfig, refuse: Callable[[str, str], None]) -> None:
    cordoned = config.get_list("cordoned.log.dirs")
    log_dirs = config.get_list("log.dirs") or config.get_list("log.dir")
    if "*" in cordoned:
        if len(cordoned) > 1:
            refuse("cordoned.log.dirs", "* stands alone")
        return
    for path in cordoned:
        if path not in log_dirs:
            refuse("cordoned.log.dirs", f"{path} is none of log.dirs")
