"""The environment variables of ours, beside those of Kafka: who reads them, and what they say."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "KAFKACOMPAT_"
HIDDEN = "(hidden)"


class Variable(NamedTuple):
    """A variable. `readers` are words for docs/cli.md; `default` is what counts without it, None if nothing does."""

    name: str
    readers: str
    says: str
    default: str | None = None
    is_secret: bool = False


_ROWS = (
    ("BOOTSTRAP_SERVERS", "verbs", "where the cluster is, as `-b`", "localhost:9092"),
    ("USER", "verbs", "the user, as `--user`"),
    ("PASSWORD", "verbs", "the user's password", None, True),
    ("CONTROL", "verbs", "the control API, as `--control`", "http://127.0.0.1:9644"),
    ("STATE_FILE", "verbs", "the file that says where the control API is, as `--state-file`"),
    ("CONTROL_TOKEN", "serve, verbs", "the token of the control API", None, True),
    ("HOST_ADDRESS", "serve", "the address for clients that come through the default gateway"),
    ("LOOP", "serve", "`asyncio` or `uvloop`", "uvloop, if it is installed"),
    ("TOPICS", "container", "topics to create: `a:3,b:1:1`"),
    ("ALLOW_FAULTS", "container", "lets the control API change a broker with a data directory of yours"),
    ("BROKERS", "container, pytest", "how many brokers", "1"),
    ("LOG_LEVEL", "container, pytest", "what is logged", "info"),
    ("EXTERNAL", "pytest", "brokers that run already"),
    ("PROCESSES", "pytest", "each broker in a process of its own"),
    ("VERSION", "container, pytest", "the release of Apache Kafka that brokers offer"),
    ("REUSE", "pytest", "one cluster for many tests"),
    ("KEEP", "pytest", "keeps the data of failing tests"),
    ("CACHE", "demo", "the folder of downloads", "~/.cache/kafkacompat"),
    ("IMAGE", "Compose", "the image in `docker/compose.yaml`"),
    ("LOG", "GitHub steps", "the file with the brokers' log, set by the action"),
    ("PID", "GitHub steps", "the brokers' process, set by the action"),
)
VARIABLES = {row[0]: row for row in (Variable(PREFIX + name, *rest) for name, *rest in _ROWS)}
"""By name."""


def value_of(variable: Variable, environ: Mapping[str, str]) -> tuple[str | None, str]:
    """The value that counts, and its source. Secrets are hidden. An empty variable is one that is not set."""
    given = environ.get(variable.name)
    if not given:
        return variable.default, "default"
    return (HIDDEN if variable.is_secret else given), "environment"


def unknown(environ: Mapping[str, str]) -> list[str]:
    """A line for each variable with our prefix that nothing reads."""
    from difflib import get_close_matches

    lines = []
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in VARIABLES:
            close = get_close_matches(name, VARIABLES, 1)
            lines.append(f"{name} is read by nothing{f'; did you mean {close[0]}?' if close else ''}")
    return lines
