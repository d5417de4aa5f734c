"""Three brokers under a steady load for hours: what each of them takes of the machine must not grow."""
