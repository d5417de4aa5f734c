"""`python -m kafkacompat`."""

from kafkacompat.cli import main

main()
