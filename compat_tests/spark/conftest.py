"""One Spark session for the whole run, and a workbench on the broker of each test."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from compat_tests.artifacts import java_program, spark_jars
from compat_tests.broker_process import Broker
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """pyspark leaves it to the garbage collector to close the socket through which each `collect` comes."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Started with the first test that needs it, which takes about ten seconds."""
    java_program()  # its absence is said in a clear line
    scratch = tmp_path_factory.mktemp("spark")
    os.environ.pop("SPARK_HOME", None)  # another Spark than pyspark's own
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    folders = {"spark.local.dir": str(scratch / "local"), "spark.sql.warehouse.dir": str(scratch / "warehouse")}
    jars = {"spark.jars": ",".join(map(str, spark_jars()))}
    builder = SparkSession.builder.master("local[2]").appName("kafkacompat tests")
    for name, value in (SETTINGS | folders | jars).items():
        builder = builder.config(name, value)
    with contextlib.chdir(scratch):  # Spark's JVM makes a folder `artifacts` where it is started (SPARK-52396)
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture
def bench(spark: SparkSession, broker: Broker, tmp_path: Path) -> Iterator[Workbench]:
    """Spark and the broker that tests share; queries are stopped at the end of the test."""
    made = Workbench(spark, broker.bootstrap_servers, tmp_path)
    yield made
    made.close()
