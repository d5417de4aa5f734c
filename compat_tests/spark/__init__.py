"""Spark's Kafka source and sink on both brokers: pyspark 4.2.0 with its whole connector, and 4.0.0.

The cases are those of the connector's own suites (KafkaRelationSuite, KafkaMicroBatchSourceSuite, KafkaSinkSuite and
others), written anew for PySpark. Every row, offset and end of a micro-batch is compared with what was sent, and what a
test saw on one broker with what it saw on the other (`compat_tests/observed.py`). They need Java 17 and pyspark
(`pip install 'kafkacompat[spark]' pyspark==4.2.0`); the jars come from Maven once. One session serves the whole run.

`behaviours.toml` numbers what is to be proved; tests name these numbers with `@pytest.mark.spark_behaviour(24)`, and a
behaviour that no test proves has its reason there. A mark without a number is a test beyond that list.

Those marked `older_spark` run on Spark 4.0.0, too, in a process of its own. `--full` adds the long tests, and runs all
everyday ones there; by hand: `python -m compat_tests.spark 4.0.0 -k stream`. What only newer Sparks have is marked
`since_spark`.
"""
