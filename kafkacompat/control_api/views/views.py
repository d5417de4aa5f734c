"""What a running node shows: topics, records, groups, producers, transactions, fetch sessions, connections, and more.

Each view is a function of the node's `BrokerServer` (and of what to show) that returns work in steps (`steps.py`). Its
result is plain: dicts, lists, texts and numbers, as JSON has them. Reading moves no offset and creates nothing. A view
takes UNITS_PER_TURN of work in each turn of the loop, about 2 ms; a smaller one is of a single moment: its parts agree.

`in_turns` runs a view on the node's loop:

    found = await in_turns(topics(server))

What a view tells of other nodes is what this node knows of them; `joined.py` joins the views of all nodes.
"""

from kafkacompat.control_api.views.client_views import connections, fetch_sessions
from kafkacompat.control_api.views.group_views import groups
from kafkacompat.control_api.views.record_views import NotFoundError, records
from kafkacompat.control_api.views.request_views import requests
from kafkacompat.control_api.views.topic_views import producers, topics
from kafkacompat.control_api.views.transaction_views import transactions
from kafkacompat.steps import Stepped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from kafkacompat.steps import Steps

    Result = TypeVar("Result")

__all__ = [
    "NotFoundError", "connections", "fetch_sessions", "groups", "in_turns", "producers", "records", "requests",
    "topics", "transactions",
]  # fmt: skip

UNITS_PER_TURN = 200
"""The budget of a view in one turn of the loop: about 2 ms."""


async def in_turns(view: "Steps[Result]") -> "Result":
    """Run a view on the loop that calls this, between the other events of the loop. Raises what the view raises."""
    import asyncio

    stepped = Stepped(view)
    while not stepped.resume(UNITS_PER_TURN):
        await asyncio.sleep(0)
    result: Result = stepped.result  # type: ignore[assignment] # what the view has returned
    return result
