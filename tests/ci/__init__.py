"""Files for CI services and editors."""
