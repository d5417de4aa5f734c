"""A client's identity (Kafka's KafkaPrincipal), and how an Envelope carries it (KIP-590)."""

ENVELOPE_VERSION = 0
"""The version of the principal's encoding, which precedes it as an int16."""


class Principal:
    """A principal type, "User" unless a custom builder sets another, and a name."""

    __slots__ = ("kind", "name")

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name

    def __repr__(self) -> str:
        return f"{self.kind}:{self.name}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Principal) and (self.kind, self.name) == (other.kind, other.name)

    def __hash__(self) -> int:
        return hash((self.kind, self.name))

    def to_bytes(self) -> bytes:
        """As an Envelope carries it."""
        from kafkacompat.protocol.internal.principal import DefaultPrincipalData, encode_default_principal_data

        parts: list[bytes] = [ENVELOPE_VERSION.to_bytes(2, "big")]
        encode_default_principal_data(DefaultPrincipalData(self.kind, self.name), ENVELOPE_VERSION, parts)
        return b"".join(parts)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Principal":
        """Raises MalformedMessageError."""
        from kafkacompat.protocol.internal.principal import decode_default_principal_data

        found = decode_default_principal_data(data, 2, int.from_bytes(data[:2], "big"))
        return cls(found.type, found.name)


ANONYMOUS = Principal("User", "ANONYMOUS")
"""The principal of every client on a listener without authentication."""
