"""TLS and credentials as the properties of Kafka's clients have them: `security.protocol`, `sasl.*`, `ssl.*` (PEM)."""

from __future__ import annotations

import re

from kafkacompat.client.security import Security

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_PAIR = re.compile(r'(\w+)="([^"]*)"')


def security_of(properties: Mapping[str, str]) -> Security | None:
    """None: neither TLS nor credentials."""
    protocol = properties.get("security.protocol", "PLAINTEXT").upper()
    has_tls, has_sasl = "SSL" in protocol, protocol.startswith("SASL_")
    if not has_tls and not has_sasl:
        return None
    jaas = dict(_PAIR.findall(properties.get("sasl.jaas.config", "")))
    return Security(
        tls=has_tls,
        ca_file=properties.get("ssl.truststore.location") or properties.get("ssl.ca.location"),
        cert_file=properties.get("ssl.keystore.location"),
        key_password=properties.get("ssl.key.password"),
        verify=properties.get("ssl.endpoint.identification.algorithm", "https") != "",
        mechanism=properties.get("sasl.mechanism", "PLAIN").upper() if has_sasl else None,
        user=properties.get("sasl.username") or jaas.get("username", ""),
        password=properties.get("sasl.password") or jaas.get("password", ""),
    )
