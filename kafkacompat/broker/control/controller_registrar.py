"""Registers this controller with the active controller (KIP-919; Kafka's ControllerRegistrationManager)."""

import logging

from kafkacompat.broker.network import CONTROLLER
from kafkacompat.protocol.api_keys import CONTROLLER_REGISTRATION
from kafkacompat.protocol.error_codes import NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import Endpoint

    class Node(
        services.Identity, services.Metadata, services.Quorum, services.Waiting, services.ControllerCalls, Protocol
    ):
        """The services that the registration uses."""


log = logging.getLogger(__name__)

REGISTRATION_VERSION = 0
TIMEOUT_MS = 5_000
RETRY_MS = 500


class ControllerRegistrar:
    """The registration of one controller. A process registers once; an active controller registers itself."""

    def __init__(self, node: "Node", endpoints: "Sequence[Endpoint]") -> None:
        self._node = node
        self._endpoints = endpoints
        self._is_in_flight = False
        self._is_done = False

    def check(self, now: "Now") -> None:
        """Register if this is still necessary and possible now."""
        broker, image = self._node, self._node.image
        if self._is_done or self._is_in_flight:
            return
        present = image.controllers.get(broker.node_id)
        is_registered = present is not None and present.incarnation_id == broker.incarnation_id
        self._is_done = is_registered or broker.quorum.is_active
        if not self._is_done and image.features and broker.network is not None:
            self._register(now)

    def _register(self, now: "Now") -> None:
        from kafkacompat.protocol.messages.controller_registration import (
            ControllerRegistrationRequest,
            Feature,
            Listener,
        )
        from kafkacompat.replication.metadata.features import SUPPORTED_FEATURES

        self._is_in_flight = True
        request = ControllerRegistrationRequest(
            self._node.node_id,
            self._node.incarnation_id,
            listeners=[Listener(each.name, each.host, each.port, each.security_protocol) for each in self._endpoints],
            features=[Feature(name, low, high) for name, (low, high) in SUPPORTED_FEATURES.items()],
        )
        self._node.channel.request(
            CONTROLLER, CONTROLLER_REGISTRATION, REGISTRATION_VERSION, request, self._answered,
            timeout_ms=TIMEOUT_MS, now=now,
        )  # fmt: skip

    def _answered(self, response: object, now: "Now") -> None:
        self._is_in_flight = False
        code = getattr(response, "error_code", None)
        if code == NONE:
            self._is_done = True
            return
        if code is not None:
            log.warning("the active controller refuses to register controller %d: error %d", self._node.node_id, code)
        self._node.timers.set("controller registration", now.monotonic_ms + RETRY_MS, self.check)
