"""One Spark session for the whole run, and a workbench on the broker of each test."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from compat_tests import observed
from compat_tests.artifacts import java_program
from compat_tests.broker_process import Broker
from compat_tests.report.collector import LEFT_OUT
from compat_tests.spark.versions import is_since, spark_jars
from compat_tests.spark.workbench import Workbench

SETTINGS = {
    "spark.driver.memory": "1g",
    # Tests are short: what matters is how soon code runs, not how fast it is in the end.
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    # An idle query asks for the latest offsets this often; Spark's 10 ms would keep a small machine busy.
    "spark.sql.streaming.pollingDelay": "50ms",
    # Executors keep clients for minutes; some tests stop their broker, and such a client would go on looking for it.
    "spark.kafka.consumer.cache.timeout": "10s",
    "spark.kafka.consumer.cache.evictorThreadRunInterval": "5s",
    "spark.kafka.producer.cache.timeout": "10s",
    "spark.kafka.producer.cache.evictorThreadRunInterval": "5s",
}

HERE = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "spark_behaviour(*numbers): what of behaviours.toml is proved")
    config.addinivalue_line("markers", "since_spark(version): needs this Spark or a newer one")
    config.addinivalue_line("markers", "older_spark: runs on the oldest Spark in each run, too")
    observed.load(config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what this Spark does not have, and let pyspark's ways not be warnings of ours."""
    left_out = [item for item in items if is_too_new(item)]
    for item in left_out:
        item.stash[LEFT_OUT] = f"needs a newer Spark than {pyspark.__version__}"
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    for item in items:
        if HERE in item.path.parents:
            # it leaves it to the garbage collector to close the socket through which each `collect` comes
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"))


def is_too_new(item: pytest.Item) -> bool:
    """Whether a test needs a newer Spark than this one."""
    since = item.get_closest_marker("since_spark")
    return since is not None and not is_since(since.args[0])


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Started with the first test that needs it, which takes about ten seconds."""
    java_program()  # its absence is said in a clear line
    scratch = tmp_path_factory.mktemp("spark")
    os.environ.pop("SPARK_HOME", None)  # another Spark than pyspark's own
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    folders = {"spark.local.dir": str(scratch / "local"), "spark.sql.warehouse.dir": str(scratch / "warehouse")}
    jars = {"spark.jars": ",".join(map(str, spark_jars(pyspark.__version__)))}
    builder = SparkSession.builder.master("local[2]").appName("kafkacompat tests")
    for name, value in (SETTINGS | folders | jars).items():
        builder = builder.config(name, value)
    with contextlib.chdir(scratch):  # Spark's JVM makes a folder `artifacts` where it is started (SPARK-52396)
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture
def workbench(
    spark: SparkSession, tmp_path: Path, observed: observed.Observed
) -> Iterator[Callable[[Broker], Workbench]]:
    """`workbench(broker)` is Spark with a broker; queries are stopped at the end of the test, before the broker is."""
    made: list[Workbench] = []

    def make(broker: Broker) -> Workbench:
        made.append(Workbench(spark, broker.bootstrap_servers, tmp_path, observed))
        return made[-1]

    yield make
    for bench in made:
        bench.close()


@pytest.fixture
def bench(broker: Broker, workbench: Callable[[Broker], Workbench]) -> Workbench:
    """Spark and the broker that tests share."""
    return workbench(broker)
