"""Chooses the event loop: uvloop if it is installed, else asyncio's selector loop."""

from __future__ import annotations

import asyncio
import os

from kafkacompat.errors import StartupError

ENVIRONMENT = "KAFKACOMPAT_LOOP"


def new_event_loop() -> asyncio.AbstractEventLoop:
    """A new loop, which is not set as the current one. KAFKACOMPAT_LOOP=asyncio|uvloop overrides the choice.

    On Windows asyncio's default loop cannot be used, because it lacks add_reader.
    """
    wanted = os.environ.get(ENVIRONMENT, "")
    if wanted not in ("", "asyncio", "uvloop"):
        raise StartupError(f"{ENVIRONMENT}={wanted}: use asyncio or uvloop")
    if wanted != "asyncio":
        try:
            import uvloop
        except ImportError:
            if wanted:
                raise StartupError(
                    f"{ENVIRONMENT}=uvloop, but uvloop is missing: pip install 'kafkacompat[uvloop]'"
                ) from None
        else:
            loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
            return loop
    return asyncio.SelectorEventLoop()
