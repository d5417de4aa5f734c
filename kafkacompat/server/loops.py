"""Which event loop: uvloop where it is installed, asyncio's selector loop elsewhere."""

from __future__ import annotations

import asyncio
import os

from kafkacompat.errors import StartupError

ENVIRONMENT = "KAFKACOMPAT_LOOP"


def new_event_loop() -> asyncio.AbstractEventLoop:
    """A loop that is not set as anybody's current one. KAFKACOMPAT_LOOP=asyncio|uvloop decides.

    Never asyncio's default of the system: on Windows that has no add_reader, which accepting needs.
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
