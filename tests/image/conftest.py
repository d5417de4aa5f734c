"""The image's tree, once in a session, and containers made from it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.image.container import Container, Image

StartContainer = Callable[..., Container]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker makes the tree; other systems than Linux have no namespaces, and run no containers of their own."""
    for item in items:
        if Path(item.path).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.xdist_group("image"))
            if not sys.platform.startswith("linux"):
                item.add_marker(pytest.mark.skip(reason="the image's scripts run on Linux"))


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """The image's tree. Fails on a machine that allows no namespaces."""
    directory = tmp_path_factory.mktemp("image")
    for path in (directory, *directory.parents):  # the container's user has to reach it
        if path.is_relative_to(tmp_path_factory.getbasetemp().parent.parent) and path.owner() != "nobody":
            path.chmod(path.stat().st_mode | 0o011)
    return Image(directory)


@pytest.fixture
def start(image: Image, tmp_path: Path) -> Iterator[StartContainer]:
    """Starts containers, which end with the test."""
    with ExitStack() as stack:
        count = 0

        def container(command: list[str], environ: dict[str, str] | None = None, *ports: int) -> Container:
            nonlocal count
            count += 1
            return stack.enter_context(Container(image, tmp_path / str(count), environ or {}, command, ports))

        yield container
