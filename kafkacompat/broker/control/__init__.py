"""What a broker has to do with controllers: registration, heartbeats, what it forwards, its part in the quorum."""
