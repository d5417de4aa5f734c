"""Runs the demo and determines its exit status."""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

from kafkacompat.demo.broker import RunningBroker, own_broker
from kafkacompat.demo.errors import DemoError
from kafkacompat.demo.progress import Progress
from kafkacompat.demo.report import Report, how_to_connect
from kafkacompat.demo.work import Options, load, work
from kafkacompat.errors import KafkaCompatError

INTERRUPTED = 130
"""Exit status after Ctrl-C, as in a shell."""


def run(options: Options, out: TextIO) -> int:
    """Run the demo with its output on `out`. Returns the exit status: 0 only if everything was equal."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends the children as Ctrl-C does
    progress, report = Progress(out, is_terminal=out.isatty()), Report()
    shown = False
    try:
        _check_clients()
        data = load(options, progress)
        with _folder() as folder, _broker(options, folder, progress) as broker:
            address = broker.address
            work(options, data, broker, folder, progress, report)
            _print(out, f"\n{report.text()}\n\n{how_to_connect(address if options.keep else None)}")
            shown = True
            if options.keep:
                _print(out, f"\nThe broker at {address} stays until Ctrl-C.")
                threading.Event().wait()
    except KeyboardInterrupt:
        progress.end()
        if not shown:
            _print(out, "stopped")
            return INTERRUPTED
    except KafkaCompatError as error:
        return _fail(str(error), progress, report if not shown else Report(), out)
    except Exception as error:
        if not _is_from_a_client(error):
            raise
        return _fail(f"a client failed: {type(error).__name__}: {error}", progress, report, out)
    return 0 if report.is_equal else 1


def _fail(line: str, progress: Progress, report: Report, out: TextIO) -> int:
    progress.end()
    so_far = report.text()
    _print(out, f"\n{so_far}\n\nkafkacompat demo: {line}" if so_far else f"kafkacompat demo: {line}")
    return 1


def _is_from_a_client(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] in ("kafka", "confluent_kafka", "cimpl")


def _print(out: TextIO, text: str) -> None:
    out.write(f"{text}\n")
    out.flush()


def _check_clients() -> None:
    missing = [name for name in ("confluent_kafka", "kafka") if find_spec(name) is None]
    if missing:
        raise DemoError(f"{' and '.join(missing)} cannot be imported: pip install 'kafkacompat[demo]'")


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="kafkacompat-demo-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def _broker(options: Options, folder: Path, progress: Progress) -> Iterator[RunningBroker]:
    if options.bootstrap_servers:
        yield RunningBroker(options.bootstrap_servers, None, None)
        return
    progress.step("starting a broker")
    with own_broker(folder) as broker:
        progress.done(f"ready on {broker.address}")
        yield broker
