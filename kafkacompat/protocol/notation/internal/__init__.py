"""Records that Kafka keeps in its own topics and files, and structures inside opaque bytes fields."""
