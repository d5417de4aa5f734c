"""What running nodes show, as plain values."""
