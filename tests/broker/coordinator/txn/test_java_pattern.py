"""Java's regular expressions: what matches, what is refused, and that no pattern explodes."""

import random
import re

import pytest

from kafkacompat.broker.coordinator.txn.java_pattern import JavaPattern, PatternError, _has
from kafkacompat.steps import Stepped, at_once
from tests.comparisons import Comparisons


def matches(pattern: str, text: str) -> bool:
    return at_once(JavaPattern(pattern).match(text))


@pytest.mark.parametrize(
    ("pattern", "text", "is_match"),
    [
        ("", "", True),
        ("abc", "abc", True),
        ("ab", "abc", False),
        ("bc", "abc", False),
        ("my-.*", "my-app-1", True),
        ("my-.*", "your-app", False),
        (".", "\n", False),
        ("a|bc", "bc", True),
        ("(a|b)*c", "abbac", True),
        ("(?:ab)+", "abab", True),
        ("(?<name>ab)?", "", True),
        ("a{2}", "aa", True),
        ("a{2}", "aaa", False),
        ("a{2,}", "aaaa", True),
        ("a{1,2}", "aaa", False),
        ("a*?b+?", "aabb", True),
        (r"\d+\w\s\D\W\S", "12a xx-x"[:3] + " " + "x-x", True),
        (r"\Qa.b\E*", "a.bbb", True),
        (r"\Qa.b\E", "axb", False),
        (r"a\.b", "a.b", True),
        (r"\x41\u0042\t", "AB\t", True),
        ("[a-c]+", "abc", True),
        ("[^a-c]", "b", False),
        ("[]a]", "]", True),
        (r"[\d-]+", "1-2", True),
        (r"[\D]", "x", True),
        (r"[^\D]", "x", False),
        ("[a-]", "-", True),
        ("^abc$", "abc", True),
        ("a^b", "ab", False),
        ("a$b", "ab", False),
        (r"\Aab\z", "ab", True),
        ("(^a|b)c", "ac", True),
        ("ü+", "üü", True),
        ("]}", "]}", True),
    ],
)
def test_what_matches(pattern: str, text: str, is_match: bool) -> None:
    assert matches(pattern, text) == is_match


@pytest.mark.parametrize(
    "pattern",
    [
        "a**", "a+*", "a*?*", "a{2}{3}",
        "(", ")", "[", "[a", "*", "a|*", "{1}", "a{", "a{x}", "a{2,1}", "a{1", "\\", "[b-a]", "(?", r"\xg", "(?<1>a)",
        # Java knows these
        "a++", r"(a)\1", "(?=a)", "(?!a)", "(?<=a)", "(?i)a", "[a[b]]", "[a&&b]", r"\p{Lower}", r"\bword",
        # too large
        "a" * 1_001, "(a{100}){100}", "a{501}", "(" * 60 + "a" + ")" * 60,
    ],
)  # fmt: skip
def test_what_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        JavaPattern(pattern)


def test_random_patterns_match_what_pythons_do() -> None:
    rng = random.Random(1)

    def pattern(depth: int) -> str:
        if depth == 0:
            return rng.choice(["a", "b", ".", "[ab]", "[^a]", r"\d", ""])
        kind = rng.randrange(4)
        if kind == 0:
            return pattern(depth - 1) + pattern(depth - 1)
        if kind == 1:
            return f"(?:{pattern(depth - 1)}|{pattern(depth - 1)})"
        return f"(?:{pattern(depth - 1)})" + rng.choice(["*", "+", "?", "{1,2}", "{2}", ""])

    found = 0
    for _ in range(400):
        text = pattern(4)
        try:
            compiled = JavaPattern(text)
        except PatternError:
            continue
        for _ in range(10):
            sample = "".join(rng.choice("ab1") for _ in range(rng.randrange(6)))
            expected = re.fullmatch(text, sample) is not None
            assert at_once(compiled.match(sample)) == expected, (text, sample)
            found += expected
    assert found > 100


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|a)*b", "(.*a){20}b", "a*a*a*a*a*a*a*a*b"])
def test_no_pattern_explodes_and_long_work_is_done_in_steps(pattern: str) -> None:
    work = JavaPattern(pattern).match("a" * 2_000)
    stepped, costs = Stepped(work), []
    while not stepped.resume(1):
        costs.append(stepped.result)
    assert stepped.result is False
    assert len(costs) > 10


@pytest.mark.parametrize("empty", ["", "()" * 100, "(?:(){500})", "((){9,}){2}()*()?", r"\Q\E", "(())"])
def test_what_reads_nothing_is_not_built_again_and_again(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three repetitions of 500 inside of each other would take minutes."""
    built, build = [0], JavaPattern._build

    def counted(self: JavaPattern, node: tuple[object, ...], start: int) -> int:
        built[0] += 1
        return build(self, node, start)

    monkeypatch.setattr(JavaPattern, "_build", counted)
    pattern = f"((({empty}){{500}}a{empty}){{1,100}}){{1}}"
    assert [matches(pattern, text) for text in ("a", "aa", "", "b")] == [True, True, False, False]
    assert built[0] < 1_000


def test_a_class_of_many_characters_costs_little_more_than_one_of_few() -> None:
    characters = "".join(chr(0x400 + 2 * number) for number in range(400))
    compared = Comparisons(int)
    assert [matches(f"[{characters}a-c]", text) for text in (*characters, "b", "d", chr(0x401))] == [
        *[True] * 401, False, False
    ]  # fmt: skip
    chars = next(each for each in JavaPattern(f"[{characters}]")._chars if each)
    assert len(chars[0]) == 400
    assert not _has(chars, compared.value(0x401))
    assert compared.count < 50


def test_the_parts_of_a_class_may_overlap_and_come_in_any_order() -> None:
    pattern = r"[x-za-cb-m\dl-o05-7]"
    found = {chr(code) for code in range(128) if matches(pattern, chr(code))}
    assert found == set("abcdefghijklmno") | set("xyz") | set("0123456789")
    assert matches("[^" + pattern[1:], "p")
    assert not matches("[^" + pattern[1:], "5")
