"""SCRAM as in the example of RFC 7677, and what a server may get wrong."""

from __future__ import annotations

import re

import pytest

from kafkacompat.client.errors import NoSaslError
from kafkacompat.client.sasl import Scram, authenticate
from kafkacompat.client.security import Security
from kafkacompat.protocol import error_codes
from kafkacompat.protocol.messages.sasl_handshake import SaslHandshakeResponse

NONCE = "rOprNGfwEbeRWgbNEkqO"
SERVER_FIRST = f"r={NONCE}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"


def scram(password: str = "pencil") -> Scram:
    return Scram("sha256", "user", password, NONCE)


def test_the_exchange_is_that_of_the_rfc() -> None:
    client = scram()
    assert client.first() == f"n,,n=user,r={NONCE}"
    assert client.final(SERVER_FIRST).endswith(",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
    client.check("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")


def test_a_server_that_does_not_know_the_password_is_found_out() -> None:
    client = scram("pen")
    client.final(SERVER_FIRST)
    with pytest.raises(ValueError, match="does not know the password"):
        client.check("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (SERVER_FIRST.replace("4096", "999999999"), "iterations"), (SERVER_FIRST.replace("rOpr", "rOqr"), "nonce"),
        ("nothing", "the server says"), (f"r={NONCE}x", "lacks salt"),
    ],
)  # fmt: skip
def test_what_a_sound_server_does_not_say_is_refused(first: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        scram().final(first)


def test_names_are_escaped() -> None:
    assert Scram("sha256", "a=b,c", "", "n").first() == "n,,n=a=3Db=2Cc,r=n"


def test_a_listener_of_apache_kafka_without_sasl_takes_no_user() -> None:
    refused = SaslHandshakeResponse(error_code=error_codes.ILLEGAL_SASL_STATE)
    with pytest.raises(NoSaslError, match="kafka:9092 takes no SASL: leave out user and mechanism"):
        authenticate("kafka:9092", lambda *_: refused, Security(mechanism="PLAIN", user="u"), 0.0)
