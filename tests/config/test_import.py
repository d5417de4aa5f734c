import subprocess
import sys

PROGRAM = """
import sys
import kafkacompat
before = set(sys.modules)
import kafkacompat.config
kafkacompat.config.TopicConfig.resolve({}, kafkacompat.config.BrokerConfig.from_sources({"num.partitions": "2"}))
print(*sorted(set(sys.modules) - before))
"""


def test_the_tables_are_light_to_import() -> None:
    done = subprocess.run([sys.executable, "-I", "-c", PROGRAM], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "kafkacompat.config.definitions" in loaded
    assert [name for name in loaded if not name.startswith("kafkacompat.config")] in ([], ["__future__"])
    late = ("docs", "describe", "alter", "properties")
    assert [name for name in loaded if name.split(".")[2:3] and name.split(".")[2].startswith(late)] == []
