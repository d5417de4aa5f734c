"""Kill for as long as asked: `python -m compat_tests.clients.exactly_once --client java-tv2 --cycles 200 --seed 1`.

A cycle is one kill -9, of the program or of a broker in turn.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
import time
from pathlib import Path

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.broker_process import Broker
from compat_tests.clients.exactly_once.cluster import CONFIG, Cluster, OneBroker, Replicated
from compat_tests.clients.exactly_once.loop import Plan, run, transaction_timeout_ms
from compat_tests.clients.exactly_once.programs import PROGRAMS
from compat_tests.clients.samples import REFERENCE_WAIT_S, WAIT_S, Patience
from compat_tests.kafkacompat_broker import KafkacompatBroker
from compat_tests.seeded.broker import SEEDS

LOG_NAME = "brokers.log"


def main() -> int:
    """The exit status: 1 when a record did not arrive once, or the program did not come on."""
    options = _options()
    Patience.wait_s = REFERENCE_WAIT_S if options.broker == "kafka" else WAIT_S
    timeout_ms = options.transaction_timeout_ms or transaction_timeout_ms(options.broker)
    plan = Plan(options.client, options.cycles, options.seed, options.brokers, options.upgrade, timeout_ms)
    folder = Path(tempfile.mkdtemp(prefix="exactly-once-"))
    cluster = _cluster(options)
    try:
        finding = run(plan, cluster, f"{options.client}-{options.seed}", folder, _say)
    except Exception as error:  # noqa: BLE001 (whatever it is, it is shown with the line that repeats it)
        return _failed(cluster, folder, f"{type(error).__name__}: {error}")
    else:
        if finding.missing or finding.doubled:
            return _failed(cluster, folder, str(finding))
        _say(f"{options.client} on {options.broker}, {options.cycles} cycles, seed {options.seed}: {finding}")
        return 0
    finally:
        cluster.close()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m compat_tests.clients.exactly_once", description=__doc__)
    parser.add_argument("--client", choices=tuple(PROGRAMS), required=True, help="the program that copies")
    parser.add_argument("--cycles", type=int, default=20, help="how often something is killed")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000_000, help="of when and what is killed")
    parser.add_argument("--broker", choices=("kafkacompat", "kafka"), default="kafkacompat")
    parser.add_argument("--brokers", type=int, choices=(1, 3), default=1, help="3: replicated, one process each")
    parser.add_argument(
        "--transaction-timeout-ms", type=int, default=0, help="of the program, 0: as the broker needs it"
    )
    parser.add_argument("--upgrade", action="store_true", help="transaction.version goes from 0 to 2 meanwhile")
    parser.add_argument("--mistake", choices=sorted(SEEDS), help="planted in one kafkacompat: the loop has to find it")
    options = parser.parse_args()
    if options.mistake and (options.broker, options.brokers) != ("kafkacompat", 1):
        parser.error("--mistake is for one broker of kafkacompat")
    return options


def _cluster(options: argparse.Namespace) -> Cluster:
    if options.brokers > 1:
        return Replicated(options.broker, options.brokers, CONFIG)
    ours = KafkacompatBroker(config=CONFIG, seed=options.mistake)
    broker: Broker = ApacheKafka(config=CONFIG) if options.broker == "kafka" else ours
    broker.start()
    return OneBroker(broker)


def _say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def _failed(cluster: Cluster, folder: Path, why: str) -> int:
    (folder / LOG_NAME).write_text(cluster.log_tail())
    options = _options()
    said = {name: value for name, value in vars(options).items() if name != "upgrade" and value is not None}
    words = [f"--{name.replace('_', '-')} {value}" for name, value in said.items()]
    words += ["--upgrade"] if options.upgrade else []
    print(f"{why}\nThe logs are in {shlex.quote(str(folder))}. The same again:")
    print(f"python -m compat_tests.clients.exactly_once {' '.join(words)}", flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main())
