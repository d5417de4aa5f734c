from tests.tidy.tree import ROOT
from tests.wiring.__main__ import FILES
from tests.wiring.cuts import find_cuts
from tests.wiring.known import KNOWN


def test_what_is_explained_is_still_there() -> None:
    keys = {cut.key for path in FILES for cut in find_cuts(path, (ROOT / path).read_text())}
    assert KNOWN.keys() <= keys
