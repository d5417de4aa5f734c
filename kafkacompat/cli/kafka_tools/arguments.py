"""Reads the arguments of Kafka's tools as their parsers do: `--flag value`, `--flag=value`, repeated flags."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class ToolError(Exception):
    """A tool cannot do what it was asked for. The message is one line for the user."""


class Arguments:
    """The flags that were given, and what else was."""

    def __init__(self, values: Mapping[str, list[str]], switches: frozenset[str], rest: list[str]) -> None:
        self._values = values
        self._switches = switches
        self.rest = rest

    def __contains__(self, flag: str) -> bool:
        return flag in self._switches or flag in self._values

    def get(self, *flags: str) -> str | None:
        """The last value of the first of these flags that was given."""
        return next((self._values[flag][-1] for flag in flags if flag in self._values), None)

    def get_all(self, *flags: str) -> list[str]:
        """All values of these flags."""
        return [value for flag in flags for value in self._values.get(flag, ())]

    def require(self, *flags: str) -> str:
        """As `get`; ToolError names the flag that is missing."""
        value = self.get(*flags)
        if value is None:
            raise ToolError(f"Missing required argument: {flags[0]}")
        return value

    def integer(self, flag: str) -> int | None:
        """The value of a flag as a number."""
        text = self.get(flag)
        if text is None:
            return None
        try:
            return int(text)
        except ValueError:
            raise ToolError(f"{flag} {text}: give a number") from None


def parse(
    arguments: Sequence[str], valued: Iterable[str] = (), switches: Iterable[str] = (), *, max_rest: int = 0
) -> Arguments:
    """Parse arguments. valued: flags that take a value; switches: those that take none; max_rest: most others.

    Raises ToolError for a flag that is unknown, or lacks its value.
    """
    valued, switches = frozenset(valued), frozenset(switches)
    values: dict[str, list[str]] = {}
    given: set[str] = set()
    rest: list[str] = []
    remaining = list(reversed(arguments))
    while remaining:
        argument = remaining.pop()
        flag, equals, value = argument.partition("=")
        if flag in valued:
            if not equals:
                if not remaining:
                    raise ToolError(f"{flag} needs a value")
                value = remaining.pop()
            values.setdefault(flag, []).append(value)
        elif argument in switches:
            given.add(argument)
        elif argument.startswith("-") and argument != "-":
            raise ToolError(f"{argument} is not a recognized option here; known are: {_listed(valued | switches)}")
        else:
            rest.append(argument)
    if len(rest) > max_rest:
        raise ToolError(f"unexpected argument {rest[max_rest]}")
    return Arguments(values, frozenset(given), rest)


def _listed(flags: Iterable[str]) -> str:
    return " ".join(sorted(flags)) or "none"
