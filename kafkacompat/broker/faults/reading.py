"""Reads plain dicts with checks, and collects all mistakes instead of stopping at the first."""

from kafkacompat.broker.faults.rule_errors import FaultRuleError, Mistake, UnmatchableRuleError, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

MISSING: "Any" = object()


class Reader:
    """One mapping of a rule. `pointer` is its place in the rule; `mistakes` and `impossible` are shared by all readers
    of a rule.
    """

    __slots__ = ("_known", "impossible", "members", "mistakes", "pointer")

    def __init__(
        self, members: "object", pointer: str = "", mistakes: "list[Mistake] | None" = None,
        impossible: "list[Mistake] | None" = None,
    ) -> None:  # fmt: skip
        self.pointer = pointer
        self.mistakes: list[Mistake] = [] if mistakes is None else mistakes
        self.impossible: list[Mistake] = [] if impossible is None else impossible
        self._known: set[str] = set()
        self.members: Mapping[str, Any] = {}
        if isinstance(members, dict):
            self.members = members
        else:
            self.mistake("", f"give an object with members, not {_kind(members)}")

    def mistake(self, name: str, message: str, did_you_mean: str = "") -> None:
        """Note a mistake in this member."""
        self.mistakes.append(Mistake(self._place(name), message, did_you_mean))

    def cannot(self, name: str, message: str) -> None:
        """Note that the rule can never match or act because of this member."""
        self.impossible.append(Mistake(self._place(name), message))

    def _place(self, name: str) -> str:
        return f"{self.pointer}/{name}" if name else self.pointer

    def take(self, name: str) -> "Any":
        """The value of a member; None if it is absent or null."""
        self._known.add(name)
        return self.members.get(name)

    def inner(self, name: str, value: object = MISSING) -> "Reader":
        """A reader of this member, or of another value in its place."""
        given = self.take(name) if value is MISSING else value
        return Reader({} if given is None else given, self._place(name), self.mistakes, self.impossible)

    def whole(self, name: str, default: "int | None" = None, *, low: int = 0, high: int = 2**53) -> "int | None":
        """An integer within limits, both included."""
        value = self.take(name)
        if value is None:
            return default
        if type(value) is not int or not low <= value <= high:
            above = f"of at least {low}" if high == 2**53 else f"from {low} to {high}"
            self.mistake(name, f"give an integer {above}, not {value!r:.60}")
            return default
        return value

    def number(
        self, name: str, default: "float | None" = None, *, low: float = 0, high: float = 2**53
    ) -> "float | None":
        """A number within limits, both included."""
        value = self.take(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            above = f"of at least {low}" if high == 2**53 else f"from {low} to {high}"
            self.mistake(name, f"give a number {above}, not {value!r:.60}")
            return default
        return value

    def text(self, name: str) -> "str | None":
        """A string."""
        value = self.take(name)
        if value is not None and not isinstance(value, str):
            self.mistake(name, f"give a string, not {_kind(value)}")
            return None
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        """True or false."""
        value = self.take(name)
        if value is not None and not isinstance(value, bool):
            self.mistake(name, f"give true or false, not {_kind(value)}")
        return default if not isinstance(value, bool) else value

    def choice(self, name: str, choices: "Collection[str]", default: str) -> str:
        """One of these words."""
        value = self.text(name)
        if value is None:
            return default
        if value not in choices:
            self.mistake(name, f"{value!r:.60} is none of {', '.join(choices)}", near(value, choices))
            return default
        return value

    def list_of(self, name: str, kind: type) -> "list[Any] | None":
        """One value of a kind, or a list of alternatives; None if it is absent."""
        value = self.take(name)
        if value is None:
            return None
        values = value if isinstance(value, list | tuple) else [value]
        word = {int: "an integer", str: "a string"}[kind]
        if not values:
            self.mistake(name, "an empty list matches nothing: leave it out to match everything")
            return None
        if any(not isinstance(each, kind) or isinstance(each, bool) for each in values):
            self.mistake(name, f"give {word} or a list of them, not {value!r:.60}")
            return None
        return list(values)

    def end(self) -> None:
        """Note members that nobody took."""
        for name in self.members:
            if name not in self._known:
                known = ", ".join(sorted(self._known))
                self.mistake(
                    str(name), f"there is no such member here: known are {known}", near(str(name), self._known)
                )

    def finish(self) -> None:
        """Raises FaultRuleError or UnmatchableRuleError if anything was noted."""
        if self.mistakes:
            raise FaultRuleError(self.mistakes)
        if self.impossible:
            raise UnmatchableRuleError(self.impossible)


def _kind(value: object) -> str:
    return {dict: "an object", list: "a list", str: "a string", int: "a number", float: "a number"}.get(
        type(value), repr(value)[:60]
    )
