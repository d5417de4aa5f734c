"""docs/configuration.md: every setting of Kafka's, and whether this broker acts on it."""

from __future__ import annotations

from collections.abc import Iterator

from kafkacompat.config import development_defaults
from kafkacompat.config.definitions import (
    BROKER_CONFIGS,
    CLIENT_METRICS_CONFIGS,
    GROUP_CONFIGS,
    TOPIC_CONFIGS,
    ConfigTable,
)
from kafkacompat.config.docs import documentation
from kafkacompat.config.protection import OF_AN_AUTHORIZER, WITHOUT_EFFECT
from kafkacompat.config.values import ConfigKey

INTRODUCTION = """\
# Configuration

Made by `python3 .ci/dev.py generate` from the tables in `kafkacompat/config/`; a test fails when it is stale.

Settings are Kafka's own, with Kafka's names, types, defaults and limits (4.3.1). They come, the later one winning, from
Kafka's defaults, the development defaults below (not for a node that `process.roles` describes, see
[cluster.md](cluster.md)), `--properties FILE`, the environment, and `--config KEY=VALUE` with the other flags; or
from `Cluster(config={...})`. Clients alter them while the broker runs, as with Kafka; what concerns connections
(`listeners`, `max.connections*`, `queued.max.request.bytes`) is taken at the start from the file and the flags alone.
An unknown name is a warning that tells the nearest known one.

`KAFKA_*` variables are read by `kafkacompat serve --from-env` alone, as Apache Kafka's container image reads them:
`KAFKA_LOG_DIRS` is `log.dirs`, `__` is an underscore, `___` a dash (the other way round, as in Confluent's images, if
only that names a known setting). `CLUSTER_ID` is the cluster id. Variables stand on top of the defaults and of
`--properties`, where a single variable makes Kafka's image forget its defaults. With `KAFKA_ADVERTISED_LISTENERS` and
without `KAFKA_LISTENERS` the broker listens on all addresses at the advertised ports.

*Obeyed*: this broker acts on it. *Kept*: it is checked, stored and described, survives restarts, and has no effect yet.

## Protection

There is no TLS, no SASL and no authorizer yet. What would protect a broker of Kafka's is not kept: it ends the start
with one line, and clients that want to set it are answered INVALID_CONFIG.

| setting | refused when |
|---|---|
| {authorizer} | it is given |
| `listeners`, `listener.security.protocol.map` | a listener has another protocol than PLAINTEXT |
| `security.inter.broker.protocol` | it is not PLAINTEXT |
| `listener.name.<listener>.ssl.*`, `listener.name.<listener>.sasl.*` | the node has that listener; clients: always |

A warning, because they protect nothing in Kafka either while all listeners are PLAINTEXT: Kafka's default protocol map,
`ssl.*` and `sasl.*` without the name of a listener that is bound, {idle}.

If the metadata log holds one of the refused settings, each start logs an error line that names it, and goes on. Clients
can remove it.
"""

SCOPES = (
    ("Topics", TOPIC_CONFIGS),
    ("Brokers", BROKER_CONFIGS),
    ("Groups", GROUP_CONFIGS),
    ("Client metrics", CLIENT_METRICS_CONFIGS),
)


def page() -> str:
    """The whole page."""
    return "\n".join(
        [_introduction(), *_development(), *(line for title, table in SCOPES for line in _scope(title, table))]
    )


def _introduction() -> str:
    authorizer = ", ".join(f"`{name}`" for name in OF_AN_AUTHORIZER)
    idle = ", ".join(f"`{name}`" for name in WITHOUT_EFFECT)
    return INTRODUCTION.replace("{authorizer}", authorizer).replace("{idle}", idle)


def _development() -> list[str]:
    lines = [
        "## Development defaults",
        "",
        "Set unless you set them, as Apache Kafka's container image does; here for one broker. With `--brokers 3` or "
        "more",
        "each replication factor is 3 and each min.isr 2, as in Kafka.",
        "",
    ]
    lines += ["| name | Kafka's default | here |", "|---|---|---|"]
    for name, value in sorted(development_defaults(1).items()):
        lines.append(f"| `{name}` | `{BROKER_CONFIGS[name].default}` | `{value}` |")
    return [*lines, ""]


def _scope(title: str, table: ConfigTable) -> Iterator[str]:
    keys = sorted((table[name] for name in table), key=lambda key: key.name)
    shown = [key for key in keys if not key.internal or key.obeyed]
    obeyed = [key for key in shown if key.obeyed]
    yield from (f"## {title}", "", f"{len(obeyed)} of {len(shown)} obeyed.", "")
    if obeyed:
        yield from ("| obeyed | default | what it does |", "|---|---|---|")
        yield from (
            f"| `{key.name}` | {_default(key)} | {documentation(key.scope, key.name) or ''} |" for key in obeyed
        )
        yield ""
    kept = [f"`{key.name}`" for key in shown if not key.obeyed and key.name not in OF_AN_AUTHORIZER]
    if kept:
        yield from (f"Kept: {', '.join(kept)}.", "")


def _default(key: ConfigKey) -> str:
    return "" if key.default in (None, "") else f"`{key.default}`"
