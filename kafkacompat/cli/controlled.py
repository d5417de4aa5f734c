"""The flags with which a verb reaches the control API of a broker of ours, the same for all such verbs."""

from __future__ import annotations

import functools
import json
import os
import sys

import click
from click.core import ParameterSource

from kafkacompat.cli.exits import UNREACHABLE, VerbError, status_of, verb
from kafkacompat.client.texts import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kafkacompat.client.control import ControlClient

CONTROL, STATE_FILE, TOKEN = "KAFKACOMPAT_CONTROL", "KAFKACOMPAT_STATE_FILE", "KAFKACOMPAT_CONTROL_TOKEN"
_OPTIONS = (
    click.option(
        "--control", "control", metavar="URL", envvar=CONTROL,
        help="The control API of a broker of ours. [default: that in the state file, or http://127.0.0.1:9644]",
    ),
    click.option(
        "--state-file", "state_file", metavar="FILE", envvar=STATE_FILE,
        help="The file of serve --state-file, which says where the control API is.",
    ),
    click.option(
        "--timeout", "timeout_s", metavar="SECONDS", type=click.FloatRange(0.1, 86_400), default=30.0,
        show_default=True, help="Give up after so long.",
    ),
)  # fmt: skip
_VERBS_OF = {"faults": "fault list", "topics": "inspect topics", "groups": "inspect groups"}
_NAMES = ("control", "state_file", "timeout_s")


def controlled(function: Callable[..., object]) -> Callable[..., None]:
    """Give a verb the flags, and a client of the control API as its first argument."""

    @functools.wraps(function)
    def run(**given: Any) -> object:
        from kafkacompat.client.control import ControlClient
        from kafkacompat.client.errors import ControlError

        where = {name: given.pop(name) for name in _NAMES}
        with ControlClient(_url(where), token=os.environ.get(TOKEN), timeout_s=where["timeout_s"]) as client:
            try:
                return function(client, **given)
            except ControlError as error:
                raise VerbError(_in_verbs(str(error)), status_of(error)) from None

    command = verb(run)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _in_verbs(text: str) -> str:
    """An error of the control API with verbs and flags in place of its paths and of Python."""
    for path, command in _VERBS_OF.items():
        text = text.replace(f"GET /v1/{path}", f"kafkacompat {command}")
    return text.replace("delete_data=True", "--delete-data").replace("leave data_dir out", "leave --data-dir out")


def _url(where: dict[str, Any]) -> str:
    """The address: of the flag or its variable, of the state file, or where `serve` listens by default."""
    from kafkacompat.client.control import DEFAULT_URL

    source = click.get_current_context().get_parameter_source
    is_flag = source("state_file") == ParameterSource.COMMANDLINE and source("control") != ParameterSource.COMMANDLINE
    if where["control"] and not is_flag:
        return str(where["control"])
    return url_in(where["state_file"]) if where["state_file"] else DEFAULT_URL


def url_in(path: str) -> str:
    """The address of the control API in a state file: that of the cluster, or of its first node. Raises VerbError."""
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 (pathlib costs start-up time)
            state = json.load(file)
    except FileNotFoundError:
        raise VerbError(
            f"there is no state file {path}: the broker is not ready yet, or has stopped", UNREACHABLE
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise VerbError(f"--state-file {path}: {getattr(error, 'strerror', None) or 'it is not JSON'}", 2) from None
    brokers = state.get("brokers") if isinstance(state, dict) else None
    for node in (state, *(brokers if isinstance(brokers, list) else ())):
        if isinstance(node, dict) and isinstance(node.get("control_url"), str):
            return str(node["control_url"])
    raise VerbError(f"the state file {path} names no control API: start the broker without --no-control", UNREACHABLE)


def confirm(question: str, *, yes: bool) -> None:
    """Ask before something is lost. Raises VerbError if the answer is no, or if there is nobody to ask."""
    if yes:
        return
    if not (sys.stdin is not None and sys.stdin.isatty()):
        raise VerbError("this cannot be undone, and there is nobody to ask: give --yes", 2)
    if not click.confirm(question, err=True):
        raise VerbError("nothing was changed")


confirmed = click.option("-y", "--yes", is_flag=True, help="Do not ask.")
delete_data_option = click.option(
    "--delete-data", is_flag=True, help="The broker's data directory is yours: what is in it may go, too."
)


def described(client: ControlClient) -> str:
    """The cluster in a question to the user."""
    found = client.get("/v1/cluster")
    size = f"{counted(len(found['broker_ids']), 'broker')}, {counted(found['topic_count'], 'topic')}"
    return f"cluster {found['cluster_id']} at {client.url} ({size})"
