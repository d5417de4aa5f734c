"""Java's regular expressions, as far as clients need them to pick transactional ids, matched in bounded time.

A pattern becomes a finite automaton whose states are all followed at once, so that no pattern explodes, as it could
with Python's `re` or Java's. What an automaton cannot do is refused: references back, looking around, possessive
quantifiers; and what is rarely used: flags, intersections and unions of classes, `\\p{…}` and `\\b`.
"""

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.steps import Steps

    #: A tree of the parser: its kind, then its parts.
    Tree = tuple[Any, ...]
    #: A set of characters: ranges, ascending and apart from each other, and whether it is all but these.
    Chars = tuple[tuple[tuple[int, int], ...], bool]

MAX_LENGTH = 1_000
"""Characters of a pattern."""
MAX_STATES = 500
"""States of the automaton; each character of an id costs at most one step for each."""
MAX_DEPTH = 50
"""Groups inside of each other."""
STEPS_PER_COST = 10
"""Steps of the automaton per unit of cost (`steps.py`)."""

DIGITS = ((48, 57),)
WORD = ((48, 57), (65, 90), (95, 95), (97, 122))
SPACE = ((9, 13), (32, 32))
LINE_ENDS = ((10, 10), (13, 13), (0x85, 0x85), (0x2028, 0x2029))
CLASSES = {"d": DIGITS, "w": WORD, "s": SPACE}
CONTROLS = {"t": 9, "n": 10, "r": 13, "f": 12, "a": 7, "e": 27, "0": None}
END = 0x110000
"""Above all characters."""
NOTHING: "Tree" = ("all", [])
"""What reads nothing is left out: it needs no state, and could be repeated without end."""


class PatternError(Exception):
    """Not a regular expression, or one that this broker does not know."""


class JavaPattern:
    """A compiled pattern. States are numbers: `_chars` leads to the next, `_jumps` lead to others without reading."""

    def __init__(self, pattern: str) -> None:
        """Raises PatternError."""
        if len(pattern) > MAX_LENGTH:
            raise PatternError(f"it has more than {MAX_LENGTH} characters")
        self._chars: list[Chars | None] = []
        self._jumps: list[list[int]] = []
        self._only_at: list[str] = []  # "^": only at the start, "$": only at the end
        parser = _Parser(pattern)
        tree = parser.parse()
        self._start = self._state()
        self._accept = self._build(tree, self._start)

    def match(self, text: str) -> "Steps[bool]":
        """Whether the whole text matches: a generator that yields the cost of its work, and returns it."""
        current = self._closure([self._start], at_start=True, at_end=not text)
        steps = len(current)
        for position, character in enumerate(text):
            if steps >= STEPS_PER_COST:  # also of a text whose first character matches nothing
                yield steps // STEPS_PER_COST
                steps %= STEPS_PER_COST
            code = ord(character)
            following = [state + 1 for state in current if (chars := self._chars[state]) and _has(chars, code)]
            if not following:
                return False
            current = self._closure(following, at_start=False, at_end=position == len(text) - 1)
            steps += len(current)
        return self._accept in current

    def _closure(self, states: list[int], *, at_start: bool, at_end: bool) -> set[int]:
        found: set[int] = set()
        while states:
            state = states.pop()
            where = self._only_at[state]
            if state in found or (where == "^" and not at_start) or (where == "$" and not at_end):
                continue
            found.add(state)
            states += self._jumps[state]
        return found

    def _state(self) -> int:
        if len(self._chars) >= MAX_STATES:
            raise PatternError(f"it needs more than {MAX_STATES} states")
        self._chars.append(None)
        self._jumps.append([])
        self._only_at.append("")
        return len(self._chars) - 1

    def _build(self, node: "Tree", start: int) -> int:
        """Add the states of a tree behind `start`. Returns the last one."""
        kind = node[0]
        if kind == "chars":
            own, end = self._state(), self._state()  # neighbours: a character leads from one to the next
            self._chars[own] = node[1]
            self._jumps[start].append(own)
            return end
        if kind == "at":
            end = self._state()
            self._only_at[end] = node[1]
            self._jumps[start].append(end)
            return end
        if kind == "all":
            for part in node[1]:
                start = self._build(part, start)
            return start
        if kind == "any":
            ends = []
            for part in node[1]:
                begin = self._state()
                self._jumps[start].append(begin)
                ends.append(self._build(part, begin))
            end = self._state()
            for each in ends:
                self._jumps[each].append(end)
            return end
        _, part, least, most = node
        return self._build_repeat(part, least, most, start)

    def _build_repeat(self, part: "Tree", least: int, most: int | None, start: int) -> int:
        for _ in range(least):
            start = self._build(part, start)
        if most is None:
            begin = self._state()
            self._jumps[start].append(begin)
            self._jumps[self._build(part, begin)].append(begin)
            end = self._state()
            self._jumps[begin].append(end)
            return end
        end = self._state()
        for _ in range(most - least):
            self._jumps[start].append(end)
            start = self._build(part, start)
        self._jumps[start].append(end)
        return end


class _Parser:
    """Reads a pattern into a tree of tuples."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._depth = 0

    def parse(self) -> "Tree":
        tree = self._alternatives()
        if self._at < len(self._text):
            raise PatternError("unmatched )")
        return tree

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        character = self._peek()
        if not character:
            raise PatternError("it ends too early")
        self._at += 1
        return character

    def _skip(self, text: str) -> bool:
        if not self._text.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _alternatives(self) -> "Tree":
        parts = [self._sequence()]
        while self._skip("|"):
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else ("any", parts)

    def _sequence(self) -> "Tree":
        parts: list[Tree] = []
        while self._peek() not in ("", "|", ")"):
            if self._skip("\\Q"):
                quoted, _, rest = self._text[self._at :].partition("\\E")
                parts += [("chars", _one(ord(character))) for character in quoted]
                self._at = len(self._text) - len(rest)
                if not quoted:
                    continue
            else:
                parts.append(self._atom())
            parts[-1] = self._repeated(parts[-1])
            if parts[-1] == NOTHING:
                parts.pop()
        return parts[0] if len(parts) == 1 else ("all", parts)

    def _atom(self) -> "Tree":
        character = self._take()
        if character == "(":
            return self._group()
        if character == "[":
            return ("chars", self._class())
        if character == ".":
            return ("chars", (LINE_ENDS, True))
        if character in "^$":
            return ("at", character)
        if character in "*+?{":
            raise PatternError(f"nothing to repeat before {character}")
        if character == "\\":
            if self._skip("A"):
                return ("at", "^")
            if self._skip("z") or self._skip("Z"):
                return ("at", "$")
            return ("chars", self._escape())
        return ("chars", _one(ord(character)))

    def _group(self) -> "Tree":
        if self._skip("?<"):
            name, found, _ = self._text[self._at :].partition(">")
            if not found or not name.isascii() or not name.isalnum() or name[0].isdigit():
                raise PatternError("a group like this one is not known")
            self._at += len(name) + 1
        elif self._skip("?") and not self._skip(":"):
            raise PatternError("a group like this one is not known")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise PatternError(f"more than {MAX_DEPTH} groups are inside of each other")
        tree = self._alternatives()
        if not self._skip(")"):
            raise PatternError("unmatched (")
        self._depth -= 1
        return tree

    def _repeated(self, part: "Tree") -> "Tree":
        if not (character := self._peek()) or character not in "*+?{":
            return part
        self._at += 1
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(character) or self._bounds()
        self._skip("?")  # a lazy one finds the same whole texts
        if (following := self._peek()) and following in "*+?{":
            raise PatternError(f"{following} behind {character} is not known")
        return part if part == NOTHING else ("repeat", part, least, most)

    def _bounds(self) -> tuple[int, int | None]:
        inside, found, _ = self._text[self._at :].partition("}")
        least, comma, most = inside.partition(",")
        if not found or not _is_number(least) or (most and not _is_number(most)):
            raise PatternError("a repetition has no bounds")
        self._at += len(inside) + 1
        highest = (int(most) if most else None) if comma else int(least)
        if highest is not None and highest < int(least):
            raise PatternError("a repetition has no bounds")
        if max(int(least), highest or 0) > MAX_STATES:
            raise PatternError(f"it needs more than {MAX_STATES} states")
        return int(least), highest

    def _class(self) -> "Chars":
        negated = self._skip("^")
        ranges: list[tuple[int, int]] = []
        is_first = True
        while is_first or self._peek() != "]":
            is_first = False
            if self._peek() == "[" or self._text.startswith("&&", self._at):
                raise PatternError("classes inside of classes are not known")
            low, high = self._class_item(ranges)
            if low is not None and high is not None:
                ranges.append((low, high))
        self._at += 1
        return _merged(ranges), negated

    def _class_item(self, ranges: list[tuple[int, int]]) -> tuple[int | None, int | None]:
        character = self._take()
        if character == "\\":
            found, is_negated = self._escape()
            if is_negated or len(found) != 1 or found[0][0] != found[0][1]:
                ranges += _all_but(found) if is_negated else found
                return None, None
            low = found[0][0]
        else:
            low = ord(character)
        if self._peek() != "-" or self._text[self._at + 1 : self._at + 2] in ("]", ""):
            return low, low
        self._at += 1
        character = self._take()
        if character == "[":
            raise PatternError("classes inside of classes are not known")
        if character == "\\":
            found, is_negated = self._escape()
            if is_negated or len(found) != 1 or found[0][0] != found[0][1]:
                raise PatternError("a range has no end")
            high = found[0][0]
        else:
            high = ord(character)
        if high < low:
            raise PatternError("a range ends before it begins")
        return low, high

    def _escape(self) -> "Chars":
        character = self._take()
        if character.lower() in CLASSES:
            return CLASSES[character.lower()], character.isupper()
        if character in "xu":
            digits = self._text[self._at : self._at + (2 if character == "x" else 4)]
            self._at += len(digits)
            if len(digits) != (2 if character == "x" else 4) or set(digits) - set("0123456789abcdefABCDEF"):
                raise PatternError("an escape has no hexadecimal digits")
            return _one(int(digits, 16))
        if (code := CONTROLS.get(character)) is not None:
            return _one(code)
        if character.isascii() and character.isalnum():
            raise PatternError(f"\\{character} is not known")
        return _one(ord(character))


def _one(code: int) -> "Chars":
    return ((code, code),), False


def _has(chars: "Chars", code: int) -> bool:
    ranges, negated = chars
    place = bisect_right(ranges, (code, END)) - 1
    return (place >= 0 and code <= ranges[place][1]) != negated


def _merged(ranges: "list[tuple[int, int]]") -> "tuple[tuple[int, int], ...]":
    """Ascending, and apart from each other."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return tuple(found)


def _all_but(ranges: "tuple[tuple[int, int], ...]") -> list[tuple[int, int]]:
    found, low = [], 0
    for begin, end in ranges:  # ascending
        found.append((low, begin - 1))
        low = end + 1
    return [*found, (low, END)]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 4
