"""A cluster around functions, as a decorator, and in async code, whose loop goes on while it starts and stops."""

from __future__ import annotations

import asyncio
import inspect
from contextvars import copy_context
from functools import wraps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Result = TypeVar("Result")


def decorated(function: Callable[..., Any], new_cluster: Callable[[], Any]) -> Callable[..., Any]:
    """A function that runs with a fresh cluster in each call, passed as keyword argument `kafka`."""
    signature = inspect.signature(function)
    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def run(*args: Any, **kwargs: Any) -> Any:
            async with new_cluster() as kafka:
                return await function(*args, kafka=kafka, **kwargs)
    else:

        @wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with new_cluster() as kafka:
                return function(*args, kafka=kafka, **kwargs)

    # Hide the argument `kafka`, or pytest would look for a fixture of that name.
    others = [parameter for name, parameter in signature.parameters.items() if name != "kafka"]
    run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
    return run


async def started(start: Callable[[], Result], stop: Callable[[], object]) -> Result:
    """Call `start` on another thread; after a cancellation also `stop`."""
    try:
        return await to_the_end(start)
    except asyncio.CancelledError:  # the block is not entered, so nobody else stops it
        await to_the_end(stop)
        raise


async def to_the_end(function: Callable[[], Result]) -> Result:
    """Call the function on another thread. A cancellation is raised only after it has returned."""
    cancelled: asyncio.CancelledError | None = None
    # Not a task: closing a loop cancels all tasks.
    call = asyncio.get_running_loop().run_in_executor(None, copy_context().run, function)
    while not call.done():
        try:
            await asyncio.wait([call])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        call.exception()  # retrieved, or asyncio would log it
        raise cancelled
    return call.result()
