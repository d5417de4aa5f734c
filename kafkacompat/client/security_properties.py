"""TLS and credentials as the properties of Kafka's clients have them: `security.protocol`, `sasl.*`, `ssl.*` (PEM)."""

from __future__ import annotations

import re

from kafkacompat.client.errors import SecurityError
from kafkacompat.client.security import Security

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PLAIN = "PLAIN"
_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_STORE_TYPES = ("ssl.truststore.type", "ssl.keystore.type")
_IN_PLACE = ("ssl.truststore.certificates", "ssl.keystore.certificate.chain", "ssl.keystore.key")
_PAIR = re.compile(r"""(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s;"']+))""")
"""An option in `sasl.jaas.config`, as Kafka's JaasConfig reads it: in quotes of either kind, or a word."""


def security_of(properties: Mapping[str, str]) -> Security | None:
    """None: neither TLS nor credentials. Raises SecurityError for what this client cannot do, rather than without."""
    protocol = properties.get("security.protocol", "PLAINTEXT").upper()
    if protocol not in _PROTOCOLS:
        raise SecurityError(f"security.protocol is one of {', '.join(_PROTOCOLS)}, not {protocol!r}")
    has_tls, has_sasl = protocol.endswith("SSL"), protocol.startswith("SASL_")
    if not has_tls and not has_sasl:
        return None
    if has_tls:
        _check_stores(properties)
    jaas = _options(properties.get("sasl.jaas.config", ""))
    return Security(
        tls=has_tls,
        ca_file=properties.get("ssl.truststore.location") or properties.get("ssl.ca.location"),
        cert_file=properties.get("ssl.keystore.location"),
        key_password=properties.get("ssl.key.password"),
        checks_host_name=properties.get("ssl.endpoint.identification.algorithm", "https") != "",
        mechanism=properties.get("sasl.mechanism", PLAIN).upper() if has_sasl else None,
        user=properties.get("sasl.username") or jaas.get("username", ""),
        password=properties.get("sasl.password") or jaas.get("password", ""),
    )


def java_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """The same for Kafka's Java clients, which have neither `sasl.username` nor `ssl.ca.location`, and other defaults
    for the mechanism and the type of certificates.
    """
    own = {"sasl.username", "sasl.password", "ssl.ca.location"}
    found = {name: value for name, value in properties.items() if name not in own}
    if properties.get("security.protocol", "").upper().startswith("SASL_"):
        found.setdefault("sasl.mechanism", PLAIN)
        user, password = properties.get("sasl.username"), properties.get("sasl.password", "")
        if user is not None and "sasl.jaas.config" not in found:
            module = "plain.Plain" if found["sasl.mechanism"].upper() == PLAIN else "scram.Scram"
            found["sasl.jaas.config"] = (
                f"org.apache.kafka.common.security.{module}LoginModule required "
                f"username={_quoted(user)} password={_quoted(password)};"
            )
    if "ssl.ca.location" in properties:
        found.setdefault("ssl.truststore.location", properties["ssl.ca.location"])
    for store in ("truststore", "keystore"):
        if f"ssl.{store}.location" in found:
            found.setdefault(f"ssl.{store}.type", "PEM")
    return found


def _check_stores(properties: Mapping[str, str]) -> None:
    for name in _STORE_TYPES:
        if properties.get(name, "PEM").upper() != "PEM":
            raise SecurityError(f"{name}={properties[name]}: certificates are read as PEM only; convert the file")
    for name in _IN_PLACE:
        if name in properties:
            raise SecurityError(f"{name}: give certificates as files, in ssl.truststore.location or .keystore.location")


def _options(jaas: str) -> dict[str, str]:
    found = {}
    for name, double, single, word in _PAIR.findall(jaas):
        found[name] = word or re.sub(r"\\(.)", r"\1", double or single)
    return found


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
