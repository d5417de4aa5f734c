"""Reads the arguments of Kafka's tools as their parsers do: `--flag value`, `--flag=value`, repeated flags."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class ToolError(Exception):
    """A tool cannot do what it was asked for. The message is one line for the user."""


class UsageError(ToolError):
    """Arguments that the tool does not take, in the words of Kafka's tool, which scripts look for."""


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
            raise UsageError(f'Missing required argument "[{flags[0].lstrip("-")}]"')
        return value

    def integer(self, flag: str) -> int | None:
        """The value of a flag as a number."""
        text = self.get(flag)
        if text is None:
            return None
        try:
            return int(text)
        except ValueError:
            raise UsageError(f"Cannot parse argument '{text}' of option {flag.lstrip('-')}") from None

    def one_of(self, actions: Sequence[str], before_last: str = ", ") -> str:
        """The one action that was given; UsageError for none and for several, which are listed."""
        chosen = [action for action in actions if action in self]
        if len(chosen) != 1:
            raise UsageError(
                f"Command must include exactly one action: {', '.join(actions[:-1])}{before_last}{actions[-1]}"
            )
        return chosen[0]


def parse(
    arguments: Sequence[str], valued: Iterable[str] = (), switches: Iterable[str] = (), *, max_rest: int = 0
) -> Arguments:
    """Parse arguments. valued: flags that take a value; switches: those that take none; max_rest: most others.

    Raises UsageError for a flag that is unknown, or lacks its value.
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
                    raise UsageError(f"Option {flag.lstrip('-')} requires an argument")
                value = remaining.pop()
            values.setdefault(flag, []).append(value)
        elif argument in switches:
            given.add(argument)
        elif argument in ("--help", "-h"):
            raise UsageError(f"Options: {_listed(valued | switches)}")
        elif argument.startswith("-") and argument != "-":
            raise UsageError(
                f"{argument.lstrip('-')} is not a recognized option (known here: {_listed(valued | switches)})"
            )
        else:
            rest.append(argument)
    if len(rest) > max_rest:
        raise ToolError(f"unexpected argument {rest[max_rest]}")
    return Arguments(values, frozenset(given), rest)


def _listed(flags: Iterable[str]) -> str:
    return " ".join(sorted(flags)) or "none"
