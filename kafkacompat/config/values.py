"""The types of config values: how their text is read and how they are printed (as Kafka's ConfigDef does)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    ConfigValue: TypeAlias = bool | int | float | str | tuple[str, ...] | None
    Check: TypeAlias = Callable[[ConfigValue], str | None]

# The wire codes of DescribeConfigs' config_type.
UNKNOWN = 0
BOOLEAN = 1
STRING = 2
INT = 3
SHORT = 4
LONG = 5
DOUBLE = 6
LIST = 7
CLASS = 8
PASSWORD = 9

TYPE_NAMES = ("UNKNOWN", "BOOLEAN", "STRING", "INT", "SHORT", "LONG", "DOUBLE", "LIST", "CLASS", "PASSWORD")

PARSED_MAX, PARSED_TEXT_MAX = 1024, 100
"""How many values `parse_again` keeps, and how long their texts may be."""
_parsed: dict[tuple[ConfigKey, str], ConfigValue] = {}

# Error codes that a refused config is answered with: topics and groups say the first, brokers the second.
INVALID_CONFIG = 40
INVALID_REQUEST = 42
UNKNOWN_SERVER_ERROR = -1

_INTEGER_BITS = {SHORT: 16, INT: 32, LONG: 64}
_DIGITS_MAX = 1000  # int() of more digits takes long; zeros in front are taken off before

_TRIMMED = "".join(map(chr, range(0x21)))
"""What Java's String.trim takes off: control characters and blanks, and none of Unicode's other spaces."""
_AROUND_COMMAS = " \t\n\x0b\f\r"


class ConfigError(ValueError):
    """An invalid config: its name, its text (None: not given), the reason, and the error code for a client."""

    def __init__(self, name: str, value: str | None, reason: str, error_code: int = INVALID_CONFIG) -> None:
        super().__init__(f"{name}={value}: {reason}" if value is not None else f"{name}: {reason}")
        self.name = name
        self.value = value
        self.reason = reason
        self.error_code = error_code


class ConfigKey:
    """One row of a table: a config's name, type, default text (None: no default) and properties.

    `check` returns the reason why a parsed value is invalid, or None. `dynamic` is READ_ONLY, PER_BROKER or
    CLUSTER_WIDE. `synonyms` are the broker configs that it falls back to, in order, each with the factor to this
    config's unit. `obeyed`: the config has an effect here; others are only accepted, stored and described.
    """

    __slots__ = ("check", "default", "dynamic", "internal", "name", "obeyed", "scope", "synonyms", "type")

    def __init__(
        self,
        name: str,
        type_code: int,
        default: str | None,
        check: Check | None,
        *,
        scope: str,
        dynamic: int,
        internal: bool,
        obeyed: bool,
        synonyms: tuple[tuple[str, int], ...] = (),
    ) -> None:
        self.name = name
        self.type = type_code
        self.default = default
        self.check = check
        self.scope = scope
        self.dynamic = dynamic
        self.internal = internal
        self.obeyed = obeyed
        self.synonyms = synonyms

    @property
    def sensitive(self) -> bool:
        """Whether its value is hidden from clients."""
        return self.type == PASSWORD

    def renamed(self, name: str) -> ConfigKey:
        """The same config under another name, for example with a listener's prefix."""
        return ConfigKey(
            name,
            self.type,
            self.default,
            self.check,
            scope=self.scope,
            dynamic=self.dynamic,
            internal=self.internal,
            obeyed=self.obeyed,
            synonyms=self.synonyms,
        )

    def __repr__(self) -> str:
        return f"ConfigKey({self.name}, {TYPE_NAMES[self.type]}, default={self.default})"


def parse_value(key: ConfigKey, text: str, error_code: int = INVALID_CONFIG) -> ConfigValue:
    """The typed value of a text, checked against the key's limits. Raises ConfigError if it is invalid."""
    try:
        value = parse_text(key.type, text)
    except ValueError as why:
        raise ConfigError(key.name, text, str(why), error_code) from None
    if key.check is not None:
        if isinstance(value, tuple) and getattr(key.check, "drops_duplicates", False):
            value = tuple(dict.fromkeys(value))
        reason = key.check(value)
        if reason is not None:
            raise ConfigError(key.name, text, reason, error_code)
    return value


def parse_again(key: ConfigKey, text: str) -> ConfigValue:
    """`parse_value` of a text that was probably parsed before: each start and each reset reads the same settings."""
    if len(text) > PARSED_TEXT_MAX:
        return parse_value(key, text)
    known = _parsed.get((key, text))
    if known is None:
        if len(_parsed) >= PARSED_MAX:
            _parsed.clear()
        known = _parsed[key, text] = parse_value(key, text)
    return known


def parse_text(type_code: int, text: str) -> ConfigValue:
    """Parse a text as Java does for the type. Raises ValueError with the reason."""
    trimmed = text.strip(_TRIMMED)
    if type_code in _INTEGER_BITS:
        return _parse_integer(type_code, trimmed)
    if type_code == BOOLEAN:
        lowered = trimmed.upper().lower()  # equalsIgnoreCase compares upper case first, where a long s is an S
        if lowered not in ("true", "false"):
            raise ValueError("it has to be true or false")
        return lowered == "true"
    if type_code == DOUBLE:
        return _parse_double(trimmed)
    if type_code == LIST:
        return tuple(part.strip(_AROUND_COMMAS) for part in trimmed.split(",")) if trimmed else ()
    return trimmed


def _parse_integer(type_code: int, trimmed: str) -> int:
    digits = trimmed[1:] if trimmed[:1] in ("+", "-") else trimmed
    bound = 1 << (_INTEGER_BITS[type_code] - 1)
    # isdecimal is what Java's parseInt takes: no underscores, but the digits of every script in the first 65,536
    # characters of Unicode.
    if digits.isdecimal() and max(digits) <= "\uffff":
        significant = digits.lstrip("0") or "0"
        value = int(significant) if len(significant) <= _DIGITS_MAX else bound
        value = -value if trimmed[0] == "-" else value
        if -bound <= value < bound and len(significant) <= _DIGITS_MAX:
            return value
    raise ValueError(f"it is not a number of type {TYPE_NAMES[type_code]}")


def _parse_double(trimmed: str) -> float:
    sign = -1.0 if trimmed[:1] == "-" else 1.0
    body = trimmed[1:] if trimmed[:1] in ("+", "-") else trimmed
    if body in ("NaN", "Infinity"):
        return sign * float(body)
    if body[-1:] in ("d", "D", "f", "F"):  # of a hexadecimal number that ends with an exponent, too
        body = body[:-1]
    try:
        if body[:2] in ("0x", "0X"):
            return sign * _parse_hexadecimal(body)
        # Java writes a decimal number with digits, a point and an exponent alone.
        if body and body[0] not in "+-" and all(char in "0123456789.eE+-" for char in body):
            return sign * float(body)
    except ValueError:
        pass
    raise ValueError("it is not a number of type DOUBLE")


def _parse_hexadecimal(body: str) -> float:
    """`0x1.8p-3`, which needs its exponent in Java. Raises ValueError."""
    if "p" not in body and "P" not in body:
        raise ValueError(body)
    try:
        return float.fromhex(body)
    except OverflowError:
        return float("inf")


def format_value(key: ConfigKey, value: ConfigValue) -> str | None:
    """The text that DescribeConfigs prints for a typed value (Java's toString of it)."""
    if value is None or key.type in (STRING, CLASS, PASSWORD):
        return value if isinstance(value, str) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(value)
    return java_double(float(value)) if key.type == DOUBLE else str(value)


def java_double(value: float) -> str:
    """A double as Java's Double.toString writes it: always with a point, scientific from 1E7 and below 1E-3."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        text = repr(value)
        return text if "." in text else f"{text}.0"
    mantissa, _, exponent = f"{value:.17e}".partition("e")
    shortest = repr(value)
    if "e" in shortest:
        mantissa, _, exponent = shortest.partition("e")
    else:
        digits = shortest.replace("-", "").replace(".", "").strip("0")
        mantissa = ("-" if value < 0 else "") + digits[0] + "." + (digits[1:] or "0")
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}E{int(exponent)}"
