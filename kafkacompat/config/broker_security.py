"""TLS, SASL, OAuth, delegation tokens and authorization.

Facts from Apache Kafka 4.3.1: name, type, default, limits, and whether it can be altered while the broker runs.
"""

from __future__ import annotations

from kafkacompat.config.checks import Between, ListOf, OneOf
from kafkacompat.config.flags import PER_BROKER, READ_ONLY
from kafkacompat.config.values import BOOLEAN, CLASS, DOUBLE, INT, LIST, LONG, PASSWORD, SHORT, STRING, TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacompat.config.flags import Row

ROWS: tuple[Row, ...] = (
    # TLS
    ("ssl.allow.dn.changes", BOOLEAN, "false", None, READ_ONLY),
    ("ssl.allow.san.changes", BOOLEAN, "false", None, READ_ONLY),
    ("ssl.cipher.suites", LIST, "", ListOf(), PER_BROKER),
    ("ssl.client.auth", STRING, "none", OneOf("required", "requested", "none"), PER_BROKER),
    ("ssl.enabled.protocols", LIST, "TLSv1.2,TLSv1.3", ListOf(), PER_BROKER),
    ("ssl.endpoint.identification.algorithm", STRING, "https", None, PER_BROKER),
    ("ssl.engine.factory.class", CLASS, None, None, PER_BROKER),
    ("ssl.key.password", PASSWORD, None, None, PER_BROKER),
    ("ssl.keymanager.algorithm", STRING, "SunX509", None, PER_BROKER),
    ("ssl.keystore.certificate.chain", PASSWORD, None, None, PER_BROKER),
    ("ssl.keystore.key", PASSWORD, None, None, PER_BROKER),
    ("ssl.keystore.location", STRING, None, None, PER_BROKER),
    ("ssl.keystore.password", PASSWORD, None, None, PER_BROKER),
    ("ssl.keystore.type", STRING, "JKS", None, PER_BROKER),
    ("ssl.principal.mapping.rules", STRING, "DEFAULT", None, READ_ONLY),
    ("ssl.protocol", STRING, "TLSv1.3", None, PER_BROKER),
    ("ssl.provider", STRING, None, None, PER_BROKER),
    ("ssl.secure.random.implementation", STRING, None, None, PER_BROKER),
    ("ssl.trustmanager.algorithm", STRING, "PKIX", None, PER_BROKER),
    ("ssl.truststore.certificates", PASSWORD, None, None, PER_BROKER),
    ("ssl.truststore.location", STRING, None, None, PER_BROKER),
    ("ssl.truststore.password", PASSWORD, None, None, PER_BROKER),
    ("ssl.truststore.type", STRING, "JKS", None, PER_BROKER),
    # OAuth
    ("sasl.oauthbearer.assertion.algorithm", STRING, "RS256", OneOf("ES256", "RS256", ignore_case=True), READ_ONLY),
    ("sasl.oauthbearer.assertion.claim.aud", STRING, None, None, READ_ONLY),
    ("sasl.oauthbearer.assertion.claim.exp.seconds", INT, "300", Between(0, 86400), READ_ONLY),
    ("sasl.oauthbearer.assertion.claim.iss", STRING, None, None, READ_ONLY),
    ("sasl.oauthbearer.assertion.claim.jti.include", BOOLEAN, "false", None, READ_ONLY),
    ("sasl.oauthbearer.assertion.claim.nbf.seconds", INT, "60", Between(0, 3600), READ_ONLY),
    ("sasl.oauthbearer.assertion.claim.sub", STRING, None, None, READ_ONLY),
    ("sasl.oauthbearer.assertion.file", STRING, None, None, READ_ONLY),
    ("sasl.oauthbearer.assertion.private.key.file", STRING, None, None, READ_ONLY),
    ("sasl.oauthbearer.assertion.private.key.passphrase", PASSWORD, None, None, READ_ONLY),
    ("sasl.oauthbearer.assertion.template.file", STRING, None, None, READ_ONLY),
    ("sasl.oauthbearer.client.credentials.client.id", STRING, None, None, READ_ONLY),
    ("sasl.oauthbearer.client.credentials.client.secret", PASSWORD, None, None, READ_ONLY),
    ("sasl.oauthbearer.clock.skew.seconds", INT, "30", None, READ_ONLY),
    ("sasl.oauthbearer.expected.audience", LIST, "", ListOf(), READ_ONLY),
    ("sasl.oauthbearer.expected.issuer", STRING, None, None, READ_ONLY),
    ("sasl.oauthbearer.jwks.endpoint.refresh.ms", LONG, "3600000", None, READ_ONLY),
    ("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", LONG, "10000", None, READ_ONLY),
    ("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", LONG, "100", None, READ_ONLY),
    ("sasl.oauthbearer.jwks.endpoint.url", STRING, None, None, READ_ONLY),
    (
        "sasl.oauthbearer.jwt.retriever.class",
        CLASS,
        "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever",
        None,
        READ_ONLY,
    ),
    (
        "sasl.oauthbearer.jwt.validator.class",
        CLASS,
        "org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator",
        None,
        READ_ONLY,
    ),
    ("sasl.oauthbearer.scope", STRING, None, None, READ_ONLY),
    ("sasl.oauthbearer.scope.claim.name", STRING, "scope", None, READ_ONLY),
    ("sasl.oauthbearer.sub.claim.name", STRING, "sub", None, READ_ONLY),
    ("sasl.oauthbearer.token.endpoint.url", STRING, None, None, READ_ONLY),
    # SASL
    ("sasl.client.callback.handler.class", CLASS, None, None, READ_ONLY),
    ("sasl.enabled.mechanisms", LIST, "GSSAPI", ListOf(), PER_BROKER),
    ("sasl.jaas.config", PASSWORD, None, None, PER_BROKER),
    ("sasl.kerberos.kinit.cmd", STRING, "/usr/bin/kinit", None, PER_BROKER),
    ("sasl.kerberos.min.time.before.relogin", LONG, "60000", None, PER_BROKER),
    ("sasl.kerberos.principal.to.local.rules", LIST, "DEFAULT", ListOf(), PER_BROKER),
    ("sasl.kerberos.service.name", STRING, None, None, PER_BROKER),
    ("sasl.kerberos.ticket.renew.jitter", DOUBLE, "0.05", None, PER_BROKER),
    ("sasl.kerberos.ticket.renew.window.factor", DOUBLE, "0.8", None, PER_BROKER),
    ("sasl.login.callback.handler.class", CLASS, None, None, READ_ONLY),
    ("sasl.login.class", CLASS, None, None, READ_ONLY),
    ("sasl.login.connect.timeout.ms", INT, None, None, READ_ONLY),
    ("sasl.login.read.timeout.ms", INT, None, None, READ_ONLY),
    ("sasl.login.refresh.buffer.seconds", SHORT, "300", None, PER_BROKER),
    ("sasl.login.refresh.min.period.seconds", SHORT, "60", None, PER_BROKER),
    ("sasl.login.refresh.window.factor", DOUBLE, "0.8", None, PER_BROKER),
    ("sasl.login.refresh.window.jitter", DOUBLE, "0.05", None, PER_BROKER),
    ("sasl.login.retry.backoff.max.ms", LONG, "10000", None, READ_ONLY),
    ("sasl.login.retry.backoff.ms", LONG, "100", None, READ_ONLY),
    ("sasl.mechanism.inter.broker.protocol", STRING, "GSSAPI", None, PER_BROKER),
    ("sasl.server.callback.handler.class", CLASS, None, None, READ_ONLY),
    ("sasl.server.max.receive.size", INT, "524288", None, READ_ONLY),
    # Delegation tokens
    ("delegation.token.expiry.check.interval.ms", LONG, "3600000", Between(1), READ_ONLY),
    ("delegation.token.expiry.time.ms", LONG, "86400000", Between(1), READ_ONLY),
    ("delegation.token.max.lifetime.ms", LONG, "604800000", Between(1), READ_ONLY),
    ("delegation.token.secret.key", PASSWORD, None, None, READ_ONLY),
    # Who may do what
    ("authorizer.class.name", STRING, "", None, READ_ONLY),
    ("connections.max.reauth.ms", LONG, "0", None, READ_ONLY),
    (
        "principal.builder.class",
        CLASS,
        "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder",
        None,
        PER_BROKER,
    ),
    ("security.providers", STRING, None, None, READ_ONLY),
)
