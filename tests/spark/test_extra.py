import pytest

from kafkacompat.spark import extra
from kafkacompat.spark.extra import MissingExtraError, check_installed


def test_what_is_missing_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ("json", "no_such_package", "nor_this"))
    with pytest.raises(MissingExtraError, match=r"no_such_package and nor_this .*pip install 'kafkacompat\[spark\]'"):
        check_installed()


def test_nothing_is_said_where_all_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ("json",))
    check_installed()
