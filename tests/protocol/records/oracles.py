"""The batch classes of kafka-python and aiokafka, with which ours are compared."""

import warnings

from aiokafka.record.default_records import DefaultRecordBatch as AioBatch
from aiokafka.record.default_records import _DefaultRecordBatchBuilderPy as AioBuilder

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # kafka-python's own use of importlib.resources
    from kafka.record.default_records import DefaultRecordBatch as KafkaPythonBatch
    from kafka.record.default_records import DefaultRecordBatchBuilder as KafkaPythonBuilder

__all__ = ["AioBatch", "AioBuilder", "KafkaPythonBatch", "KafkaPythonBuilder"]
