"""Tools that look into the files of a log and change nothing: `kafkacompat log dump` and `kafkacompat log verify`."""
