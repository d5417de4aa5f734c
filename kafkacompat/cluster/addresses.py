"""The addresses that the brokers of a cluster advertise."""

from __future__ import annotations

from kafkacompat.cluster.running import RunningCluster

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ADVERTISE_TIMEOUT_S = 10.0


class Addresses(RunningCluster):
    """The verb for advertised addresses that `Cluster` offers."""

    def advertise(self, broker: int, addresses: Mapping[str, str]) -> None:
        """Advertise other addresses for a running broker: {"PLAINTEXT": "host:port"}; with {} those of the start again.

        Clients are told them from then on, and so are other brokers that use this listener. The broker keeps its
        connections and its data. A restart forgets them. Returns when all running brokers have applied the change.
        Raises KafkaCompatError for an unknown listener or a malformed address, if the broker does not run, and after
        10 s.
        """
        if (joined := self._joined) is not None:
            self._check_running(broker)
            joined.ask("change_resources:put_advertised", path={"broker_id": broker}, body=dict(addresses))
            return
        from kafkacompat.control_api.advertise import advertise, registered

        wanted = self._call(broker, lambda server: advertise(server, addresses))

        def are_told() -> bool:
            return all(
                self._call(node_id, lambda server: registered(server, broker)) == wanted
                for node_id in self._running_brokers()
            )

        self._await(are_told, ADVERTISE_TIMEOUT_S, f"the addresses of broker {broker} are not registered")
