"""Limits on parsed config values. Each check returns None, or the reason why the value is invalid."""

from __future__ import annotations

from kafkacompat.config.values import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacompat.config.values import ConfigValue


class Between:
    """A number within inclusive bounds; None means no bound."""

    __slots__ = ("high", "low")

    def __init__(self, low: float | None, high: float | None = None) -> None:
        self.low = low
        self.high = high

    def __call__(self, value: ConfigValue) -> str | None:
        if not isinstance(value, (int, float)):
            return "a number is needed"
        if self.low is not None and value < self.low:
            return f"it has to be at least {self.low}"
        if self.high is not None and value > self.high:
            return f"it has to be at most {self.high}"
        return None


class OneOf:
    """One of the given words."""

    __slots__ = ("ignore_case", "words")

    def __init__(self, *words: str, ignore_case: bool = False) -> None:
        self.words = words
        self.ignore_case = ignore_case

    def __call__(self, value: ConfigValue) -> str | None:
        if value in self.words or (self.ignore_case and str(value).lower() in [word.lower() for word in self.words]):
            return None
        return f"it has to be one of {', '.join(self.words)}"


class ListOf:
    """A list without empty items, of given words or any words; duplicates are dropped when it is read."""

    __slots__ = ("may_be_empty", "words")
    drops_duplicates = True

    def __init__(self, *words: str, may_be_empty: bool = True) -> None:
        self.words = words
        self.may_be_empty = may_be_empty

    def __call__(self, value: ConfigValue) -> str | None:
        if not isinstance(value, tuple):
            return "a list is needed"
        if not value:
            return None if self.may_be_empty else "the list must not be empty"
        if "" in value:
            return "an item of the list is empty"
        unknown = [item for item in value if self.words and item not in self.words]
        return f"{unknown[0]} is not one of {', '.join(self.words)}" if unknown else None


def not_empty(value: ConfigValue) -> str | None:
    """A text that is not empty."""
    return None if value else "it must not be empty"


def no_remote_tier(value: ConfigValue) -> str | None:
    """False: there is no remote tier."""
    return "this broker has no remote tier" if value is True else None


def gzip_level(value: ConfigValue) -> str | None:
    """1 to 9, or -1 for the library's default."""
    return None if isinstance(value, int) and (value == -1 or 1 <= value <= 9) else "it has to be 1 to 9, or -1"


def throttled_replicas(value: ConfigValue) -> str | None:
    """An empty list, * or pairs partition:broker; empty items count for nothing (ThrottledReplicaListValidator)."""
    if not isinstance(value, tuple) or "".join(value) == "*":
        return None
    for item in filter(None, value):
        partition, _, broker = item.partition(":")
        if not (partition.isdecimal() and broker.isdecimal() and item.isascii()):
            return "it has to be * or a list of partition:broker"
    return None


def auto_offset_reset(value: ConfigValue) -> str | None:
    """The offset reset of share groups: earliest, latest, or by_duration: with a non-negative ISO 8601 duration."""
    import re

    text = str(value)
    if text in ("earliest", "latest"):
        return None
    duration = r"by_duration:[+]?P(?=.)(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+([.,]\d{0,9})?S)?)?"
    if re.fullmatch(duration, text, re.IGNORECASE | re.ASCII) and text.startswith("by_duration:"):
        return None
    return "it has to be earliest, latest or by_duration:<ISO 8601 duration>"


def quorum_voters(value: ConfigValue) -> str | None:
    """Items id@host:port."""
    for item in value if isinstance(value, tuple) else ():
        node_id, at, address = item.partition("@")
        if not at or not node_id.isdecimal() or _bad_address(address):
            return f"{item!r} is not id@host:port"
    return None


def bootstrap_servers(value: ConfigValue) -> str | None:
    """Items host:port."""
    for item in value if isinstance(value, tuple) else ():
        if _bad_address(item):
            return f"{item!r} is not host:port"
    return None


def connection_overrides(value: ConfigValue) -> str | None:
    """Pairs address:count, separated by commas."""
    for item in str(value or "").split(","):
        host, colon, count = item.strip().rpartition(":")
        if item.strip() and not (colon and host and count.isdecimal()):
            return f"{item.strip()!r} is not address:count"
    return None


def _bad_address(address: str) -> bool:
    host, colon, port = address.rpartition(":")
    return not (colon and host and port.isdecimal() and len(port) <= 5 and int(port) <= 65535)


COMPRESSION = OneOf("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")
TIMESTAMP_TYPE = OneOf("CreateTime", "LogAppendTime")
CLEANUP_POLICY = ListOf("compact", "delete")
MIGRATION_POLICY = OneOf("DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL", ignore_case=True)
REBALANCE_PROTOCOLS = ListOf("consumer", "classic", "share", "streams", may_be_empty=False)
SECURITY_PROTOCOL = OneOf("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
