"""The endpoints that a broker advertises, which may change while it runs."""

from kafkacompat.config.listeners import ADVERTISED_LISTENERS, advertised
from kafkacompat.config.values import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkacompat.broker.control.lifecycle import Lifecycle
    from kafkacompat.now import Now


class AdvertisedEndpoints:
    """The endpoints with which the broker was started, until others replace them.

    That is done by the dynamic config `advertised.listeners` of this broker (`configure`), and by `replace`; the
    later one of the two applies. Listeners that neither names keep the address from the start.
    """

    def __init__(self, lifecycle: "Lifecycle") -> None:
        self._from_start = lifecycle.endpoints
        self._lifecycle = lifecycle
        self._configured: str | None = None

    def configure(self, dynamic: "Mapping[str, str]") -> None:
        """The dynamic configs of this broker have changed. The lifecycle registers with the next event."""
        text = dynamic.get(ADVERTISED_LISTENERS)
        if text == self._configured:
            return
        self._configured = text
        try:
            self._set({} if text is None else advertised(text))
        except ConfigError:  # written to the metadata log by something that does not check it
            self._set({})

    def replace(self, addresses: "Mapping[str, tuple[str, int]]", now: "Now") -> None:
        """Advertise these hosts and ports by listener name; with none of them those from the start. The broker keeps
        its incarnation, its epoch and its connections. Raises KeyError for a listener that is not advertised.
        """
        names = [endpoint.name for endpoint in self._from_start]
        for name in addresses:
            if name not in names:
                raise KeyError(name)
        self._set(addresses)
        self._lifecycle.announce(now)

    @property
    def listeners(self) -> list[str]:
        """The names of the advertised listeners."""
        return [endpoint.name for endpoint in self._from_start]

    def _set(self, addresses: "Mapping[str, tuple[str, int]]") -> None:
        endpoints = []
        for endpoint in self._from_start:
            host, port = addresses.get(endpoint.name, (endpoint.host, endpoint.port))
            endpoints.append(endpoint.but(host=host, port=port))
        self._lifecycle.set_endpoints(endpoints)
