"""The files of an archive, on any file system that Hadoop knows: local, HDFS, S3."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from uuid import uuid4

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkacompat.spark.archives.archive_spec import ArchiveError

JAVA_ERRORS = (Py4JJavaError, PySparkException)
"""What is raised for an exception in the JVM: the second for those that Spark knows, such as unsupported operations."""
RECURSIVE = True
THREADS = 8
"""That compute checksums: object stores answer many readers at once."""


class ArchiveFiles:
    """Paths are below `root`, with slashes. Errors of the file system are raised as Spark raises them."""

    def __init__(self, spark: SparkSession, root: str) -> None:
        jvm: Any = getattr(spark, "_jvm", None)
        if jvm is None:
            raise ArchiveError("archives need a session that runs the driver, not one of Spark Connect")
        self._jvm = jvm
        self._hadoop = jvm.org.apache.hadoop.fs
        java_session: Any = spark._jsparkSession  # noqa: SLF001 (pyspark has no other way to its configuration)
        self._fs = self._hadoop.Path(root).getFileSystem(java_session.sessionState().newHadoopConf())
        self._root = self._fs.makeQualified(self._hadoop.Path(root))
        self.root = root.rstrip("/")

    def path(self, name: str) -> str:
        """For Spark: with the scheme of the file system."""
        return str(self._path(name).toString())

    def read(self, name: str) -> str:
        """A whole text file, which is UTF-8. Raises ArchiveError, also for one that its checksum does not fit."""
        try:
            stream = self._fs.open(self._path(name))
            try:
                return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
            finally:
                stream.close()
        except JAVA_ERRORS as error:
            raise ArchiveError(f"{self.root}/{name} cannot be read: {_told(error)}") from None

    def write_new(self, name: str, text: str) -> bool:
        """Write a file as a whole. False: there is one of that name, and nothing was changed. Raises ArchiveError."""
        part = self._path(f"{name}.{uuid4().hex}.part")
        is_there = False
        try:
            stream = self._fs.create(part)
            try:
                stream.write(bytearray(text.encode()))
            finally:
                stream.close()
            is_there = not self._fs.exists(self._path(name)) and self._fs.rename(part, self._path(name))
        except JAVA_ERRORS as error:
            raise ArchiveError(f"{self.root}/{name} cannot be written: {_told(error)}; run it again") from None
        finally:
            if not is_there:
                with suppress(*JAVA_ERRORS):  # what is left of it is no part of an archive
                    self._fs.delete(part, RECURSIVE)
        return is_there

    def checksums(self, names: Iterable[str]) -> tuple[dict[str, str], list[ArchiveError]]:
        """The SHA-256 of files, in hex, and why others cannot be read."""
        wanted = list(names)
        with ThreadPoolExecutor(THREADS) as pool:
            found = [*pool.map(self._checksum, wanted)]
        sums = {name: each for name, each in zip(wanted, found, strict=True) if isinstance(each, str)}
        return sums, [each for each in found if isinstance(each, ArchiveError)]

    def _checksum(self, name: str) -> str | ArchiveError:
        """Of one file, read where the driver runs: the JVM does it, at the rate of the file system."""
        try:
            stream = self._fs.open(self._path(name))
            try:
                return str(self._jvm.org.apache.commons.codec.digest.DigestUtils.sha256Hex(stream))
            finally:
                stream.close()
        except JAVA_ERRORS as error:
            return ArchiveError(f"{name} cannot be read: {_told(error)}")

    def names(self, folder: str) -> list[str]:
        """What is in a folder; nothing if it is not there."""
        path = self._path(folder)
        if not self._fs.exists(path):
            return []
        return [str(each.getPath().getName()) for each in self._fs.listStatus(path)]

    def sizes(self, folder: str) -> dict[str, int]:
        """Bytes of the Parquet files below a folder, by path below the archive."""
        path = self._path(folder)
        if not self._fs.exists(path):
            return {}
        found, begin = {}, len(self._root.toString()) + 1
        listed = self._fs.listFiles(path, RECURSIVE)
        while listed.hasNext():
            status = listed.next()
            name = str(status.getPath().toString())[begin:]
            if name.endswith(".parquet"):
                found[name] = int(status.getLen())
        return found

    def remove(self, folder: str) -> None:
        """A folder with all that is in it."""
        self._fs.delete(self._path(folder), RECURSIVE)

    def _path(self, name: str) -> Any:
        return self._hadoop.Path(self._root, name)


def _told(error: Py4JJavaError | PySparkException) -> str:
    """What the JVM has said."""
    java: Any = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    return str(error if java is None else java.toString())
