"""Refuses settings that protect Apache Kafka but have no effect here, because there is no authorizer, TLS or SASL.

A user who sets one expects protection. So such a setting ends the start, and clients cannot set one. If the metadata
log has one, which any client may have stored, an error is logged.
"""

from __future__ import annotations

from kafkacompat.config.definitions import LISTENER_PREFIX
from kafkacompat.config.values import INVALID_CONFIG, TYPE_CHECKING, ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kafkacompat.config.broker import BrokerConfig

PLAINTEXT = "PLAINTEXT"  # the security protocol, and the name of the default listener
PROTOCOL_MAP = "listener.security.protocol.map"
OTHER_PROTOCOLS = ("SSL", "SASL_PLAINTEXT", "SASL_SSL")
OF_AN_AUTHORIZER = ("allow.everyone.if.no.acl.found", "authorizer.class.name", "super.users")
WITHOUT_EFFECT = ("delegation.token.secret.key", "principal.builder.class", "security.providers")
_NAMES_MAX = 5
_NAME_LENGTH_MAX = 80


def security_protocols(text: str) -> dict[str, str]:
    """Listener name to security protocol, from a listener.security.protocol.map."""
    pairs = (pair.partition(":") for pair in text.split(","))
    return {name.strip().upper(): protocol.strip() for name, _, protocol in pairs if name.strip()}


def check_start(settings: Mapping[str, str], bound: Iterable[str] = ()) -> list[str]:
    """Check the settings of a start, including unknown names.

    bound: listener names in addition to PLAINTEXT and those in the settings. Raises ConfigError for a setting that
    would protect; returns warnings about related settings without effect that protect nothing in Kafka either.
    """
    listeners = {PLAINTEXT, *bound, *_split(settings.get("controller.listener.names"))}
    listeners |= _listener_names(_split(settings.get("listeners")))
    own = {listener.lower() for listener in listeners}
    for name in sorted(settings):
        if not _is_of_a_listener(name) or name.split(".")[2].lower() in own:
            _check(name, settings[name], listeners, settings.get(PROTOCOL_MAP, ""))
    return _warnings(settings)


def check_alteration(name: str, value: str, config: BrokerConfig) -> None:
    """Check one config that a client wants to set. Raises ConfigError with INVALID_CONFIG.

    config: that of the affected broker, or of one like it. TLS and SASL settings are refused for every listener.
    """
    _check(name, value, _listener_names(config.get_list("listeners")), config.get_str(PROTOCOL_MAP))


def stored_protection(configs: Mapping[str, str], config: BrokerConfig) -> list[str]:
    """The names among stored configs that `check_alteration` refuses, in order."""
    found = []
    for name in sorted(configs):
        try:
            check_alteration(name, configs[name], config)
        except ConfigError:
            found.append(name)
    return found


def listed(names: list[str]) -> str:
    """Names for a log line of limited length; they come from clients, so they are escaped and shortened."""
    more = f" and {len(names) - _NAMES_MAX} more" if len(names) > _NAMES_MAX else ""
    return ", ".join(name[:_NAME_LENGTH_MAX].encode("unicode_escape").decode() for name in names[:_NAMES_MAX]) + more


def _check(name: str, value: str, listeners: set[str], protocol_map: str) -> None:
    if not value.strip():
        return
    reason = None
    if name in OF_AN_AUTHORIZER:
        reason = "there is no authorizer, so every client may do everything; take this setting out"
    elif name == "security.inter.broker.protocol" and value.strip().upper() != PLAINTEXT:
        reason = f"brokers talk {PLAINTEXT} to each other, nothing else works yet; take this setting out"
    elif name == "listeners":
        reason = _unprotected(_listener_names(_split(value)), protocol_map)
    elif name == PROTOCOL_MAP:
        reason = _unprotected(listeners, value)
    elif _is_of_a_listener(name):
        reason = "there is no TLS and no SASL, so this listener would not be protected; take this setting out"
    if reason is not None:
        raise ConfigError(name, None, reason, INVALID_CONFIG)  # without the value, which may be a secret


def _unprotected(listeners: set[str], protocol_map: str) -> str | None:
    protocols = security_protocols(protocol_map)
    for listener in sorted(listeners):
        protocol = protocols.get(listener.upper(), listener.upper())
        if protocol in OTHER_PROTOCOLS:
            return f"listener {listener} wants {protocol}, which does not work yet: use {PLAINTEXT}"
    return None


def _is_of_a_listener(name: str) -> bool:
    """Whether the name is `listener.name.<listener>.` followed by ssl.*, sasl.* or <mechanism>.sasl.*."""
    if not name.startswith(LISTENER_PREFIX):
        return False
    parts = name[len(LISTENER_PREFIX) :].split(".")
    return parts[1:2] == ["ssl"] or "sasl" in parts[1:3]


def _warnings(settings: Mapping[str, str]) -> list[str]:
    warnings = []
    idle = [
        name for name in sorted(settings)
        if name.startswith(("ssl.", "sasl.")) or name in WITHOUT_EFFECT or _is_of_a_listener(name)
    ]  # fmt: skip
    if idle:
        warnings.append(f"{listed(idle)}: without effect, there is no TLS and no SASL")
    protocols = set(security_protocols(settings.get(PROTOCOL_MAP, "")).values())
    if not protocols.isdisjoint(OTHER_PROTOCOLS):
        named = ", ".join(sorted(protocols.intersection(OTHER_PROTOCOLS)))
        warnings.append(f"{PROTOCOL_MAP} names {named}: only {PLAINTEXT} works yet, and no listener has another")
    return warnings


def _listener_names(entries: Iterable[str]) -> set[str]:
    return {entry.partition("://")[0].strip() for entry in entries}


def _split(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]
