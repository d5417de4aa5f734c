"""The parts of what Prometheus scrapes."""
