"""`POST /v1/brokers/{broker_id}/kill` and the like: for whoever started the nodes, and can start them again."""

from __future__ import annotations

import asyncio

from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.errors import KafkaCompatError

CAPABILITY = "processes"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from kafkacompat.control_api.http.calls import NodeVerbs

    Plain = dict[str, Any]

    class HasVerbs(Protocol):
        """What a verb takes of a call."""

        @property
        def path(self) -> Mapping[str, Any]: ...

        @property
        def verbs(self) -> NodeVerbs | None: ...


async def kill(call: HasVerbs) -> Plain:
    """POST /v1/brokers/{broker_id}/kill."""
    return await _act(call, "kill")


async def stop(call: HasVerbs) -> Plain:
    """POST /v1/brokers/{broker_id}/stop."""
    return await _act(call, "stop")


async def start(call: HasVerbs) -> Plain:
    """POST /v1/brokers/{broker_id}/start; 409 if it runs."""
    return await _act(call, "start")


async def restart(call: HasVerbs) -> Plain:
    """POST /v1/brokers/{broker_id}/restart."""
    return await _act(call, "restart")


async def pause(call: HasVerbs) -> Plain:
    """POST /v1/brokers/{broker_id}/pause; 409 if it has no process of its own."""
    return await _act(call, "pause")


async def resume(call: HasVerbs) -> Plain:
    """POST /v1/brokers/{broker_id}/resume."""
    return await _act(call, "resume")


async def _act(call: HasVerbs, verb: str) -> Plain:
    """Do it on another thread, and say whether the broker runs then."""
    broker_id, verbs = call.path["broker_id"], call.verbs
    if verbs is None:
        raise ProblemError(
            501, "not-implemented",
            "this process runs its broker itself, and could not start it again: use serve --brokers, or Cluster",
            members={"capability": CAPABILITY},
        )  # fmt: skip
    loop = asyncio.get_running_loop()
    try:
        await loop.run_in_executor(None, verbs.is_running, broker_id)
    except KafkaCompatError as error:
        raise ProblemError(404, "no-node", str(error)) from None
    await loop.run_in_executor(None, getattr(verbs, verb), broker_id)
    is_running = await loop.run_in_executor(None, verbs.is_running, broker_id)
    return {"broker_id": broker_id, "is_running": is_running}
