from tests.wiring.cuts import find_cuts, without

SOURCE = """
class Base:
    def __init__(self, told):
        self.told = told


class Part(Base):
    def __init__(self, told):
        self.told = []
        super().__init__(told)

    def tell(self, more):
        def later():
            self.told.append(more)

        later()
        log.info("told")
        return self
"""


def told(source: object) -> list[str]:
    names: dict = {"log": __import__("logging")}
    exec(compile(source, "source.py", "exec"), names)  # type: ignore[arg-type]
    return names["Part"](["first"]).tell("second").told  # type: ignore[no-any-return]


def test_calls_are_found_where_their_result_is_not_used_but_for_what_is_logged() -> None:
    assert [cut.text for cut in find_cuts("source.py", SOURCE)] == [
        "super().__init__(told)", "self.told.append(more)", "later()",
    ]  # fmt: skip


def test_one_statement_is_taken_out_and_the_others_stay() -> None:
    assert told(SOURCE) == ["first", "second"]
    found = find_cuts("source.py", SOURCE)
    assert [told(without(SOURCE, cut)) for cut in found] == [["second"], ["first"], ["first"]]


def test_a_function_without_a_call_has_the_names_that_it_had() -> None:
    """Its code can take the place of the other in memory."""
    cut = find_cuts("source.py", SOURCE)[0]
    names: dict = {}
    exec(compile(without(SOURCE, cut), "source.py", "exec"), names)
    assert names["Part"].__init__.__code__.co_freevars == ("__class__",)
