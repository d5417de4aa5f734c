"""What a broker was asked, and what it answered: a step of its pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkacompat.broker.entities import named

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.answers import Response
    from kafkacompat.broker.pipeline import Passage, Pipeline
    from kafkacompat.broker.principal import Principal
    from kafkacompat.broker.registry import Api


class Entry:
    """One request. `response` is None until it is answered; a message, or what is encoded of it."""

    def __init__(self, passage: Passage) -> None:
        self.api: Api = passage.api
        self.request: Any = passage.request
        self.client_id: str = passage.context.client_id
        self.principal: Principal = passage.context.principal
        self.response: Response | None = None

    @property
    def topics(self) -> list[str | bytes]:
        return named(self.request, self.api.names.topics)


class RequestJournal:
    """Requests in the order in which they came: all of them, those of clients, or those that `sees` picks."""

    def __init__(self, pipeline: Pipeline, sees: Callable[[Api], bool] = lambda _api: True) -> None:
        self.entries: list[Entry] = []
        self.sees = sees
        pipeline.add(self)

    def on_request(self, passage: Passage) -> None:
        entry = Entry(passage)
        self.entries.append(entry)

        def answered(response: Response) -> None:
            entry.response = response
            passage.answer(response)

        passage.proceed(answered)

    @property
    def stems(self) -> list[str]:
        return [entry.api.stem for entry in self.entries]


def of_clients(api: Api) -> bool:
    return not api.is_of_peers
